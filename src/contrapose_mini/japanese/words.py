"""The Japanese lexicon as tables by concept, and the conjugation of its verbs; words stand apart."""

from dataclasses import dataclass
from functools import lru_cache

from contrapose_mini.japanese import lexicon
from contrapose_mini.lexicon import YEARS
from contrapose_mini.words import (
    NounWords,
    adjunct_forms,
    counted_nouns,
    entries,
    pairs,
    spaced,
)

# Row of a five-step verb: endings before ない, before ます and before た, and whether た is voiced.
FIVE_STEPS = {
    "カ": ("か", "き", "い", False),
    "ガ": ("が", "ぎ", "い", True),
    "サ": ("さ", "し", "し", False),
    "バ": ("ば", "び", "ん", True),
    "マ": ("ま", "み", "ん", True),
    "ラ": ("ら", "り", "っ", False),
    "ワ": ("わ", "い", "っ", False),
}


@dataclass(frozen=True)
class JapaneseVerb:
    """A verb's stems before ない, ます, た and the れ of the passive; `particle` marks its object."""

    particle: str
    negative: str
    polite: str
    perfect: str
    passive: str
    voiced: bool = False

    def passivised(self) -> "JapaneseVerb":
        """Return the passive, a one-step verb."""
        return JapaneseVerb("", *(self.passive,) * 4)

    def past(self, happened: bool, polite: bool) -> str:
        """Return a past form, such as `書い た` or `書き ませ ん でし た`."""
        if not happened:
            return f"{self.polite} ませ ん でし た" if polite else f"{self.negative} なかっ た"
        return f"{self.polite} まし た" if polite else f"{self.perfect} {'だ' if self.voiced else 'た'}"

    def progressive(self, happened: bool, polite: bool) -> str:
        """Return what is being done, such as `書い て いる`, or not."""
        end = ("ます", "ませ ん") if polite else ("る", "ない")
        link = "で" if self.voiced else "て"
        tail = end[0] if happened else end[1]
        return f"{self.perfect} {link} " + ("いる" if tail == "る" else f"い {tail}")


@dataclass(frozen=True)
class JapaneseRelation:
    """The verbs of a relation, those with exchanged roles, and a noun for it or ""."""

    verbs: tuple[JapaneseVerb, ...]
    converse: tuple[JapaneseVerb, ...]
    event: str


def verb_from(text: str) -> JapaneseVerb:
    """Return a verb from `stem/row` or `particle:stem/row` (japanese/lexicon.py)."""
    particle, _, rest = text.rpartition(":")
    stem, _, row = spaced(rest).partition("/")
    particle = particle or "を"
    if row == "する":
        return JapaneseVerb(particle, f"{stem} し", f"{stem} し", f"{stem} し", f"{stem} さ れ")
    if row == "る":
        return JapaneseVerb(particle, stem, stem, stem, f"{stem} られ")
    negative, polite, perfect, voiced = FIVE_STEPS[row]
    return JapaneseVerb(
        particle, stem + negative, stem + polite, stem + perfect, f"{stem}{negative} れ", voiced
    )


@lru_cache(maxsize=1)
def noun_words() -> dict[str, NounWords]:
    """Return the words of every noun concept."""
    return counted_nouns(lexicon.NOUN_LINES)


@lru_cache(maxsize=1)
def relation_words() -> dict[str, JapaneseRelation]:
    """Return the words of every relation."""
    found = {}
    for relation, words in entries(lexicon.RELATION_LINES, " : "):
        verbs, converse, event = (part.split() for part in words.split("|"))
        found[relation] = JapaneseRelation(
            tuple(map(verb_from, verbs)), tuple(map(verb_from, converse)), spaced("".join(event))
        )
    return found


@lru_cache(maxsize=8)
def adjunct_words(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of every `place`, `time`, `manner`, `living` or `thing` (attributes) by key."""
    years = {str(year): _year(str(year)) for year in YEARS} if kind == "time" else {}
    return adjunct_forms(lexicon, kind) | years


def _year(digits: str) -> tuple[str, ...]:
    return f"{digits} 年 に", f"西暦 {digits} 年 に"


@lru_cache(maxsize=1)
def surname_words() -> dict[str, str]:
    """Return the Japanese spelling of every surname."""
    return dict(pairs(lexicon.SURNAME_WORDS))
