"""NLI triples in the mini world's words: what follows from a premise, and what cannot be true beside it.

Facts decide, as for the scored pairs: an entailment tells the event with the same or fewer details, a
contradiction denies it or tells another one in its place, as the annotators of SNLI were asked to.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from contrapose.retrieve.mini import facts as change
from contrapose.retrieve.mini.articles import TENSES, TWO_FACTS_RATE
from contrapose.retrieve.mini.benchmarks import normalised
from contrapose.retrieve.mini.facts import DETAIL_FACTORS, Fact, Meaning, World, chance, choice
from contrapose.retrieve.mini.wording import Tense, Wording, prose_tokens, tidied, untokenised
from contrapose.seeds import generator

# Ours: half of the contradictions are denials.
CONTRADICTIONS = (change.negate, change.negate, change.change_relation, change.change_role)
KEPT_DETAIL = 0.5  # chance that a hypothesis keeps a place, time or manner of the premise


@dataclass(frozen=True)
class Triple:
    """Three sentences of prose, and what they say in the same order."""

    premise: str
    entailment: str
    contradiction: str
    meanings: tuple[Meaning, Meaning, Meaning]


def made_triples(world: World, seed: int, count: int, taken: set[str]) -> Iterator[Triple]:
    """Yield `count` triples of sentences that stand nowhere else.

    Parameters
    ----------
    world : World
    seed : int
    count : int
    taken : set of str
        Normalised sentences that no triple may contain; grows by every triple made.
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
            raise AssertionError(f"100 attempts gave no new NLI triple {number}")


def _made(rng: np.random.Generator, world: World) -> Triple:
    # All facts of a world happened: what denies an event says less without its details, not more.
    fact = choice(rng, world.facts)
    premise: Meaning = (fact, choice(rng, world.facts)) if chance(rng, TWO_FACTS_RATE) else (fact,)
    contradicted = choice(rng, CONTRADICTIONS)(rng, fact)
    meanings = premise, (_with_fewer_details(rng, fact),), (_with_fewer_details(rng, contradicted),)
    tense = choice(rng, TENSES)
    wording = Wording(rng)
    text = _prose(premise, wording, tense)
    # Both hypotheses keep as many of the premise's words, so that words do not tell them apart.
    keep = float(rng.random())
    one, other = (_prose(meaning, Wording(rng, wording, keep), tense) for meaning in meanings[1:])
    return Triple(text, one, other, meanings)


def _with_fewer_details(rng: np.random.Generator, fact: Fact) -> Fact:
    dropped = {field: "" for field in DETAIL_FACTORS if not chance(rng, KEPT_DETAIL)}
    return change.with_changes(fact, **dropped)


def _prose(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    return untokenised(tidied(prose_tokens(meaning, wording, tense)))
