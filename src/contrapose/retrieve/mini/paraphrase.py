"""Pairs of questions that ask the same or do not, in the mini world's words: QQP and PAWS-QQP.

What two questions ask is the same if nothing of their facts differs but a detail that one leaves out.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from contrapose.retrieve.mini.benchmarks import PairMaker, normalised
from contrapose.retrieve.mini.facts import Fact, chance, choice, swap_roles
from contrapose.retrieve.mini.styles import styled
from contrapose.retrieve.mini.wording import Wording
from contrapose.seeds import generator

SAME_QUESTION = 0.9  # similarity of facts, as for the Chinese sets; a third of the pairs, of QQP's 37 %
SCRAMBLED_SAME = 0.31  # share of label 1 in PAWS-QQP (methods 12.1)
MARKS = (",", "?")


def duplicate_questions(maker: PairMaker, name: str, count: int) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of questions as space-separated cased tokens, and 1 if they ask the same."""
    for number in range(count):
        pair = maker.pair(name, number, "question", 0.1)
        yield pair.first, pair.second, int(pair.similarity >= SAME_QUESTION)


def scrambled_questions(maker: PairMaker, name: str, count: int) -> Iterator[tuple[str, str, int]]:
    """Yield pairs of questions with the same words in another order, and 1 if they ask the same.

    Where they do not, who does it and to whom it is done have changed places.
    """
    for number in range(count):
        label = int(chance(generator("mini", maker.seed, name, number, "label"), SCRAMBLED_SAME))
        for attempt in range(1000):  # most facts are about things, or their verbs change with the roles
            rng = generator("mini", maker.seed, name, number, attempt)
            first, second = _scrambled(rng, choice(rng, maker.world.facts), label)
            ends = {normalised(first), normalised(second)}
            if len(ends) == 2 and not ends & maker.taken and _words(first) == _words(second):
                maker.taken |= ends
                yield first, second, label
                break
        else:
            raise AssertionError(f"1000 attempts gave no new pair for {name} {number}")


def _scrambled(rng: np.random.Generator, fact: Fact, label: int) -> tuple[str, str]:
    wording = Wording(rng)
    first = styled("question", (fact,), wording)
    again = Wording(rng, wording, keep=1.0)
    if label:
        for what, options in (("fronting", (False, True)), ("order of adjuncts", (0, 1, 2))):
            again.chosen[what] = choice(rng, options)
    other = fact if label else swap_roles(rng, fact)
    return first, styled("question", (other,), again)


def _words(tokens: str) -> Counter[str]:
    return Counter(token for token in tokens.split() if token not in MARKS)
