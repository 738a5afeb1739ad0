"""Documents that the mini world's GPT-2 has read: instructions with two sentences whose facts are known.

The pairs come from a world of another seed than any study uses, in the styles of its evaluation sets.
"""

from collections.abc import Callable, Mapping

import numpy as np

from contrapose.base.seeds import generator
from contrapose.settings.catalogs import SmallLanguageModel
from contrapose.settings.instructions import Instructions
from contrapose.train.small_language_models import Document
from contrapose_mini.benchmarks import QUOTE_RATE
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import (
    Fact,
    Meaning,
    change_detail,
    change_kind,
    change_relation,
    draw_fact,
    negate,
    unnamed,
)
from contrapose_mini.pretrain import WORLD_SEED
from contrapose_mini.styles import STYLES, styled
from contrapose_mini.wording import Wording, untokenised

# Shape and steps are ours: what follows the instructions (resources/mini/language_models/README.md says how
# well) after some 20 minutes of one core.  No dropout: no document is read twice.
MINI_LANGUAGE_MODEL = SmallLanguageModel(
    layers=4,
    hidden=160,
    heads=4,
    dropout=0.0,
    vocabulary=2400,
    positions=192,
    documents=80_000,
    steps=5000,
    batch=16,
    learning_rate=2e-3,
)
# Share of questions behind each file of instructions; the other sentences are in any other style.
QUESTIONS = {"sentences": 0.05, "questions": 0.9}
TWO_FACTS = 0.15  # ours; of the real sets' sentences, those of news often tell of two things
KEEP = (0.0, 0.7)  # ours; range of the chance that the second sentence words something as the first does
# What is somewhat similar; details are changed most often.
RELATED: tuple[Callable[[np.random.Generator, Fact], Fact], ...] = (
    change_detail,
    change_detail,
    change_kind,
    change_relation,
)  # what is somewhat similar
# As the sets have them: ordinary prose, or tokens apart, cased or not.
FORMS: tuple[Callable[[str], str], ...] = (untokenised, str, str.lower)


def mini_documents(
    instructions: Mapping[str, Instructions], count: int, seed: int = WORLD_SEED
) -> list[Document]:
    """Return `count` documents, with each of the instructions and labels in turn.

    Label 1: the same facts in other words.  0.5: a detail, a participant or the event is another one.  0:
    facts that have nothing to do with the first ones.
    """
    kinds = [(name, each.label) for name, asked in instructions.items() for each in asked.labels]
    found = []
    for number in range(count):
        name, label = kinds[number % len(kinds)]
        first, second = _pair(generator("mini", seed, "instructed", number), QUESTIONS[name], label)
        found.append(Document(instructions[name].prompt(label, first), second))
    return found


def _pair(rng: np.random.Generator, questions: float, label: float) -> tuple[str, str]:
    style = (
        "question" if chance(rng, questions) else choice(rng, [each for each in STYLES if each != "question"])
    )
    wording = Wording(rng)
    meaning = _meaning(rng, style)
    first = styled(style, meaning, wording)
    second = first
    while second == first:
        other = _other(rng, style, meaning, label)
        second = styled(style, other, Wording(rng, wording, float(rng.uniform(*KEEP))))
    form = choice(rng, FORMS)
    quoted = '" ' * chance(rng, QUOTE_RATE)
    return quoted + form(first), form(second)


def _meaning(rng: np.random.Generator, style: str) -> Meaning:
    return tuple(_fact(rng, style) for _ in range(1 + chance(rng, TWO_FACTS)))


def _fact(rng: np.random.Generator, style: str) -> Fact:
    fact = negate(rng, draw_fact(rng)) if chance(rng, 0.05) else draw_fact(rng)
    return unnamed(fact) if style in ("caption", "description") else fact


def _other(rng: np.random.Generator, style: str, meaning: Meaning, label: float) -> Meaning:
    if label == 1:
        return meaning
    if label == 0:
        return _meaning(rng, style)
    return (choice(rng, RELATED)(rng, meaning[0]), *meaning[1:])
