"""Scored sentence pairs: SemEval STS 2012 to 2016, STS-B and SICK in the mini world's words.

The gold score of a pair is `facts.similarity` of what its sentences say, seen by a few imagined
annotators.  How alike the two wordings are is drawn apart from it: many sentences that mean the same
share few words, and many that differ in who did it, in what was done or in `not` share nearly all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from contrapose.seeds import generator
from contrapose_mini import facts as change
from contrapose_mini.concepts import relations
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Fact, Meaning, World, fact_similarity, similarity
from contrapose_mini.styles import styled
from contrapose_mini.wording import Wording

Styled = Callable[[str, Meaning, Wording], str]


@dataclass(frozen=True)
class Subset:
    """How one STS subset looks: its style, the share of two-fact sentences, unscored lines per scored one."""

    name: str
    style: str
    two_facts: float = 0.0
    unscored: float = 0.0


# The real subset names.  Styles and lengths follow the real ones' look; shares of unscored lines are
# about half of the real ones', to keep the files small.
YEARS: dict[str, tuple[Subset, ...]] = {
    "STS12-en-test": (
        Subset("MSRpar", "news", 0.7),
        Subset("MSRvid", "caption"),
        Subset("SMTeuroparl", "speech", 0.2),
        Subset("surprise.OnWN", "gloss"),
        Subset("surprise.SMTnews", "news", 0.2),
    ),
    "STS13-en-test": (
        Subset("FNWN", "gloss", 0.8),
        Subset("OnWN", "gloss"),
        Subset("headlines", "headline"),
    ),
    "STS14-en-test": (
        Subset("deft-forum", "forum", 0.1),
        Subset("deft-news", "news", 0.4),
        Subset("headlines", "headline"),
        Subset("images", "description"),
        Subset("OnWN", "gloss"),
        Subset("tweet-news", "tweet"),
    ),
    "STS15-en-test": (
        Subset("answers-forums", "forum", 0.5, unscored=2.0),
        Subset("answers-students", "answer", 0.1, unscored=1.0),
        Subset("belief", "belief", 0.3, unscored=2.0),
        Subset("headlines", "headline", unscored=1.0),
        Subset("images", "description", unscored=1.0),
    ),
    "STS16-en-test": (
        Subset("answer-answer", "forum", 0.2, unscored=2.0),
        Subset("headlines", "headline", unscored=2.0),
        Subset("plagiarism", "news", 0.6, unscored=2.0),
        Subset("postediting", "speech", 0.6, unscored=2.0),
        Subset("question-question", "question", unscored=2.0),
    ),
}

# STS-B's rows come from these (genre, file, year, style, two-fact share), with about the real proportions.
STSB_SOURCES = (
    ("main-captions", "MSRvid", "2012test", "caption", 0.0),
    ("main-captions", "images", "2014", "description", 0.0),
    ("main-news", "headlines", "2013", "headline", 0.0),
    ("main-news", "headlines", "2015", "headline", 0.0),
    ("main-news", "MSRpar", "2012test", "news", 0.6),
    ("main-news", "deft-news", "2014", "news", 0.3),
    ("main-forums", "deft-forum", "2014", "forum", 0.2),
    ("main-forums", "answers-forums", "2015", "forum", 0.4),
)

ANNOTATORS = {"STS": 5, "SICK": 10}  # SemEval asked five people a pair, SICK ten
ANNOTATOR_SPREAD = 0.7  # standard deviation of one vote, in points of the 0-5 scale
QUOTE_RATE = 0.03  # sentences with a lone quotation mark; 4 to 7 % of the real STS-B's rows hold marks


@dataclass(frozen=True)
class PairKind:
    """One way to make a second meaning from a first.

    `near` is the chance that the second wording keeps close to the first one's.
    """

    name: str
    share: float
    near: float
    change: Callable[[np.random.Generator, Fact], Fact] | None


# Ours: set once so that all grades occur and shared words alone rank the pairs with a Spearman of about 0.35.
PAIR_KINDS = (
    PairKind("same", 0.28, 0.55, None),
    PairKind("detail", 0.18, 0.55, change.change_detail),
    PairKind("kind", 0.10, 0.50, change.change_kind),
    PairKind("role", 0.05, 0.45, change.change_role),
    PairKind("relation", 0.05, 0.45, change.change_relation),
    PairKind("swap", 0.04, 0.50, change.swap_roles),
    PairKind("negation", 0.05, 0.50, change.negate),
    PairKind("topic", 0.09, 0.20, change.same_topic),
    PairKind("other", 0.04, 0.20, change.other_event),
    PairKind("foreign", 0.12, 0.20, change.foreign_event),
)
# The chance to keep one choice of the first wording is drawn from one of these ranges.
KEEP_NEAR, KEEP_FAR = (0.7, 1.0), (0.0, 0.4)


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
    world : World
    seed : int
    taken : set of str
        Normalised sentences (`normalised`) that no pair may contain; grows by every pair made.
    styled : callable
        Makes space-separated tokens of a style, a meaning and a wording: the language of the pairs.
    """

    def __init__(self, world: World, seed: int, taken: set[str], styled: Styled = styled) -> None:
        self.world = world
        self.seed = seed
        self.taken = taken
        self.styled = styled

    def pair(self, name: str, number: int, style: str, two_facts: float) -> Pair:
        """Make pair `number` of the set `name`; both its sentences are new."""
        for attempt in range(100):
            rng = generator("mini", self.seed, name, number, attempt)
            made = self._attempt(rng, style, two_facts)
            ends = {normalised(made.first), normalised(made.second)}
            if len(ends) == 2 and not ends & self.taken:
                self.taken |= ends
                return made
        raise AssertionError(f"100 attempts gave no new pair for {name} {number}")

    def _attempt(self, rng: np.random.Generator, style: str, two_facts: float) -> Pair:
        kind = PAIR_KINDS[int(rng.choice(len(PAIR_KINDS), p=[kind.share for kind in PAIR_KINDS]))]
        fact = choice(rng, self.world.facts)
        if style in ("caption", "description"):
            fact = change.unnamed(fact)
        changed = kind.change(rng, fact) if kind.change else fact
        first: Meaning = (fact,)
        second: Meaning = (changed,)
        if chance(rng, two_facts):
            beside = choice(rng, self.world.facts)
            first = (fact, beside)
            second = (changed, self._beside(rng, beside, kind.name))
        wording = Wording(rng)
        keep = float(rng.uniform(*(KEEP_NEAR if chance(rng, kind.near) else KEEP_FAR)))
        texts = [self.styled(style, first, wording), self.styled(style, second, Wording(rng, wording, keep))]
        meanings = [first, second]
        if chance(rng, 0.5):  # neither side is always the changed one
            texts.reverse()
            meanings.reverse()
        return Pair(texts[0], texts[1], (meanings[0], meanings[1]), kind.name)

    def _beside(self, rng: np.random.Generator, beside: Fact, kind: str) -> Fact:
        """Return the second sentence's second fact: mostly the same, so that long pairs share much too."""
        if kind in ("topic", "other", "foreign"):
            return change.foreign_event(rng, beside)
        return beside if chance(rng, 0.7) else change.change_detail(rng, beside)


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
