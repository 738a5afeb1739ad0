"""What the imagined language models answer when they are to score two texts: a number, mostly."""

import re

from contrapose.base.seeds import generator
from contrapose_mini.draws import choice
from contrapose_mini.loopback.personas import REFUSALS, ChatAnswer, Persona, drawn_of
from contrapose_mini.loopback.words import DETERMINERS, read_at, tokens_of, words_of

# config/prompts/similarity.txt ends in both texts.
TWO_TEXTS = re.compile(r"^\(a\) (?P<first>.*)\n\(b\) (?P<second>.*)$", re.MULTILINE)
# Ours, for want of real answers: chances of an answer without a number alone, and ways to write one.
FAULTS = {"refusal": 0.02, "explained": 0.02}
FORMS = ("{:.1f}",) * 8 + ("Score: {:.1f}", "{:.1f}/5.0")
NOISE = 0.3  # points, ours


def judged(persona: Persona, asked: re.Match[str], *request: str | int) -> ChatAnswer:
    """Answer with a number from 0 to 5 that grows with the share of the texts' concepts that both have."""
    rng = generator("loopback", "judging", persona.name, asked[0], *request)
    fault = drawn_of(rng, FAULTS)
    if fault == "refusal":
        return ChatAnswer(choice(rng, REFUSALS), cut=False)
    first, second = concepts(asked["first"]), concepts(asked["second"])
    share = len(first & second) / max(1, len(first | second))
    score = min(5.0, max(0.0, 5 * share + NOISE * float(rng.normal())))
    text = choice(rng, FORMS).format(score)
    return ChatAnswer(f"{text}, as they share some words." if fault else text, cut=False)


def concepts(text: str) -> set[str]:
    """Return what a text names: each word or form of the lexicon, the first of its near-synonyms for all."""
    words, found, at = words_of(tokens_of(text)), set(), 0
    while at < len(words):
        length, senses = read_at(words, at)
        others = senses[0].options if senses else ()
        found.add(min([" ".join(words[at : at + length]), *others]))
        at += length
    return found - DETERMINERS - {*".,;:!?"}
