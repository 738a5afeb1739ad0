"""The Chinese lexicon as tables by concept."""

from dataclasses import dataclass
from functools import lru_cache

from contrapose_mini.chinese import lexicon
from contrapose_mini.lexicon import YEARS
from contrapose_mini.words import NounWords, adjunct_forms, counted_nouns, entries, pairs

CHINESE_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")
FULL_WIDTH_DIGITS = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True)
class RelationWords:
    """The words of a relation; in each verb `~` is where the object stands.

    `results` stand with 把 and 被 only; `event` is a noun or "".
    """

    verbs: tuple[str, ...]
    converse: tuple[str, ...]
    event: str
    results: tuple[str, ...]


@lru_cache(maxsize=1)
def noun_words() -> dict[str, NounWords]:
    """Return the words of every noun concept."""
    return counted_nouns(lexicon.NOUN_LINES)


@lru_cache(maxsize=1)
def relation_words() -> dict[str, RelationWords]:
    """Return the words of every relation."""
    found = {}
    for relation, words in entries(lexicon.RELATION_LINES, " : "):
        verbs, converse, event, results = (part.split() for part in words.split("|"))
        found[relation] = RelationWords(
            tuple(map(_with_object, verbs)),
            tuple(map(_with_object, converse)),
            "".join(event),
            tuple(results),
        )
    return found


def _with_object(verb: str) -> str:
    return verb if "~" in verb else f"{verb}~"


@lru_cache(maxsize=8)
def adjunct_words(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of every `place`, `time`, `manner`, `living` or `thing` (attributes) by key."""
    years = {str(year): _year(str(year)) for year in YEARS} if kind == "time" else {}
    return adjunct_forms(lexicon, kind) | years


def _year(digits: str) -> tuple[str, ...]:
    """Write a year with ordinary, full-width and Chinese digits."""
    return tuple(f"{digits.translate(to)}年" for to in ({}, FULL_WIDTH_DIGITS, CHINESE_DIGITS))


@lru_cache(maxsize=1)
def surname_words() -> dict[str, tuple[str, ...]]:
    """Return every surname in Latin letters and in Chinese characters."""
    return {name: (name, chinese) for name, chinese in pairs(lexicon.SURNAME_WORDS)}
