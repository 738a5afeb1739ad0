"""What the imagined language models answer to the instructions of DINO: one text, near in meaning or not."""

import re

import numpy as np

from contrapose.seeds import generator
from contrapose_mini.facts import (
    chance,
    change_detail,
    change_kind,
    change_relation,
    choice,
    draw_fact,
)
from contrapose_mini.loopback.english import rewritten
from contrapose_mini.loopback.personas import REFUSALS, Answer, Persona, fault_of
from contrapose_mini.loopback.rewriting import Knowledge, Known, five_versions
from contrapose_mini.styles import question
from contrapose_mini.wording import Wording, prose_tokens, tidied, untokenised

# config/prompts/dino: what is asked for, the sentence, and the open quotation mark.
INSTRUCTION = re.compile(
    r"Task: Write two (?P<kind>sentence|question)s that (?P<relation>[^\n]*)\.\n"
    r'\w+ 1: "(?P<source>.*)"\n\w+ 2: "$',
    re.DOTALL,
)
SAME, SIMILAR = "same", "similar"  # words of the relations; any other one asks for another topic
# Ours.  Chances of an answer that is no such text, and of what stands around one.
FAULTS = {"refusal": 0.01, "empty": 0.005, "copy": 0.02, "cut": 0.01, "explained": 0.01}
UNCLOSED, OPENED, LABELLED = 0.15, 0.15, 0.05
REMARK = "\n\nThese two differ in their wording."


def continuation(persona: Persona, knowledge: Knowledge, asked: re.Match[str], *request: str | int) -> Answer:
    """Answer an instruction.

    Parameters
    ----------
    persona : Persona
        Its manner of paraphrasing and how untidy it is.
    knowledge : Knowledge
        A sentence that is not known is rewritten by rule.
    asked : match of INSTRUCTION
    request : str or int
        Everything else the answer may depend on; the same request has the same answer.
    """
    rng = generator("loopback", "instructed", persona.name, asked[0], *request)
    fault = fault_of(rng, FAULTS, persona.mess)
    if fault == "refusal":
        return Answer(choice(rng, REFUSALS), cut=False)
    if fault == "empty":
        return Answer("", cut=False)
    text = asked["source"] if fault == "copy" else _text(persona, knowledge, asked, rng)
    if fault == "cut":
        return Answer(text[: len(text) // 2], cut=True)
    begin = '"' if chance(rng, OPENED * persona.mess) else ""
    if chance(rng, LABELLED * persona.mess):
        begin = f'{asked["kind"].capitalize()} 2: "'
    end = "" if chance(rng, UNCLOSED * persona.mess) else '"'
    return Answer(begin + text + end + REMARK * (fault == "explained"), cut=False)


def _text(persona: Persona, knowledge: Knowledge, asked: re.Match[str], rng: np.random.Generator) -> str:
    """Say the same in other words; change a detail, a kind or the event; or tell of something else."""
    source, relation = asked["source"], asked["relation"]
    known, manner = knowledge.find(source), persona.paraphrasing
    if SAME in relation:
        return five_versions(source, known, manner, rng)[0]
    if SIMILAR not in relation:
        other = Known((draw_fact(rng),), "past")
    elif known is None:
        return rewritten(source, rng, 1 - manner.keep, addition=1.0)
    else:
        change = choice(rng, (change_detail, change_kind, change_relation))
        other = Known((change(rng, known.meaning[0]), *known.meaning[1:]), known.tense)
    if asked["kind"] == "question":
        return untokenised(tidied(question(other.meaning, Wording(rng))))
    return untokenised(tidied(prose_tokens(other.meaning, Wording(rng), other.tense)))
