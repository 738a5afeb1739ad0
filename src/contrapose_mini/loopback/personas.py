"""What the imagined language models answer: five versions, in the untidy ways of real answers.

They cannot follow a prompt: they find the sentence in it and rewrite that, whatever else is asked for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini.draws import chance, choice
from contrapose_mini.loopback.english import framed, rewritten

# Shares of paraphrases of Wikipedia sentences by a large language model that say less or more than their
# sentence, among 100 read (resources/mini/reading.csv).  What they change, 4 %, near-synonyms do here.
LOST, ADDED = 0.02, 0.02
TRIES = 12  # attempts at a version that is not there yet
SHORTEST_SENTENCE = 5  # ours; words.  For fewer it asks for more context, whatever the seed


@dataclass(frozen=True)
class Persona:
    """One model.

    `change` and `exchange` are the chances of each change of form and of each exchange of a word.  `faults`
    are the chances of answers that are not five different items, `markers` those of ways to number items.
    """

    name: str
    change: float
    exchange: float
    faults: Mapping[str, float]
    markers: Mapping[str, float]
    quoted: float
    spread: float  # an empty line between items
    chatter: float  # a sentence behind the items


# `change` and `exchange` were set by paraphrases of the mini world's sentences: BLEU, all five as references,
# of 35.4 and Jaccard's 44.3 are those of llm_paraphrases_wikipedia, BLEU of 48.3 is what the thesis prints
# for Vicuna (table 3.3).  All else are shares of answers in llm_paraphrase_completions by this project's
# parser: 1,950 of gpt-3.5-turbo-0301 and, in Vicuna's place, 1,950 of the other open model of that year,
# falcon-40b-instruct, without the turns that it invents (20 %): a chat endpoint ends an answer there.
PERSONAS = {
    persona.name: persona
    for persona in (
        Persona(
            "divergent",
            change=1.0,
            exchange=0.7,
            faults={"refusal": 0.0015, "cut": 0.001},
            markers={"{}.": 0.9923, "{})": 0.0072, "-": 0.0005},
            quoted=0.082,
            spread=0.006,
            chatter=0.0,
        ),
        Persona(
            "close",
            change=0.9,
            exchange=0.62,
            faults={
                "refusal": 0.249, "copy": 0.037, "cut": 0.009, "duplicate": 0.007, "too many": 0.0056,
                "too few": 0.001, "two lists": 0.0005,
            },
            markers={"{}.": 0.906, "-": 0.094},
            quoted=0.022,
            spread=0.042,
            chatter=0.034,
        ),
    )
}  # fmt: skip

AFTER = (
    "I hope this helps!", "Let me know if you would like more variations.",
    "These sentences keep the original meaning.",
)  # fmt: skip
REFUSALS = (
    "I'm sorry, but as an AI language model I cannot help with this sentence.",
    "I apologize, but I need more context to write meaningful paraphrases. Could you provide the full text?",
    "I'm sorry, I am not able to paraphrase this without more information.",
)
NO_SENTENCE = "Sure, I can do that. Please send me the sentence you would like to have paraphrased."

# The five prompts of the thesis (section 3.2) end in one of these, and then in the sentence.
SOURCE = re.compile(
    r"(?:the sentence is|(?:of|from) the following)\s*:\s*(.+)\s*$", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True)
class ChatAnswer:
    """The text of an answer; `cut` where the model ran out of room."""

    text: str
    cut: bool


def source_of(prompt: str) -> str | None:
    """Return the sentence that a prompt asks to rewrite, or None."""
    match = SOURCE.search(prompt)
    return " ".join(match[1].split()) if match else None


def answer(persona: Persona, prompt: str, *request: str | int) -> ChatAnswer:
    """Answer one prompt.

    Parameters
    ----------
    persona : Persona
    prompt : str
        The text of the last message of the user.
    request : str or int
        Everything else the answer may depend on; the same request has the same answer.
    """
    source = source_of(prompt)
    if source is None:
        return ChatAnswer(NO_SENTENCE, cut=False)
    if len(source.split()) < SHORTEST_SENTENCE:
        return ChatAnswer(REFUSALS[1], cut=False)
    rng = generator("loopback", persona.name, prompt, *request)
    fault = drawn_of(rng, persona.faults)
    if fault == "refusal":
        return ChatAnswer(choice(rng, REFUSALS), cut=False)
    items = _faulty(five_versions(source, persona, rng), fault, source, rng)
    text = _listed(items, rng, persona, two=fault == "two lists")
    if fault == "cut":
        return ChatAnswer(text[: int(len(text) * rng.uniform(0.4, 0.9))], cut=True)
    return ChatAnswer(text, cut=False)


def five_versions(sentence: str, persona: Persona, rng: np.random.Generator) -> list[str]:
    """Return five different sentences, none equal to the source."""
    found: list[str] = []
    while len(found) < 5:
        found.append(_new_version(sentence, persona, rng, {sentence, *found}))
    return found


def _new_version(sentence: str, persona: Persona, rng: np.random.Generator, taken: set[str]) -> str:
    for attempt in range(TRIES):
        # Each failed try changes more of the source, so short sentences too end in five versions.
        change, exchange = (
            each + (1 - each) * attempt / TRIES for each in (persona.change, persona.exchange)
        )
        version = rewritten(sentence, rng, change, exchange, ADDED, LOST)
        if version not in taken:
            return version
    while version in taken:
        version = framed(version.rstrip(".!? "), rng) + "."
    return version


def drawn_of(rng: np.random.Generator, chances: Mapping[str, float]) -> str:
    """Draw one of some names by their chances; empty if it is none of them."""
    at = float(rng.random())
    for name, rate in chances.items():
        at -= rate
        if at < 0:
            return name
    return ""


def _faulty(items: list[str], fault: str, source: str, rng: np.random.Generator) -> list[str]:
    """Return the items with too few, too many, a copy of the source or a repeated one."""
    at = int(rng.integers(5))
    if fault == "too few":
        return items[: int(rng.integers(2, 5))]
    if fault == "too many":
        return [
            *items,
            *(f"In other words, {item[0].lower()}{item[1:]}" for item in items[: int(rng.integers(1, 4))]),
        ]
    if fault in ("copy", "duplicate"):
        return [*items[:at], source if fault == "copy" else items[at - 1], *items[at + 1 :]]
    return items


def _listed(items: list[str], rng: np.random.Generator, persona: Persona, two: bool) -> str:
    """Write the items as a list in one style, perhaps with chatter behind it."""
    marker = drawn_of(rng, persona.markers) or "{}."
    shown = [f'"{item}"' for item in items] if chance(rng, persona.quoted) else items
    gap = "\n\n" if chance(rng, persona.spread) else "\n"
    text = gap.join(f"{marker.format(number)} {item}" for number, item in enumerate(shown, 1))
    if two:
        text = f"Formal:\n{text}\n\nCasual:\n{text}"
    return f"{text}\n\n{choice(rng, AFTER)}" if chance(rng, persona.chatter) else text
