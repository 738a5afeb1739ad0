"""What the imagined language models answer: five versions, in the untidy ways of real answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from contrapose.seeds import generator
from contrapose_mini.facts import chance, choice
from contrapose_mini.loopback.rewriting import Knowledge, Manner, five_versions


@dataclass(frozen=True)
class Persona:
    """One model: how it rewrites when asked for paraphrases and for divergence, and how untidy it is.

    `mess` multiplies the rates of `FAULTS` and of chatter.
    """

    name: str
    paraphrasing: Manner
    diverging: Manner
    mess: float


# `divergent` changes more when asked to, adds nothing.  `close` stays near the source and, asked for
# divergence, adds information: what the thesis (section 3.2) saw in ChatGPT and in Vicuna.
PERSONAS = {
    persona.name: persona
    for persona in (
        Persona("divergent", Manner(keep=0.30, addition=0.0), Manner(keep=0.08, addition=0.02), mess=1.0),
        Persona("close", Manner(keep=0.70, addition=0.05), Manner(keep=0.55, addition=0.35), mess=1.3),
    )
}

# Chances of an answer that is not five different items.  Together about a tenth, the share of ChatGPT
# and Falcon answers to such prompts that cannot be used lies between 1 and 30 %.
FAULTS = {
    "refusal": 0.012,
    "too few": 0.020,
    "too many": 0.012,
    "copy": 0.020,
    "duplicate": 0.015,
    "cut": 0.012,
    "empty": 0.005,
    "two lists": 0.005,
}
HOPELESS_RATE = 0.01  # sentences that no seed makes it answer
CHATTER_BEFORE, CHATTER_AFTER, QUOTED = 0.10, 0.04, 0.05
MARKERS = (("{}.", 0.80), ("{})", 0.06), ("({})", 0.03), ("-", 0.04), ("**{}.**", 0.03), ("{}:", 0.04))
SHORTEST_SENTENCE = 5  # words; for fewer it asks for more context, whatever the seed

BEFORE = (
    "Sure! Here are five versions:", "Here are 5 paraphrases:", "Certainly, here you go:",
    "Of course! Here are five new sentences that are semantically similar:",
)  # fmt: skip
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
DIVERGENCE = re.compile(r"divergen|different words", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The text of an answer; `cut` where the model ran out of room."""

    text: str
    cut: bool


def source_of(prompt: str) -> str | None:
    """Return the sentence that a prompt asks to rewrite, or None."""
    match = SOURCE.search(prompt)
    return " ".join(match[1].split()) if match else None


def answer(persona: Persona, knowledge: Knowledge, prompt: str, *request: str | int) -> Answer:
    """Answer one prompt.

    Parameters
    ----------
    persona : Persona
    knowledge : Knowledge
    prompt : str
        The text of the last message of the user.
    request : str or int
        Everything else the answer may depend on; the same request has the same answer.
    """
    source = source_of(prompt)
    if source is None:
        return Answer(NO_SENTENCE, cut=False)
    if len(source.split()) < SHORTEST_SENTENCE or _hopeless(persona, source):
        return Answer(REFUSALS[1], cut=False)
    rng = generator("loopback", persona.name, prompt, *request)
    manner = persona.diverging if DIVERGENCE.search(prompt) else persona.paraphrasing
    items = five_versions(source, knowledge.find(source), manner, rng)
    fault = fault_of(rng, FAULTS, persona.mess)
    if fault == "refusal":
        return Answer(choice(rng, REFUSALS), cut=False)
    if fault == "empty":
        return Answer("", cut=False)
    text = _listed(_faulty(items, fault, source, rng), rng, persona.mess, two=fault == "two lists")
    return (
        Answer(text[: int(len(text) * rng.uniform(0.4, 0.9))], cut=True)
        if fault == "cut"
        else Answer(text, False)
    )


def _hopeless(persona: Persona, source: str) -> bool:
    return chance(generator("loopback", "hopeless", persona.name, source), HOPELESS_RATE * persona.mess)


def fault_of(rng: np.random.Generator, faults: Mapping[str, float], mess: float = 1.0) -> str:
    """Draw what is wrong with an answer, by the chances of all faults; empty if nothing is."""
    at = float(rng.random())
    for fault, rate in faults.items():
        at -= rate * mess
        if at < 0:
            return fault
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


def _listed(items: list[str], rng: np.random.Generator, mess: float, two: bool) -> str:
    """Write the items as a list in one style, perhaps with chatter around it."""
    shares = np.array([share for _, share in MARKERS])
    marker = MARKERS[int(rng.choice(len(MARKERS), p=shares / shares.sum()))][0]
    shown = [f'"{item}"' for item in items] if chance(rng, QUOTED * mess) else items
    gap = "\n\n" if chance(rng, 0.1) else "\n"
    text = gap.join(f"{marker.format(number)} {item}" for number, item in enumerate(shown, 1))
    if two:
        text = f"Formal:\n{text}\n\nCasual:\n{text}"
    if chance(rng, CHATTER_BEFORE * mess):
        text = f"{choice(rng, BEFORE)}\n\n{text}"
    return f"{text}\n\n{choice(rng, AFTER)}" if chance(rng, CHATTER_AFTER * mess) else text
