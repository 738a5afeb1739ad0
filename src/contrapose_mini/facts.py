"""Facts, what two of them share, and the small changes that make related facts.

Meaning is this module alone: no word of a sentence is looked at when its similarity to another is computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import lexicon
from contrapose_mini.concepts import (
    adjuncts,
    members,
    noun_similarity,
    nouns,
    relation_similarity,
    relations,
)
from contrapose_mini.draws import chance, choice

# What a differing detail leaves of the similarity: (both have one and they differ, only one has it).
# Chosen so that one detail costs about a point of five and a left-out one about half a point, as the
# annotation guide of SemEval STS words its grades 4 ("unimportant details") and 3 ("important information").
DETAIL_FACTORS = {"place": (0.78, 0.92), "time": (0.82, 0.92), "manner": (0.85, 0.94)}
ENTITY_FACTORS = {"person": (0.6, 0.9), "attribute": (0.8, 0.92)}
COUNT_FACTOR = 0.85
NEGATION_FACTOR = 0.35  # one says it happened, the other that it did not: the topic is all they share
ROLE_SWAP_FACTOR = 0.4  # the same event with the roles exchanged


@dataclass(frozen=True)
class Entity:
    """Somebody or something.

    `attribute` and `person` (a surname) may be ""; `count` is one of `lexicon.COUNT_FORMS`, 9 is many.
    """

    concept: str
    attribute: str = ""
    count: int = 1
    person: str = ""


@dataclass(frozen=True)
class Fact:
    """Who does what to whom, where, when and how; `happened` is False in a negated one."""

    relation: str
    agent: Entity
    patient: Entity
    place: str = ""
    time: str = ""
    manner: str = ""
    happened: bool = True


Meaning = tuple[Fact, ...]  # what a sentence says: one fact or two


def _detail(one: str, other: str, factors: tuple[float, float]) -> float:
    if one == other:
        return 1.0
    return factors[0] if one and other else factors[1]


def entity_similarity(one: Entity, other: Entity) -> float:
    """Return the shared meaning of two entities, in [0, 1]."""
    value = noun_similarity(one.concept, other.concept)
    for field, factors in ENTITY_FACTORS.items():
        value *= _detail(getattr(one, field), getattr(other, field), factors)
    return value * (1.0 if one.count == other.count else COUNT_FACTOR)


def _core_similarity(one: Fact, other: Fact) -> float:
    parts = (
        relation_similarity(one.relation, other.relation),
        entity_similarity(one.agent, other.agent),
        entity_similarity(one.patient, other.patient),
    )
    # The mean says how much is shared; the minimum says that one foreign part makes another event of it.
    return sum(parts) / 3 * (0.5 + 0.5 * min(parts))


def fact_similarity(one: Fact, other: Fact) -> float:
    """Return the shared meaning of two facts, in [0, 1]; symmetric, 1 for equal facts."""
    swapped = replace(other, agent=other.patient, patient=other.agent)
    both_symmetric = relations()[one.relation].symmetric and relations()[other.relation].symmetric
    swap_factor = 1.0 if both_symmetric else ROLE_SWAP_FACTOR
    value = max(_core_similarity(one, other), swap_factor * _core_similarity(one, swapped))
    for field, factors in DETAIL_FACTORS.items():
        value *= _detail(getattr(one, field), getattr(other, field), factors)
    return value if one.happened == other.happened else value * NEGATION_FACTOR


def similarity(one: Meaning, other: Meaning) -> float:
    """Return the shared meaning of two sentences, in [0, 1].

    Each fact looks for its best partner in the other sentence; the two directions are averaged, so
    what only one sentence says counts against the pair.
    """
    forward = np.mean([max(fact_similarity(a, b) for b in other) for a in one])
    backward = np.mean([max(fact_similarity(a, b) for b in one) for a in other])
    return float(forward + backward) / 2


class MadeWorld:
    """A pool of facts that articles and benchmarks share; a function of `seed` and `size` alone.

    Parameters
    ----------
    seed : int
        Another seed gives other facts about the same concepts in the same words.
    size : int
        Number of facts, each about 250 bytes.
    """

    def __init__(self, seed: int, size: int) -> None:
        rng = generator("mini", seed, "facts")
        self.facts = tuple(draw_fact(rng) for _ in range(size))
        self.by_domain: dict[str, list[Fact]] = {}
        for fact in self.facts:
            for domain in {nouns()[fact.agent.concept].domain, nouns()[fact.patient.concept].domain}:
                self.by_domain.setdefault(domain, []).append(fact)


PREFERENCE_SPREAD = (
    1.2  # log standard deviation; the preferred of ten options is taken about every third time
)


@lru_cache(maxsize=100_000)
def _preference(context: str, option: str) -> int:
    """Return a fixed weight in thousandths, the same in every world: who does what, where, and to whom.

    Without preferences a doctor would be no different from a nurse, and a word's company would teach nothing.
    """
    spread = PREFERENCE_SPREAD * generator("mini", "preference", context, option).standard_normal()
    return 1 + round(1000 * math.exp(spread))  # whole, so that a last digit of exp decides nothing


def _preferred(rng: np.random.Generator, options: Sequence[str], *contexts: str) -> str:
    weights = [math.prod(_preference(context, option) for context in contexts) for option in options]
    at = int(rng.integers(sum(weights)))
    for option, weight in zip(options, weights, strict=True):
        at -= weight
        if at < 0:
            return option
    raise AssertionError("weights are positive")


def draw_entity(
    rng: np.random.Generator, categories: Sequence[str], named: float = 0.0, contexts: Sequence[str] = ()
) -> Entity:
    """Draw an entity of one of the categories.

    With probability `named` a single person has a name.  `contexts` are what the concept is preferred by,
    such as a relation and a role in it.
    """
    concepts = [name for category in categories for name in members(category)]
    concept = _preferred(rng, concepts, *contexts) if contexts else choice(rng, concepts)
    living = nouns()[concept].living
    attributes = tuple(adjuncts("living" if living else "thing"))
    attribute = _preferred(rng, attributes, concept) if chance(rng, 0.3) else ""
    if living and not concept_is_animal(concept) and chance(rng, named):
        return Entity(concept, attribute, person=choice(rng, lexicon.SURNAMES))
    count = choice(rng, tuple(lexicon.COUNT_FORMS)) if chance(rng, 0.2) else 1
    return Entity(concept, attribute, count)


def concept_is_animal(concept: str) -> bool:
    """Return whether a living concept is no person."""
    return nouns()[concept].category in ("farm.animal", "animals.pet", "animals.predator", "music.audience")


def draw_fact(rng: np.random.Generator, named: float = 0.25) -> Fact:
    """Draw a fact: a relation, fitting roles, and each detail with its own probability."""
    relation = choice(rng, tuple(relations().values()))
    agent = draw_entity(rng, relation.agents, named, [f"{relation.name} agent"])
    contexts = [f"{relation.name} patient", f"patient of {agent.concept}"]
    patient = draw_entity(rng, relation.patients, named / 3, contexts)
    while patient.concept == agent.concept:
        patient = draw_entity(rng, relation.patients)
    return Fact(
        relation.name,
        agent,
        patient,
        place=_preferred(rng, tuple(adjuncts("place")), relation.name) if chance(rng, 0.6) else "",
        time=_preferred(rng, tuple(adjuncts("time")), relation.name) if chance(rng, 0.5) else "",
        manner=_preferred(rng, tuple(adjuncts("manner")), relation.name) if chance(rng, 0.25) else "",
    )


def with_changes(fact: Fact, **changes: Any) -> Fact:
    """Return the fact with some of its fields exchanged."""
    return replace(fact, **changes)


def plain(fact: Fact) -> Fact:
    """Return the fact without place, time and manner."""
    return replace(fact, place="", time="", manner="")


def with_fewer_details(rng: np.random.Generator, fact: Fact, kept: float) -> Fact:
    """Return the fact with each of its place, time and manner kept with the chance `kept`."""
    return with_changes(fact, **{field: "" for field in DETAIL_FACTORS if not chance(rng, kept)})


# Ways to make a related fact.  Each returns a fact that differs from its source.


def change_detail(rng: np.random.Generator, fact: Fact) -> Fact:
    """Add, drop or exchange one detail of the event or of one of the two entities."""
    field = choice(rng, ("place", "time", "manner", "attribute", "attribute", "count", "count"))
    if field in DETAIL_FACTORS:
        now = getattr(fact, field)
        options = [key for key in adjuncts(field) if key != now]
        return with_changes(fact, **{field: "" if now and chance(rng, 0.5) else choice(rng, options)})
    role = choice(rng, ("agent", "patient"))
    entity: Entity = getattr(fact, role)
    if field == "count" and not entity.person:
        other = choice(rng, [count for count in lexicon.COUNT_FORMS if count != entity.count])
        return with_changes(fact, **{role: replace(entity, count=other)})
    kind = "living" if nouns()[entity.concept].living else "thing"
    options = [key for key in adjuncts(kind) if key != entity.attribute]
    attribute = "" if entity.attribute and chance(rng, 0.5) else choice(rng, options)
    return with_changes(fact, **{role: replace(entity, attribute=attribute)})


def change_kind(rng: np.random.Generator, fact: Fact) -> Fact:
    """Exchange one entity for another kind of its category (a sibling, or the general concept)."""
    role = choice(rng, ("agent", "patient"))
    entity: Entity = getattr(fact, role)
    options = [name for name in members(nouns()[entity.concept].category) if name != entity.concept]
    if not options:
        return change_role(rng, fact)
    return with_changes(fact, **{role: replace(entity, concept=choice(rng, options))})


def change_role(rng: np.random.Generator, fact: Fact) -> Fact:
    """Exchange one entity for one of another category that can fill the same role."""
    role = choice(rng, ("agent", "patient"))
    entity: Entity = getattr(fact, role)
    categories = getattr(relations()[fact.relation], f"{role}s")
    other = draw_entity(rng, categories)
    while other.concept == entity.concept:
        other = draw_entity(
            rng, [noun.category for noun in nouns().values() if noun.living == _living(entity)]
        )
    kept = entity.attribute if _living(entity) == _living(other) else ""
    return with_changes(fact, **{role: replace(other, attribute=kept, count=entity.count)})


def _living(entity: Entity) -> bool:
    return nouns()[entity.concept].living


def change_relation(rng: np.random.Generator, fact: Fact) -> Fact:
    """Exchange the event for its opposite, or for another one that takes such roles."""
    relation = relations()[fact.relation]
    if relation.opposite and chance(rng, 0.6):
        return replace(fact, relation=relation.opposite)
    patient = nouns()[fact.patient.concept].category
    options = [r.name for r in relations().values() if patient in r.patients and r.name != fact.relation]
    return replace(fact, relation=choice(rng, options)) if options else change_role(rng, fact)


def swap_roles(rng: np.random.Generator, fact: Fact) -> Fact:
    """Exchange agent and patient; where the patient is a thing, exchange one of the entities instead."""
    if not _living(fact.patient) or relations()[fact.relation].symmetric:
        return change_role(rng, fact)
    return replace(fact, agent=fact.patient, patient=fact.agent)


def negate(rng: np.random.Generator, fact: Fact) -> Fact:
    """Return the fact that it did not happen."""
    return replace(fact, happened=not fact.happened)


def same_topic(rng: np.random.Generator, fact: Fact) -> Fact:
    """Draw another event of the same domain, at the same place and time."""
    domain = nouns()[fact.agent.concept].domain
    options = [r for r in relations().values() if any(a.startswith(domain + ".") for a in r.agents)]
    relation = choice(rng, [r for r in options if r.name != fact.relation] or options)
    agent = draw_entity(rng, [a for a in relation.agents if a.startswith(domain + ".")])
    return replace(fact, relation=relation.name, agent=agent, patient=draw_entity(rng, relation.patients))


def same_agent(rng: np.random.Generator, fact: Fact) -> Fact:
    """Draw another event that the same agent brings about at the same place and time."""
    category = nouns()[fact.agent.concept].category
    options = [r for r in relations().values() if category in r.agents and r.name != fact.relation]
    if not options:
        return other_event(rng, fact)
    relation = choice(rng, options)
    return replace(fact, relation=relation.name, patient=draw_entity(rng, relation.patients))


def other_event(rng: np.random.Generator, fact: Fact) -> Fact:
    """Draw a foreign event that happens at the same place and time, in the same manner."""
    return replace(draw_fact(rng), place=fact.place, time=fact.time, manner=fact.manner)


def foreign_event(rng: np.random.Generator, fact: Fact) -> Fact:
    """Draw an event that has nothing to do with the fact."""
    return draw_fact(rng)


def unadorned(fact: Fact) -> Fact:
    """Return the fact without attributes and numbers."""
    agent, patient = (replace(entity, attribute="", count=1) for entity in (fact.agent, fact.patient))
    return replace(fact, agent=agent, patient=patient)


def unnamed(fact: Fact) -> Fact:
    """Return the fact without personal names, as a caption tells it."""
    return replace(fact, agent=replace(fact.agent, person=""), patient=replace(fact.patient, person=""))
