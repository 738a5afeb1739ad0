"""What the imagined language models answer to instructions: texts near in meaning or not."""

import json
import re

import numpy as np

from contrapose.base.seeds import generator
from contrapose.generate.requests import MASK
from contrapose_mini.draws import chance, choice
from contrapose_mini.loopback.clauses import raised
from contrapose_mini.loopback.english import rewritten
from contrapose_mini.loopback.personas import REFUSALS, ChatAnswer, Persona, drawn_of
from contrapose_mini.loopback.words import forms_of, with_another_thing

# config/prompts/dino: what is asked for, the sentence, and the open quotation mark.
INSTRUCTION = re.compile(
    r"Task: (?:Write two (?P<kind>sentence|question)s that )?(?P<relation>[^\n]*)\.\n"
    r'\w+ 1: "(?P<source>.*)"\n\w+ 2: "$',
    re.DOTALL,
)
# config/prompts/entailment.yaml and its like: what is asked for, and the sentence.
ONE = re.compile(r"(?P<asked>.*)\n\nSentence: (?P<source>[^\n]+)$", re.DOTALL)
DENYING = re.compile(r"\b(?:contradict|false)", re.I)  # asks for a hard negative
# config/prompts/invented.yaml and its like: how many sentences are asked for.
SEVERAL = re.compile(r"Write (?P<number>\d+) different ")
# config/prompts/task_triplets.yaml and similar_triplets.yaml: the first of three keys.
TRIPLET = re.compile(r'"(?P<key>user_query|S1)"')
KEYS = {"user_query": ("positive_document", "hard_negative_document"), "S1": ("S2", "S3")}
SAME, SIMILAR = "same", "similar"  # words of the relations; any other one asks for another topic
# Ours, for want of real answers.  Chances of an answer that is no such text, and of what stands around one.
FAULTS = {"refusal": 0.01, "empty": 0.005, "copy": 0.02, "cut": 0.01, "explained": 0.01}
UNCLOSED, OPENED, LABELLED = 0.15, 0.15, 0.05
REMARK = "\n\nThese two differ in their wording."
PEOPLE = (
    "health",
    "school",
    "law",
    "business",
    "art",
    "science",
)  # categories of its lexicon that begin with people
OWN = ("The {} {} the {}.", "Last week, the {} {} a {}.", "In the end, the {} {} the {}.")
OWN_QUESTIONS = (
    "Why has the {} {} the {}?",
    "How often has the {} {} a {}?",
    "Who says that the {} {} the {}?",
)


def continuation(persona: Persona, asked: re.Match[str], *request: str | int) -> ChatAnswer:
    """Answer an instruction.

    Parameters
    ----------
    persona : Persona
    asked : match of INSTRUCTION
    request : str or int
        Everything else the answer may depend on; the same request has the same answer.
    """
    rng = generator("loopback", "instructed", persona.name, asked[0], *request)
    fault = drawn_of(rng, FAULTS)
    if fault == "refusal":
        return ChatAnswer(choice(rng, REFUSALS), cut=False)
    if fault == "empty":
        return ChatAnswer("", cut=False)
    text = asked["source"] if fault == "copy" else _text(persona, asked, rng)
    if fault == "cut":
        return ChatAnswer(text[: len(text) // 2], cut=True)
    begin = '"' if chance(rng, OPENED) else ""
    if chance(rng, LABELLED):
        begin = f'{(asked["kind"] or "sentence").capitalize()} 2: "'
    end = "" if chance(rng, UNCLOSED) else '"'
    return ChatAnswer(begin + text + end + REMARK * (fault == "explained"), cut=False)


def one_sentence(persona: Persona, asked: re.Match[str], *request: str | int) -> ChatAnswer:
    """Answer a match of ONE with a paraphrase, or with a sentence in which a thing is another one."""
    rng = generator("loopback", "one", persona.name, asked[0], *request)
    fault, source = drawn_of(rng, FAULTS), asked["source"]
    if fault in ("refusal", "empty"):
        return ChatAnswer(choice(rng, REFUSALS) * (fault == "refusal"), cut=False)
    text, exchange = source, persona.exchange
    if DENYING.search(asked["asked"]):  # in the same words otherwise
        text, exchange = with_another_thing(source, rng), 0.0
    text = source if fault == "copy" else rewritten(text, rng, persona.change, exchange)
    if fault == "cut":
        return ChatAnswer(text[: len(text) // 2], cut=True)
    return ChatAnswer(text + REMARK * (fault == "explained"), cut=False)


def _text(persona: Persona, asked: re.Match[str], rng: np.random.Generator) -> str:
    """Return the same in other words, also with another thing or more in it; or something else."""
    source, relation = asked["source"], asked["relation"]
    if MASK in relation:
        return re.sub(MASK, lambda _: choice(rng, forms_of("noun", choice(rng, PEOPLE), "singular")), source)
    if SAME in relation:
        return rewritten(source, rng, persona.change, persona.exchange)
    if SIMILAR in relation:
        other = with_another_thing(source, rng)
        return rewritten(other, rng, persona.change, persona.exchange, added=float(other == source))
    return _own(rng, OWN_QUESTIONS if asked["kind"] == "question" else OWN)


def _own(rng: np.random.Generator, frames: tuple[str, ...]) -> str:
    one, two = (choice(rng, forms_of("noun", choice(rng, PEOPLE), "singular")) for _ in range(2))
    verb = choice(rng, forms_of("verb", choice(rng, ("seeing", "feeling", "contest")), "past"))
    return raised(choice(rng, frames).format(one, verb, two))


def triplet(persona: Persona, asked: re.Match[str], *request: str | int) -> ChatAnswer:
    """Answer a match of TRIPLET: the third text has another thing than the two others."""
    rng = generator("loopback", "triple", persona.name, asked.string, *request)
    fault = drawn_of(rng, FAULTS)
    if fault in ("refusal", "empty"):
        return ChatAnswer(choice(rng, REFUSALS) * (fault == "refusal"), cut=False)
    source = _own(rng, OWN)
    same, other = (
        rewritten(text, rng, persona.change, persona.exchange)
        for text in (source, with_another_thing(source, rng))
    )
    keys = (asked["key"], *KEYS[asked["key"]])
    text = json.dumps(dict(zip(keys, (source, source if fault == "copy" else same, other), strict=True)))
    if chance(rng, OPENED):
        text = f"```json\n{text}\n```"
    return ChatAnswer(text + REMARK * (fault == "explained"), cut=fault == "cut")


def several_sentences(persona: Persona, asked: re.Match[str], *request: str | int) -> ChatAnswer:
    """Answer a match of SEVERAL with sentences of its own, whatever they are to be about."""
    rng = generator("loopback", "several", persona.name, asked.string, *request)
    fault = drawn_of(rng, FAULTS)
    if fault in ("refusal", "empty"):
        return ChatAnswer(choice(rng, REFUSALS) * (fault == "refusal"), cut=False)
    lines = [f"{number}. {_own(rng, OWN)}" for number in range(1, int(asked["number"]) + 1)]
    return ChatAnswer("\n".join(lines) + REMARK * (fault == "explained"), cut=fault == "cut")
