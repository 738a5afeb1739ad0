"""Labelled pairs of Chinese sentences: ATEC, BQ, LCQMC, PAWS-X and STS-B in the mini world's words.

As in the English benchmarks `facts.similarity` of what two sentences say is the gold score: five imagined
annotators see it for STS-B, and sentences of the other sets mean the same (label 1) from `SAME_MEANING` on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import facts as change
from contrapose_mini.articles import Statement
from contrapose_mini.benchmarks import (
    ANNOTATORS,
    PAIR_KINDS,
    PairKind,
    kept,
    kind_at,
    normalised,
    vote,
)
from contrapose_mini.chinese.wording import styled
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import DETAIL_FACTORS, Fact, MadeWorld, Meaning, similarity
from contrapose_mini.styles import question
from contrapose_mini.wording import T, Wording, tidied, untokenised

SAME_MEANING = 0.9  # ours: an unnamed place, time, manner or attribute is no difference, another one is
HABIT = 0.9  # ours: chance of a translator's usual word or construction
AGAIN = 0.8  # ours: chance that what was asked before is asked in the same words

Kinds = Mapping[int | None, tuple[PairKind, ...]]  # by the label of the pair; None: any
# Ours: mostly small changes, so that questions which are no duplicates share their topic, as in real sets.
DUPLICATES: Kinds = {
    1: (PairKind("same", 0.6, None, (0.8,)), PairKind("detail", 0.6, change.change_detail, (0.2,))),
    0: (
        PairKind("kind", 0.45, change.change_kind, (0.18,)),
        PairKind("relation", 0.45, change.change_relation, (0.17,)),
        PairKind("role", 0.45, change.change_role, (0.15,)),
        PairKind("negation", 0.45, change.negate, (0.13,)),
        PairKind("swap", 0.45, change.swap_roles, (0.12,)),
        PairKind("detail", 0.45, change.change_detail, (0.10,)),
        PairKind("topic", 0.2, change.same_topic, (0.08,)),
        PairKind("foreign", 0.2, change.foreign_event, (0.07,)),
    ),
}
# PAWS: word overlap is high whatever the label, and what differs is mostly who does what.
SCRAMBLED: Kinds = {
    1: (PairKind("same", 0.85, None, (1.0,)),),
    0: (
        PairKind("swap", 0.85, change.swap_roles, (0.8,)),
        PairKind("kind", 0.85, change.change_kind, (0.1,)),
        PairKind("negation", 0.85, change.negate, (0.1,)),
    ),
}
# Grades are rounded, so that the highest ones are frequent: the shares of the mix with few of them.
GRADED: Kinds = {None: tuple(replace(kind, shares=kind.shares[1:]) for kind in PAIR_KINDS)}


@dataclass(frozen=True)
class PairSet:
    """How one set looks.

    `positive` is the share of label 1, None for grades 0 to 5; `units` the rows of each split in units of
    `pairs`; `meanings` the different meanings of first sentences for each pair (below 1, sentences recur);
    `kept_details` the chance that a fact keeps its place, time or manner; `two_facts` and `placeholders`
    (`NS` for a sentence) are shares of sentences; `level` is added to what `PairKind.keep` says.
    """

    name: str
    styles: tuple[str, ...]
    kinds: Kinds
    positive: float | None
    units: Mapping[str, int]
    meanings: float = 1.0
    kept_details: float = 0.05
    two_facts: float = 0.0
    placeholders: float = 0.0
    level: float = 0.0


# Shares of labels and of placeholders are those of the real test sets.  Training parts have 2.5 % of the real
# rows in the default world; `meanings` let sentences recur most in BQ and least in ATEC, as in the real sets.
BQ_UNITS, LCQMC_UNITS = {"train": 42, "valid": 6, "test": 6}, {"train": 100, "valid": 6, "test": 8}
PAIR_SETS = (
    PairSet("ATEC", ("question",), DUPLICATES, 0.1805, {"train": 26, "valid": 8, "test": 8}),
    PairSet("BQ", ("question",), DUPLICATES, 0.5, BQ_UNITS, meanings=0.12, level=-0.3),
    PairSet("LCQMC", ("question",), DUPLICATES, 0.5, LCQMC_UNITS, meanings=0.25, level=0.45),
    PairSet(
        "PAWSX",
        ("prose",),
        SCRAMBLED,
        0.447,
        {"train": 20, "valid": 4, "test": 4},
        kept_details=1.0,
        two_facts=0.5,
        placeholders=0.007,
    ),
    PairSet(
        "STS-B",
        ("caption", "caption", "prose"),
        GRADED,
        None,
        {"train": 3, "valid": 4, "test": 4},
        kept_details=0.3,
        two_facts=0.2,
        level=0.1,
    ),
)


@dataclass(frozen=True)
class LabelledPair:
    """Two sentences with what they say, and the label of the pair as it stands in the file."""

    first: Statement
    second: Statement
    label: int

    @property
    def similarity(self) -> float:
        """The shared meaning without annotator noise, in [0, 1]."""
        return similarity(self.first.meaning, self.second.meaning)


class _Habitual(Wording):
    """Mostly the same English for the same thing, as translators have it, whatever the Chinese words were."""

    def _draw(self, what: str, options: Sequence[T]) -> T:
        rng = generator("mini", "translator", what) if chance(self.rng, HABIT) else self.rng
        return choice(rng, options)


def in_english(statement: Statement) -> str:
    """Return what a question asks in English; the same sentence is always translated alike."""
    wording = _Habitual(generator("mini", "translated", statement.text))
    return untokenised(tidied(question(statement.meaning, wording)))


@dataclass(frozen=True)
class _Said:
    """A sentence, what it says and how it was worded."""

    text: str
    meaning: Meaning
    wording: Wording


def labelled_pairs(
    pair_set: PairSet, world: MadeWorld, seed: int, split: str, count: int
) -> Iterator[LabelledPair]:
    """Yield the `count` pairs of one file, no two of them with the same sentences.

    Notes
    -----
    A function of the arguments alone.  All sentences of the file are in memory, about 2 kB each.
    """
    maker = _PairMaker(pair_set, world)
    rng = generator("mini", seed, "chinese", pair_set.name, split)
    meanings = [maker.meaning(rng) for _ in range(max(1, round(pair_set.meanings * count)))]
    for number in range(count):
        rng = generator("mini", seed, "chinese", pair_set.name, split, number)
        label = None if pair_set.positive is None else int(chance(rng, pair_set.positive))
        for _ in range(100):
            made = maker.pair(rng, meanings[number % len(meanings)], label)
            if made:
                yield made
                break
        else:
            raise AssertionError(f"100 attempts gave no new pair for {pair_set.name} {split} {number}")


class _PairMaker:
    """Makes the pairs of one file and remembers what it has said, so that sentences can recur."""

    def __init__(self, pair_set: PairSet, world: MadeWorld) -> None:
        self.pair_set = pair_set
        self.world = world
        self._said: dict[tuple[str, Meaning], list[_Said]] = {}
        self._others: dict[tuple[Meaning, int | None], list[tuple[PairKind, Meaning]]] = {}
        self._pairs: set[frozenset[str]] = set()

    def meaning(self, rng: np.random.Generator) -> Meaning:
        """Draw what a first sentence says."""
        facts = [choice(rng, self.world.facts) for _ in range(1 + chance(rng, self.pair_set.two_facts))]
        return tuple(self._with_fewer_details(rng, fact) for fact in facts)

    def _with_fewer_details(self, rng: np.random.Generator, fact: Fact) -> Fact:
        dropped = [detail for detail in DETAIL_FACTORS if not chance(rng, self.pair_set.kept_details)]
        return change.with_changes(fact, **dict.fromkeys(dropped, ""))

    def pair(self, rng: np.random.Generator, meaning: Meaning, label: int | None) -> LabelledPair | None:
        """Try to make a new pair of that label (None: any grade), one of whose sentences says `meaning`."""
        others = self._others.setdefault((meaning, label), [])
        again = bool(others) and chance(rng, AGAIN)
        kind, other = choice(rng, others) if again else self._other(rng, meaning, label)
        shared = similarity(meaning, other)
        if label is not None and label != (shared >= SAME_MEANING):
            return None
        style = choice(rng, self.pair_set.styles)
        first = self._sentence(rng, style, meaning)
        keep = kept(self.pair_set.level + kind.keep, rng.random())
        second = self._sentence(rng, style, other, first, keep)
        ends = frozenset((normalised(first.text), normalised(second.text)))
        if len(ends) == 1 or ends in self._pairs:
            return None
        self._pairs.add(ends)
        others.append((kind, other))
        if label is None:
            label = round(vote(rng, shared, ANNOTATORS["STS"], low=0))
        for said in (first, second):
            known = self._said.setdefault((style, said.meaning), [])
            if said not in known:
                known.append(said)
        one, two = (self._statement(rng, said) for said in (first, second))
        # Neither side is always the changed one.
        return LabelledPair(one, two, label) if chance(rng, 0.5) else LabelledPair(two, one, label)

    def _other(
        self, rng: np.random.Generator, meaning: Meaning, label: int | None
    ) -> tuple[PairKind, Meaning]:
        """Draw what the other sentence says: the first fact is changed, or two exchange something."""
        kind = kind_at(self.pair_set.kinds[label], rng.random())
        if kind.change is None:
            return kind, meaning
        if kind.name == "swap" and len(meaning) == 2:
            return kind, _exchanged(rng, meaning)
        changed, beside = kind.change(rng, meaning[0]), meaning[1:]
        if kind.name == "foreign":
            beside = tuple(choice(rng, self.world.facts) for _ in beside)
        return kind, (changed, *beside)

    def _sentence(
        self,
        rng: np.random.Generator,
        style: str,
        meaning: Meaning,
        other: _Said | None = None,
        keep: float = 0.0,
    ) -> _Said:
        """Write it in words used before, or in new ones as near to the other sentence's as `keep` says."""
        known = [said for said in self._said.get((style, meaning), []) if said is not other]
        if known and chance(rng, AGAIN):
            return choice(rng, known)
        wording = Wording(rng, other.wording if other else None, keep)
        return _Said(styled(style, meaning, wording), meaning, wording)

    def _statement(self, rng: np.random.Generator, said: _Said) -> Statement:
        text = "NS" if chance(rng, self.pair_set.placeholders) else said.text
        return Statement(text, said.meaning)


def _exchanged(rng: np.random.Generator, meaning: Meaning) -> Meaning:
    """Exchange the agents, patients, places or times of two facts."""
    one, two = meaning
    what = choice(rng, ("agent", "patient", "place", "time"))
    return replace(one, **{what: getattr(two, what)}), replace(two, **{what: getattr(one, what)})
