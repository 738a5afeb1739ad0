"""Inference in the mini world's words: what follows from a premise, what may be, and what cannot be true.

Facts decide, as for the scored pairs: an entailment tells the event with the same or fewer details, a
contradiction denies it or tells another one in its place, as the annotators of SNLI were asked to.  What may
be true beside a premise tells the event with a detail that the premise leaves open.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import facts as change
from contrapose_mini.articles import TENSES, TWO_FACTS_RATE
from contrapose_mini.benchmarks import PairMaker, normalised
from contrapose_mini.concepts import adjuncts, nouns
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import DETAIL_FACTORS, Fact, MadeWorld, Meaning
from contrapose_mini.wording import Tense, Wording, prose_tokens, tidied, untokenised

# Ours: half of the contradictions are denials.
CONTRADICTIONS = (change.negate, change.negate, change.change_relation, change.change_role)
KEPT_DETAIL = 0.5  # chance that a hypothesis keeps a place, time or manner of the premise


LABELS = ("entailment", "neutral", "contradiction")
TWO_CAPTIONS = 0.2  # ours; premises of inference pairs that tell of two things


@dataclass(frozen=True)
class Inference:
    """A premise and a hypothesis as space-separated tokens, one of `LABELS`, and what the two say."""

    premise: str
    hypothesis: str
    label: str
    meanings: tuple[Meaning, Meaning]


@dataclass(frozen=True)
class MadeTriplet:
    """Three sentences of prose, and what they say in the same order."""

    premise: str
    entailment: str
    contradiction: str
    meanings: tuple[Meaning, Meaning, Meaning]


def made_triplets(world: MadeWorld, seed: int, count: int, taken: set[str]) -> Iterator[MadeTriplet]:
    """Yield `count` triplets of sentences that stand nowhere else.

    Parameters
    ----------
    world : MadeWorld
    seed : int
    count : int
    taken : set of str
        Normalised sentences that no triplet may contain; grows by every triplet made.
    """
    for number in range(count):
        for attempt in range(100):
            made = _made(generator("mini", seed, "NLI", number, attempt), world)
            texts = {normalised(text) for text in (made.premise, made.entailment, made.contradiction)}
            if len(texts) == 3 and not texts & taken:
                taken |= texts
                yield made
                break
        else:
            raise AssertionError(f"100 attempts gave no new NLI triplet {number}")


def inferences(maker: PairMaker, name: str, style: str, premises: int) -> Iterator[Inference]:
    """Yield three pairs for each premise of the set `name`, one of each label, in any order.

    No hypothesis stands anywhere else.
    """
    for number in range(premises):
        for attempt in range(100):
            made = _inferred(generator("mini", maker.seed, name, number, attempt), maker, style)
            texts = {normalised(each.hypothesis) for each in made} | {normalised(made[0].premise)}
            if len(texts) == 4 and not texts & maker.taken:
                maker.taken |= texts
                yield from made
                break
        else:
            raise AssertionError(f"100 attempts gave no new premise {number} for {name}")


def _inferred(rng: np.random.Generator, maker: PairMaker, style: str) -> list[Inference]:
    fact = change.unnamed(choice(rng, maker.world.facts))
    beside = (change.unnamed(choice(rng, maker.world.facts)),) * chance(rng, TWO_CAPTIONS)
    premise: Meaning = (fact, *beside)
    denied = change.unnamed(choice(rng, CONTRADICTIONS)(rng, fact))
    hypotheses = (
        change.with_fewer_details(rng, fact, KEPT_DETAIL),
        _with_new_detail(rng, fact),
        change.with_fewer_details(rng, denied, KEPT_DETAIL),
    )
    wording = Wording(rng)
    text = maker.styled(style, premise, wording)
    keep = float(rng.random())  # of all three, as for triplets
    made = [
        Inference(text, maker.styled(style, (said,), Wording(rng, wording, keep)), label, (premise, (said,)))
        for label, said in zip(LABELS, hypotheses, strict=True)
    ]
    return [made[at] for at in rng.permutation(len(made))]


def _with_new_detail(rng: np.random.Generator, fact: Fact) -> Fact:
    """Add a place, time, manner or attribute where the fact has none; where it has all, another manner."""
    unsaid = [field for field in DETAIL_FACTORS if not getattr(fact, field)]
    unsaid += [role for role in ("agent", "patient") if not getattr(fact, role).attribute]
    field = choice(rng, unsaid or ["manner"])
    less = change.with_fewer_details(rng, fact, KEPT_DETAIL)
    if field in DETAIL_FACTORS:
        options = [key for key in adjuncts(field) if key != getattr(fact, field)]
        return change.with_changes(less, **{field: choice(rng, options)})
    entity = getattr(fact, field)
    attributes = tuple(adjuncts("living" if nouns()[entity.concept].living else "thing"))
    return change.with_changes(less, **{field: replace(entity, attribute=choice(rng, attributes))})


def _made(rng: np.random.Generator, world: MadeWorld) -> MadeTriplet:
    # All facts of a world happened: what denies an event says less without its details, not more.
    fact = choice(rng, world.facts)
    premise: Meaning = (fact, choice(rng, world.facts)) if chance(rng, TWO_FACTS_RATE) else (fact,)
    contradicted = choice(rng, CONTRADICTIONS)(rng, fact)
    one, other = (change.with_fewer_details(rng, each, KEPT_DETAIL) for each in (fact, contradicted))
    meanings = premise, (one,), (other,)
    tense = choice(rng, TENSES)
    wording = Wording(rng)
    text = _prose(premise, wording, tense)
    # Both hypotheses keep as many of the premise's words, so that words do not tell them apart.
    keep = float(rng.random())
    one_text, other_text = (_prose(meaning, Wording(rng, wording, keep), tense) for meaning in meanings[1:])
    return MadeTriplet(text, one_text, other_text, meanings)


def _prose(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    return untokenised(tidied(prose_tokens(meaning, wording, tense)))
