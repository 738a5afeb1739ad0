"""Pairs that say or ask the same or do not: QQP, and PAWS in its three forms.

What two questions ask is the same if nothing of their facts differs but a detail that one leaves out.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini.benchmarks import Look, PairMaker, normalised
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import swap_roles
from contrapose_mini.wording import Wording

SAME_QUESTION = 0.9  # similarity of facts, as for the Chinese sets; a third of the pairs, of QQP's 37 %
SCRAMBLED_SAME = 0.31  # share of label 1 in PAWS-QQP
MARKS = (",", ".", "?", "、", "。")


def duplicate_questions(maker: PairMaker, name: str, count: int) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of questions as space-separated cased tokens, and 1 if they ask the same."""
    for number in range(count):
        pair = maker.pair(name, number, Look("question", 0.1))
        yield pair.first, pair.second, int(pair.similarity >= SAME_QUESTION)


def scrambled_pairs(
    maker: PairMaker, name: str, style: str, same: float, count: int, balanced: bool
) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of sentences with the same words in another order, and 1 if they say the same.

    Where they do not, who does it and to whom it is done have changed places.

    Parameters
    ----------
    maker : PairMaker
    name, style : str
    same : float
        Share of label 1.
    count : int
    balanced : bool
        Whether every pair is of a fact whose roles could change places, and has its place, time and manner in
        another order whatever its label; else the order changes in pairs of label 1 alone.
    """
    for number in range(count):
        label = int(chance(generator("mini", maker.seed, name, number, "label"), same))
        for attempt in range(1000):  # most facts are about things, or their verbs change with the roles
            rng = generator("mini", maker.seed, name, number, attempt)
            first, second = _scrambled(rng, maker, style, label, balanced)
            ends = {normalised(first), normalised(second)}
            if len(ends) == 2 and not ends & maker.taken and _words(first) == _words(second):
                maker.taken |= ends
                yield first, second, label
                break
        else:
            raise AssertionError(f"1000 attempts gave no new pair for {name} {number}")


def _scrambled(
    rng: np.random.Generator, maker: PairMaker, style: str, label: int, balanced: bool
) -> tuple[str, str]:
    """Try to make a pair; one with two equal sentences is none."""
    fact = choice(rng, maker.world.facts)
    wording = Wording(rng)
    first = maker.styled(style, (fact,), wording)
    again = Wording(rng, wording, keep=1.0)
    swapped = swap_roles(rng, fact) if balanced or not label else fact
    if label or balanced:
        for what, options in (("fronting", (False, True)), ("order of adjuncts", (0, 1, 2))):
            again.chosen[what] = choice(rng, options)
    second = maker.styled(style, (fact if label else swapped,), again)
    if balanced:
        reordered = maker.styled(style, (fact,), again)
        if normalised(reordered) == normalised(first) or swapped.agent != fact.patient:
            return first, first
    return first, second


def _words(tokens: str) -> Counter[str]:
    return Counter(token for token in tokens.split() if token not in MARKS)
