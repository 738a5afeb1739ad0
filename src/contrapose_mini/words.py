"""How the lexicons of all languages are read: `key = form form`, where `_` joins the words of a form."""

from dataclasses import dataclass
from typing import Protocol

KINDS = ("place", "time", "manner", "living", "thing")  # of adjuncts; the last two are attributes


class Adjuncts(Protocol):
    """The lines of a lexicon for what a fact need not have."""

    PLACE_LINES: str
    TIME_LINES: str
    MANNER_LINES: str
    LIVING_ATTRIBUTE_LINES: str
    THING_ATTRIBUTE_LINES: str


@dataclass(frozen=True)
class NounWords:
    """A noun concept's forms, and the word it is counted with."""

    measure: str
    forms: tuple[str, ...]


def spaced(form: str) -> str:
    """Return a lexicon form with its words apart."""
    return form.replace("_", " ")


def entries(lines: str, separator: str = " = ") -> list[tuple[str, str]]:
    """Return what stands before and behind the separator of each line."""
    parts = (line.partition(separator) for line in lines.strip().splitlines())
    return [(key, forms) for key, _, forms in parts]


def pairs(words: str) -> list[tuple[str, str]]:
    """Return both sides of each `one=other`."""
    parts = (word.partition("=") for word in words.split())
    return [(one, other) for one, _, other in parts]


def forms_by_key(lines: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of every key."""
    return {key: tuple(map(spaced, forms.split())) for key, forms in entries(lines)}


def counted_nouns(lines: str) -> dict[str, NounWords]:
    """Return the forms of every noun concept from lines of `concept measure = form form`."""
    found = {}
    for head, forms in forms_by_key(lines).items():
        concept, measure = head.split()
        found[concept] = NounWords(measure, forms)
    return found


def adjunct_forms(lexicon: Adjuncts, kind: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of every adjunct of one of `KINDS` by key, without the years."""
    lines = {
        "place": lexicon.PLACE_LINES,
        "time": lexicon.TIME_LINES,
        "manner": lexicon.MANNER_LINES,
        "living": lexicon.LIVING_ATTRIBUTE_LINES,
        "thing": lexicon.THING_ATTRIBUTE_LINES,
    }[kind]
    return forms_by_key(lines)
