"""Scored sentence pairs: SemEval STS 2012 to 2016, STS-B and SICK in the mini world's words.

The gold score of a pair is `facts.similarity` of what its sentences say, seen by a few imagined
annotators.  How alike the two wordings are depends on the kind of pair, as in the real sets: the less
two sentences share, the fewer of their choices are the same on average.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from statistics import NormalDist

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import facts as change
from contrapose_mini.concepts import nouns, relations
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Fact, MadeWorld, Meaning, fact_similarity, similarity
from contrapose_mini.styles import styled
from contrapose_mini.wording import Wording

Styled = Callable[[str, Meaning, Wording], str]
Change = Callable[[np.random.Generator, Fact], Fact]
MEAN_KEPT = 0.6  # of PairKind.keep, about


@dataclass(frozen=True)
class Look:
    """How the pairs of a set look.

    `two_facts` is the share of pairs that tell of two things, `uneven` ones on one side only; `details` the
    chance that a fact keeps its place, time or manner, and its attributes and numbers.  `level` is the mean
    share of choices that both sentences make alike, `slope` how much it follows the kind of pair (1: as
    `PAIR_KINDS` says, 0: not at all); `mix` is one of `MIXES`.
    """

    style: str
    two_facts: float = 0.0
    details: float = 1.0
    slope: float = 1.0
    level: float = MEAN_KEPT
    mix: str = "even"
    uneven: bool = False


@dataclass(frozen=True)
class Subset:
    """One STS subset: scored lines in units of `pairs`, and unscored lines per scored one."""

    name: str
    look: Look
    size: float = 1.0
    unscored: float = 0.0


HEADLINES = Look("headline", details=0.6, level=0.6, slope=1.0)
STEEP_HEADLINES = replace(HEADLINES, slope=1.4)
IMAGES = Look("description", details=0.4, level=0.7, slope=0.9)
DEFT_NEWS = Look("news", 0.4, details=0.7, level=0.7, slope=0.6)
DEFT_FORUM = Look("forum", details=0.1, level=0.85, slope=0.4)
ANSWERS = Look("forum", 0.25, details=0.4, mix="far", level=0.35, slope=0.8)
BELIEFS = Look("belief", 0.2, details=0.4, mix="far", level=0.45, slope=1.5)
CAPTIONS = Look("caption", details=0.0, level=0.8, slope=0.5)
GLOSSES = Look("gloss", details=0.0)
PARAGRAPHS = Look("news", 0.5, details=0.9, slope=0.7)

# What captions tell of.
SEEN = frozenset(("music", "kitchen", "farm", "animals", "sport", "transport", "art", "people"))

# The real subset names; styles, lengths, relative sizes, grades and wording follow the real ones.  Shares of
# unscored lines are about half of the real ones', to keep the files small.
YEARS: dict[str, tuple[Subset, ...]] = {
    "STS12-en-test": (
        Subset("MSRpar", replace(PARAGRAPHS, mix="details")),
        Subset("MSRvid", replace(CAPTIONS, mix="far", level=0.78)),
        Subset("SMTeuroparl", Look("speech", details=0.2, mix="close", level=0.45), 0.5),
        Subset("surprise.OnWN", replace(GLOSSES, mix="details", level=0.5, slope=1.5)),
        Subset("surprise.SMTnews", Look("news", details=0.4, mix="close", level=0.45), 0.5),
    ),
    "STS13-en-test": (
        Subset("FNWN", Look("gloss", 1.0, mix="far", uneven=True, level=0.1, slope=0.3), 0.5),
        Subset("OnWN", Look("gloss", details=0.0, mix="far", level=0.7, slope=0.1)),
        Subset("headlines", HEADLINES),
    ),
    "STS14-en-test": (
        Subset("deft-forum", DEFT_FORUM, 0.5),
        Subset("deft-news", DEFT_NEWS, 0.5),
        Subset("headlines", HEADLINES),
        Subset("images", IMAGES),
        Subset("OnWN", GLOSSES),
        Subset("tweet-news", Look("tweet", details=0.6)),
    ),
    "STS15-en-test": (
        Subset("answers-forums", ANSWERS, 0.5, unscored=2.0),
        Subset("answers-students", Look("answer", details=0.2, level=0.45, slope=1.8), unscored=1.0),
        Subset("belief", BELIEFS, 0.5, unscored=2.0),
        Subset("headlines", STEEP_HEADLINES, unscored=1.0),
        Subset("images", replace(IMAGES, level=0.65, slope=1.6), unscored=1.0),
    ),
    "STS16-en-test": (
        Subset("answer-answer", Look("forum", details=0.0, level=0.75, slope=0.5), unscored=2.0),
        Subset("headlines", STEEP_HEADLINES, unscored=2.0),
        Subset("plagiarism", PARAGRAPHS, unscored=2.0),
        Subset("postediting", Look("speech", 0.4, mix="close"), unscored=2.0),
        Subset("question-question", Look("question", details=0.1), unscored=2.0),
    ),
}

# STS-B's rows come from these (genre, file, year, look) in turn, about as often as in the real one.
STSB_SOURCES = (
    ("main-captions", "MSRvid", "2012test", CAPTIONS),
    ("main-news", "headlines", "2013", HEADLINES),
    ("main-captions", "images", "2014", IMAGES),
    ("main-news", "MSRpar", "2012test", PARAGRAPHS),
    ("main-forums", "deft-forum", "2014", DEFT_FORUM),
    ("main-captions", "MSRvid", "2012train", CAPTIONS),
    ("main-news", "headlines", "2015", HEADLINES),
    ("main-captions", "images", "2015", IMAGES),
    ("main-news", "deft-news", "2014", DEFT_NEWS),
    ("main-forums", "answers-forums", "2015", ANSWERS),
)
SICK = Look("caption", details=0.7, mix="details", level=0.6, slope=1.5)

ANNOTATORS = {"STS": 5, "SICK": 10}  # SemEval asked five people a pair, SICK ten
ANNOTATOR_SPREAD = 0.7  # standard deviation of one vote, in points of the 0-5 scale
QUOTE_RATE = 0.03  # sentences with a lone quotation mark; 4 to 7 % of the real STS-B's rows hold marks


@dataclass(frozen=True)
class PairKind:
    """One way to make a second meaning from a first.

    `keep` is the mean chance that a choice of the first wording stays; `shares` of pairs by `MIXES`.
    """

    name: str
    keep: float
    change: Change | None
    shares: tuple[float, ...]


def _all(*changes: Change) -> Change:
    """Return one change that makes all of these."""
    return lambda rng, fact: reduce(lambda now, each: each(rng, now), changes, fact)


_DETAIL, _KIND, _ROLE = change.change_detail, change.change_kind, change.change_role
# All grades; few high ones; translations of one text; mostly small changes (SICK).
MIXES = ("even", "far", "close", "details")
# Ours, chosen by the bands of resources/mini/bands.csv (docs/dev/mini.md, "Comparison with real data").
PAIR_KINDS = (
    PairKind("same", 0.80, None, (0.06, 0.02, 0.30, 0.10)),
    PairKind("one detail", 0.85, _DETAIL, (0.07, 0.03, 0.30, 0.08)),
    PairKind("two details", 0.90, _all(_DETAIL, _DETAIL), (0.13, 0.07, 0.22, 0.14)),
    PairKind("kind", 0.65, _KIND, (0.12, 0.06, 0.08, 0.25)),
    PairKind("kind and detail", 0.65, _all(_DETAIL, _KIND), (0.06, 0.10, 0.05, 0.10)),
    PairKind("three details", 0.90, _all(_DETAIL, _DETAIL, _DETAIL), (0.11, 0.07, 0.05, 0.13)),
    PairKind("role", 0.45, _ROLE, (0.08, 0.12, 0.00, 0.04)),
    PairKind("relation", 0.45, change.change_relation, (0.06, 0.08, 0.00, 0.03)),
    PairKind("role and detail", 0.45, _all(_DETAIL, _ROLE), (0.07, 0.13, 0.00, 0.02)),
    PairKind("swap", 0.50, change.swap_roles, (0.01, 0.01, 0.00, 0.01)),
    PairKind("negation", 0.50, change.negate, (0.02, 0.02, 0.00, 0.02)),
    PairKind("agent", 0.50, change.same_agent, (0.07, 0.07, 0.00, 0.02)),
    PairKind("topic", 0.40, change.same_topic, (0.06, 0.10, 0.00, 0.03)),
    PairKind("other", 0.40, change.other_event, (0.03, 0.06, 0.00, 0.01)),
    PairKind("foreign", 0.40, change.foreign_event, (0.05, 0.06, 0.00, 0.02)),
)
KEEP_SPREAD = 0.1  # standard deviation around a kind's `keep`
MOST_KEPT = 0.98  # so that two sentences that say the same differ after a few attempts


def kind_at(kinds: Sequence[PairKind], quantile: float, mix: int = 0) -> PairKind:
    """Return the kind at a quantile of their shares."""
    at = int(np.searchsorted(np.cumsum([kind.shares[mix] for kind in kinds]), quantile))
    return kinds[min(at, len(kinds) - 1)]  # shares may add up to a little less than 1


def kept(keep: float, quantile: float) -> float:
    """Return the chance to keep a choice of the first wording, at a quantile of its normal distribution."""
    return min(max(NormalDist(keep, KEEP_SPREAD).inv_cdf(quantile), 0.0), MOST_KEPT)


def quota(start: np.ndarray, number: int) -> tuple[float, ...]:
    """Return three numbers in (0, 1) that fill it evenly as `number` grows, however many there are.

    M. Roberts, The unreasonable effectiveness of quasirandom sequences (2018): additive recurrence by
    powers of the root of x^4 = x + 1.
    """
    root = 1.2207440846057596
    steps = root ** -np.arange(1.0, 4.0)
    return tuple(np.clip((start + number * steps) % 1, 1e-6, 1 - 1e-6).tolist())


@dataclass(frozen=True)
class Pair:
    """Two sentences as space-separated cased tokens, what they say, and how the pair was made."""

    first: str
    second: str
    meanings: tuple[Meaning, Meaning]
    kind: str

    @property
    def similarity(self) -> float:
        """The shared meaning without annotator noise, in [0, 1]."""
        return similarity(*self.meanings)


class PairMaker:
    """Makes the pairs of one world.

    Parameters
    ----------
    world : MadeWorld
    seed : int
    taken : set of str
        Normalised sentences (`normalised`) that no pair may contain; grows by every pair made.
    styled : callable
        Makes space-separated tokens of a style, a meaning and a wording: the language of the pairs.
    """

    def __init__(self, world: MadeWorld, seed: int, taken: set[str], styled: Styled = styled) -> None:
        self.world = world
        self.seed = seed
        self.taken = taken
        self.styled = styled
        self._seen = [fact for fact in world.facts if _domains(fact) <= SEEN]

    def pair(self, name: str, number: int, look: Look) -> Pair:
        """Make pair `number` of the set `name`; both its sentences are new.

        Kinds, pairs of two facts and nearness of wording come in even shares, so that chance does not
        decide what the sentences of a small set are like.
        """
        shares = quota(generator("mini", self.seed, name, "quota").random(3), number)
        for attempt in range(100):
            rng = generator("mini", self.seed, name, number, attempt)
            made = self._attempt(rng, look, *shares)
            ends = {normalised(made.first), normalised(made.second)}
            if len(ends) == 2 and not ends & self.taken:
                self.taken |= ends
                return made
        raise AssertionError(f"100 attempts gave no new pair for {name} {number}")

    def _attempt(
        self, rng: np.random.Generator, look: Look, at_kind: float, at_keep: float, at_two: float
    ) -> Pair:
        kind = kind_at(PAIR_KINDS, at_kind, MIXES.index(look.mix))
        fact = self._fact(rng, look)
        second: Meaning = (self._changed(rng, look, kind, fact),)
        first: Meaning = (fact,)
        if at_two < look.two_facts:
            beside = self._fact(rng, look)
            first = (fact, beside)
            second += () if look.uneven else (self._beside(rng, look, beside, kind.name),)
        wording = Wording(rng)
        keep = kept(look.level + look.slope * (kind.keep - MEAN_KEPT), at_keep)
        texts = [
            self.styled(look.style, first, wording),
            self.styled(look.style, second, Wording(rng, wording, keep)),
        ]
        meanings = [first, second]
        if chance(rng, 0.5):  # neither side is always the changed one
            texts.reverse()
            meanings.reverse()
        return Pair(texts[0], texts[1], (meanings[0], meanings[1]), kind.name)

    def _fact(self, rng: np.random.Generator, look: Look) -> Fact:
        """Draw a fact, with the names and details that sentences of that look have."""
        if look.style in ("caption", "description"):
            fact = change.unnamed(choice(rng, self._seen))
        else:
            fact = choice(rng, self.world.facts)
        if not chance(rng, look.details):
            fact = change.unadorned(fact)
        return change.with_fewer_details(rng, fact, look.details)

    def _changed(self, rng: np.random.Generator, look: Look, kind: PairKind, fact: Fact) -> Fact:
        if kind.name == "foreign":
            return self._fact(rng, look)
        return kind.change(rng, fact) if kind.change else fact

    def _beside(self, rng: np.random.Generator, look: Look, beside: Fact, kind: str) -> Fact:
        """Return the second sentence's second fact: mostly the same, so that long pairs share much too."""
        if kind in ("topic", "other", "foreign"):
            return self._fact(rng, look)
        return beside if chance(rng, 0.7) else change.change_detail(rng, beside)


def _domains(fact: Fact) -> set[str]:
    return {nouns()[entity.concept].domain for entity in (fact.agent, fact.patient)}


def normalised(sentence: str) -> str:
    """Return a form in which two sentences are equal if they differ in case, spaces and marks only."""
    return "".join(letter for letter in sentence.casefold() if letter.isalnum())


def vote(rng: np.random.Generator, similarity_: float, annotators: int, low: int) -> float:
    """Return the mean of whole-number votes on the scale `low`..5 for a similarity in [0, 1]."""
    votes = low + (5 - low) * similarity_ + rng.normal(0, ANNOTATOR_SPREAD, annotators)
    return float(np.clip(np.rint(votes), low, 5).mean())


def entailment(pair: Pair) -> str:
    """Return SICK's label for a pair of one-fact sentences, read from the first to the second."""
    first, second = pair.meanings[0][0], pair.meanings[1][0]
    same_event = fact_similarity(change.plain(first), change.plain(second))
    if first.happened != second.happened and same_event > 0.25:
        return "CONTRADICTION"
    if relations()[first.relation].opposite == second.relation and first.agent == second.agent:
        return "CONTRADICTION"
    added = any(getattr(second, field) not in ("", getattr(first, field)) for field in change.DETAIL_FACTORS)
    return "ENTAILMENT" if same_event > 0.9 and not added else "NEUTRAL"
