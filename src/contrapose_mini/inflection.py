"""Regular English forms of verbs and nouns; what is irregular, the lexicons say."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """The five forms of a verb (a particle or preposition included)."""

    base: str
    past: str
    participle: str
    gerund: str
    third: str


def verb_from(text: str, doubling: Collection[str]) -> Verb:
    """Inflect `base` or `base/past/participle`, where `_` joins a verb with its particle.

    `doubling` are the verbs that double their last letter before -ed and -ing.
    """
    base, *irregular = text.split("/")
    head, _, particle = base.partition("_")
    tail = f" {particle.replace('_', ' ')}" if particle else ""
    past, participle = irregular or (_regular_past(head, doubling) + tail,) * 2
    return Verb(
        head + tail,
        past.replace("_", " "),
        participle.replace("_", " "),
        _gerund(head, doubling) + tail,
        _third(head) + tail,
    )


def _regular_past(head: str, doubling: Collection[str]) -> str:
    if head.endswith("e"):
        return head + "d"
    if re.search(r"[^aeiou]y$", head):
        return head[:-1] + "ied"
    return head + (head[-1] if head in doubling else "") + "ed"


def _gerund(head: str, doubling: Collection[str]) -> str:
    if head.endswith("e") and not head.endswith("ee"):
        return head[:-1] + "ing"
    return head + (head[-1] if head in doubling else "") + "ing"


def _third(head: str) -> str:
    if re.search(r"[^aeiou]y$", head):
        return head[:-1] + "ies"
    if head == "go" or re.search(r"(s|sh|ch|x|z)$", head):
        return head + "es"
    return head + "s"


def plural_of(form: str, irregular: Mapping[str, str]) -> str:
    """Return the plural of a noun form such as `soccer player`."""
    if form in irregular:
        return irregular[form]
    first, _, last = form.rpartition(" ")
    last = irregular.get(last) or _third(last)
    return f"{first} {last}".strip()
