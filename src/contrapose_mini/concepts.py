"""The closed world's concepts, read from the lexicon: nouns, relations, adjuncts and how near they are."""

from dataclasses import dataclass
from functools import lru_cache

from contrapose_mini import lexicon
from contrapose_mini.inflection import Verb, plural_of, verb_from
from contrapose_mini.words import adjunct_forms, spaced


@dataclass(frozen=True)
class Noun:
    """A kind of thing.

    `category` is `domain.group`; `general` marks the concept that covers its whole category.
    """

    name: str
    category: str
    forms: tuple[str, ...]
    general: bool

    @property
    def domain(self) -> str:
        """The field of life it belongs to, such as `medicine`."""
        return self.category.partition(".")[0]

    @property
    def living(self) -> bool:
        """Whether it is a person or an animal."""
        return self.category not in THING_CATEGORIES


@dataclass(frozen=True)
class Relation:
    """Something an agent does to a patient.

    `verbs` take the agent as subject, `converse_verbs` the patient; `event` is a noun for it or "".
    In a symmetric relation the roles may change places without a change of meaning.
    """

    name: str
    agents: tuple[str, ...]
    patients: tuple[str, ...]
    verbs: tuple[Verb, ...]
    converse_verbs: tuple[Verb, ...]
    event: str
    opposite: str
    family: str
    symmetric: bool


THING_CATEGORIE_WORDS = """
medicine.remedy music.piece kitchen.food school.text sport.event transport.vehicle law.valuable
business.firm politics.measure art.work art.building science.object
"""
THING_CATEGORIES = frozenset(THING_CATEGORIE_WORDS.split())


def plural(form: str) -> str:
    """Return the plural of a noun form such as `soccer player`."""
    return plural_of(form, lexicon.IRREGULAR_PLURALS)


@lru_cache(maxsize=1)
def nouns() -> dict[str, Noun]:
    """Return every noun concept by name."""
    found: dict[str, Noun] = {}
    for line in lexicon.NOUN_LINES.strip().splitlines():
        category, _, entries = line.partition(": ")
        for entry in entries.split("; "):
            name, forms = entry.strip().split(" = ")
            bare = name.lstrip("*")
            found[bare] = Noun(bare, category, tuple(map(spaced, forms.split())), name.startswith("*"))
    return found


@lru_cache(maxsize=1)
def relations() -> dict[str, Relation]:
    """Return every relation by name."""
    found: dict[str, Relation] = {}
    for line in lexicon.RELATION_LINES.strip().splitlines():
        head, _, rest = line.partition(" : ")
        verbs, converse, event, opposite, family = (part.strip() for part in rest.split("|"))
        name, _, roles = head.partition(" @ ")
        agents, _, patients = roles.partition(" > ")
        bare = name.removesuffix("=")
        found[bare] = Relation(
            bare,
            tuple(agents.split()),
            tuple(patients.split()),
            _verbs(verbs),
            _verbs(converse),
            spaced(event),
            opposite,
            family,
            name.endswith("="),
        )
    return found


def _verbs(text: str) -> tuple[Verb, ...]:
    return tuple(verb_from(each, lexicon.DOUBLING) for each in text.split())


@lru_cache(maxsize=8)
def adjuncts(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of every `place`, `time`, `manner`, `living` or `thing` (attributes) by key."""
    found = adjunct_forms(lexicon, kind)
    if kind == "time":
        found |= {
            str(year): (f"in {year}", f"back in {year}", f"in the year {year}") for year in lexicon.YEARS
        }
    return found


@lru_cache(maxsize=64)
def members(category: str) -> tuple[str, ...]:
    """Return the names of the noun concepts of a category."""
    return tuple(noun.name for noun in nouns().values() if noun.category == category)


@lru_cache(maxsize=65536)
def noun_similarity(one: str, other: str) -> float:
    """Return how near two noun concepts are by the taxonomy, in [0, 1].

    1 the same, 0.7 a kind and the general concept above it, 0.4 two kinds in one category,
    0.15 in one domain, 0 otherwise.
    """
    a, b = nouns()[one], nouns()[other]
    if a == b:
        return 1.0
    if a.category == b.category:
        return 0.7 if a.general or b.general else 0.4
    return 0.15 if a.domain == b.domain else 0.0


@lru_cache(maxsize=65536)
def relation_similarity(one: str, other: str) -> float:
    """Return how near two relations are, in [0, 1]: 1 the same, 0.4 in one family, 0.2 opposites, else 0."""
    if one == other:
        return 1.0
    a, b = relations()[one], relations()[other]
    if other == a.opposite or one == b.opposite:
        return 0.2
    return 0.4 if a.family == b.family else 0.0
