"""The language model's lexicon, read: which words a text has, as what, and what may stand in their place."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from contrapose_mini.draws import chance, choice
from contrapose_mini.inflection import Verb, plural_of, verb_from
from contrapose_mini.loopback import synonyms

# A word may end in the point of an abbreviation that has one capital, or is a title.
ABBREVIATED = r"(?:(?<=\b[A-Z])|(?<=\bMr)|(?<=\bMrs)|(?<=\b[DS][rt]))\."
TOKEN = re.compile(rf"\s*(?:[^\W_](?:[\w'’–&/-]|\.(?=\w))*(?:{ABBREVIATED})?|\S)")
LONGEST_FORM = 5  # words
DETERMINER_WORDS = """
a an the this these those his her its their my our your each every some any no another
"""
DETERMINERS = frozenset(DETERMINER_WORDS.split())
NUMBER_WORDS = """
one two three four five six seven eight nine ten both many several numerous few all
"""
NUMBERS = frozenset(NUMBER_WORDS.split())
PREPOSITION_WORDS = """
of in on at by for from with without to into onto near beside behind under over along across during after
before since until through throughout within inside outside against among between around as about
"""
PREPOSITIONS = frozenset(PREPOSITION_WORDS.split())
BE, HAVE = {"is", "are", "was", "were", "be", "been", "being"}, {"has", "have", "had"}
TO = {"to", "not", "did", "do", "does", "will", "would", "can", "could", "may", "might", "must", "should"}
SLOTS = ("base", "past", "participle", "gerund", "third")


@dataclass(frozen=True)
class Sense:
    """A form read as one part of speech (`slot` of a verb, or singular, plural) in one group."""

    kind: str
    category: str
    slot: str
    options: tuple[str, ...]  # the other forms of the group
    verb: Verb | None = None


def _groups(lines: str) -> list[tuple[str, list[str]]]:
    parts = (line.partition(": ") for line in lines.strip().splitlines())
    return [(category, group.split()) for category, _, groups in parts for group in groups.split("; ")]


@lru_cache(maxsize=1)
def senses() -> dict[str, list[Sense]]:
    """Return the senses of every form of the lexicon, lower-case."""
    found: dict[str, list[Sense]] = {}

    def add(kind: str, category: str, slot: str, forms: list[str], verbs: list[Verb] | None = None) -> None:
        for at, form in enumerate(forms):
            others = tuple(dict.fromkeys(each for each in forms if each != form))
            sense = Sense(kind, category, slot, others, verbs[at] if verbs else None)
            found.setdefault(form.lower(), []).append(sense)

    for category, group in _groups(synonyms.NOUN_LINES):
        forms = [form.replace("_", " ") for form in group]
        add("noun", category, "singular", forms)
        add("noun", category, "plural", [plural_of(form, synonyms.IRREGULAR_PLURALS) for form in forms])
    for category, group in _groups(synonyms.VERB_LINES):
        verbs = [verb_from(form, synonyms.DOUBLING) for form in group]
        for slot in SLOTS:
            add("verb", category, slot, [getattr(verb, slot) for verb in verbs], verbs)
    for kind, lines in (("adjective", synonyms.ADJECTIVE_LINES), ("adverb", synonyms.ADVERB_LINES)):
        for category, group in _groups(lines):
            add(kind, category, "", [form.replace("_", " ") for form in group])
    return found


@lru_cache(maxsize=1)
def event_nouns() -> dict[str, str]:
    """Return the noun of each verb's event."""
    return dict(pair.split("=") for pair in synonyms.EVENT_NOUNS.split())


def tokens_of(text: str) -> list[str]:
    """Return words and marks, each with the space before it, so that joining them gives the text."""
    return TOKEN.findall(text.strip())


def words_of(tokens: list[str]) -> list[str]:
    """Return tokens in lower case, without space."""
    return [token.strip().lower() for token in tokens]


def found_at(words: list[str], at: int) -> tuple[int, list[Sense]]:
    """Return the length of the longest form of the lexicon that begins at a word, and its senses."""
    for length in range(min(LONGEST_FORM, len(words) - at), 0, -1):
        if known := senses().get(" ".join(words[at : at + length])):
            return length, known
    return 1, []


def nominal(words: list[str], at: int) -> bool:
    """Return whether a noun or its adjective is to be expected at a place."""
    before = words[at - 1] if at else ""
    known = senses().get(before, ())
    return before in DETERMINERS | NUMBERS | PREPOSITIONS or any(each.kind == "adjective" for each in known)


def read_at(words: list[str], at: int) -> tuple[int, list[Sense]]:
    """Return the senses of `found_at` that fit what stands around the form."""
    length, known = found_at(words, at)
    before, after = (words[at - 1] if at else ""), (words[at + length] if at + length < len(words) else "")
    kinds = {each.kind for each in known}
    if nominal(words, at):
        fitting = {"noun", "adjective"} | ({"adverb"} if before not in DETERMINERS else set())
    elif "verb" in kinds and (at > 0 or kinds == {"verb"}):
        fitting = {"verb"}
    else:
        fitting = {"noun", "adverb"} | (
            set() if before in BE and after.endswith(("ed", "en")) else {"adjective"}
        )
    known = [each for each in known if each.kind in fitting]
    if not (
        before in TO or before.endswith("s") or "plural" in {each.slot for each in senses().get(before, ())}
    ):
        known = [each for each in known if each.slot != "base"]
    if after in PREPOSITIONS | {"and", "or", ",", ";", ""}:  # "style guides and"
        known = [each for each in known if each.slot != "third"]
    slots = {each.slot for each in known}
    if {"past", "participle"} <= slots:
        nearest = next((word for word in reversed(words[:at]) if word not in ("not", "never")), "")
        wanted = "participle" if nearest in BE | HAVE or after == "by" else "past"
        known = [each for each in known if each.slot == wanted]
    return length, known


def exchanges(text: str) -> set[str]:
    """Return the texts that one exchange of words makes of a text: what the lexicon takes for the same."""
    tokens = text.split()
    words = words_of(tokens)
    found = set()
    for at in range(len(words)):
        for length in range(1, len(words) - at + 1):
            known = senses().get(" ".join(words[at : at + length]), ())
            for option in chain.from_iterable(each.options for each in known):
                found.add(" ".join([*tokens[:at], option, *tokens[at + length :]]))
    return found


def exchanged(text: str, rng: np.random.Generator, rate: float) -> str:
    """Return a text whose words are, each with the chance `rate`, others of their groups."""
    tokens = tokens_of(text)
    words = words_of(tokens)
    made: list[str] = []
    at = 0
    while at < len(tokens):
        length, known = read_at(words, at)
        options = [option for each in known for option in each.options]
        if words[at - 1] in DETERMINERS and at:
            options = [option for option in options if not option.startswith("a ")]
        word = tokens[at].lstrip()
        name = word[0].isupper() and at > 0 and length == 1
        if options and not name and chance(rng, rate):
            new = choice(rng, options)
            space = tokens[at][: len(tokens[at]) - len(word)]
            made = with_article(made, new)
            made.append(space + (new[0].upper() + new[1:] if word[0].isupper() else new))
        else:
            made += tokens[at : at + length]
        at += length
    return "".join(made)


def with_article(made: list[str], following: str) -> list[str]:
    """Return tokens whose last one, where it is `a` or `an`, fits the word that follows."""
    last = made[-1].strip() if made else ""
    if last.lower() not in ("a", "an"):
        return made
    article = (
        "an" if following[0].lower() in "aeiou" and not following.startswith(("uni", "eu", "one")) else "a"
    )
    article = article.capitalize() if last[0].isupper() else article
    return [*made[:-1], made[-1].replace(last, article)]


def forms_of(kind: str, category: str, slot: str) -> list[str]:
    """Return all forms of a part of speech in one category."""
    wanted = (kind, category, slot)
    return [
        form for form, known in senses().items() if wanted in {(e.kind, e.category, e.slot) for e in known}
    ]


def with_another_thing(text: str, rng: np.random.Generator) -> str:
    """Return a text with one noun exchanged for one of its category that means something else."""
    tokens = tokens_of(text)
    words = words_of(tokens)
    places = [(at, *read_at(words, at)) for at in range(len(words))]
    nouns = [(at, length, e) for at, length, known in places for e in known if e.kind == "noun" and at]
    if not nouns:
        return text
    at, length, sense = choice(rng, nouns)
    own = {" ".join(words[at : at + length]), *sense.options}
    others = [form for form in forms_of("noun", sense.category, sense.slot) if form not in own]
    if not others:
        return text
    other = choice(rng, others)
    return "".join([*with_article(tokens[:at], other), f" {other}", *tokens[at + length :]])
