"""The items of an answer: remove what surrounds them, and check that they are paraphrases at all."""

import re
import unicodedata
from collections.abc import Sequence

from contrapose.generate.parsing.refusals import Refusal, Refused, refuse_if
from contrapose.generate.parsing.text import compared, long_words
from contrapose.generate.parsing.wording import (
    MARKS,
    MARKUP,
    PLACEHOLDER,
    TALK,
    adds,
    is_labelled,
    talks_back,
    trails_off,
)
from contrapose.settings.prompt_files import VERSIONS

MANY_WORDS = 8  # of four letters or more: five paraphrases of a source with so many share one with it

# Opening mark, and the marks that close it.
QUOTES = (
    ('"', '"'),
    ("“", "”“"),
    ("„", "“”"),
    ("'", "'"),
    ("‘", "’‘"),
    ("`", "`"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
)

LEAD_LENGTH = 80  # characters of a lead at most, as of one before a translation.  Ours
BOLD = (("**", "**"), ("__", "__"))
OPENING = frozenset(opening for opening, _ in QUOTES)
WITHIN_QUOTES = re.compile(r'(?<![^\s(\["])"(?=\S)[^"]*(?<=[^\s"])"')
APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")

# How the five items begin, in lower case, if they still have their numbers, letters or words in order.
COUNTED = tuple(
    re.compile(
        rf"(?:(?:[a-z]|\d\.)?{number}(?:st|nd|rd|th)?|{letter}|{roman}|{word}|{ordinal})(?:ly)?(?![^\W_])"
    )
    for number, letter, roman, word, ordinal in zip(
        "12345",
        "abcde",
        ("i", "ii", "iii", "iv", "v"),
        ("one", "two", "three", "four", "five"),
        ("first", "second", "third", "fourth", "fifth"),
        strict=True,
    )
)

DASHES = (" - ", " – ", " — ")
SYMBOLS = ("So", "Sm", "Pd", "Po")  # categories of Unicode


def unwrapped(items: list[str], source: str) -> list[str]:
    """Remove emphasis and quotation marks that all items have around them."""
    for mark in ("**", "__", "*", "_") if items[0][:1] in ("*", "_") else ():
        width = len(mark)
        if all(_wrapped(item, mark, mark) for item in items):
            items = [item[width:-width].strip() for item in items]
    items = [" ".join(item.split()) for item in items]
    refuse_if(not all(items), Refusal.BLANK)
    if not any(item[0] in OPENING for item in items):
        return items
    for opening, closings in QUOTES:
        starting = sum(item[0] == opening for item in items)
        if not starting or any(_wrapped(source.strip(), opening, closing) for closing in closings):
            continue
        whole = [any(_wrapped(item, opening, closing) for closing in closings) for item in items]
        if all(whole):
            items = [item[1:-1].strip() for item in items]
        else:
            several = starting > 1 and source.lstrip()[:1] != opening
            refuse_if(any(whole) or several or _unpaired(items, source), Refusal.QUOTES)
    return items


def set_apart(line: str, source: str) -> str:
    """Return what bold type or quotation marks set apart after a lead, as in `Here is one: **Yes.**`."""
    lead, colon, rest = line.partition(":")
    rest = rest.strip()
    quotes = [(opening, closing) for opening, closings in QUOTES for closing in closings]
    talks = colon and TALK.search(lead[:LEAD_LENGTH].replace("’", "'")) and not TALK.search(source)
    return (
        rest
        if talks and len(lead) <= LEAD_LENGTH and any(_wrapped(rest, *each) for each in (*BOLD, *quotes))
        else line
    )


def _unpaired(items: list[str], source: str) -> bool:
    """Return whether a mark at an end of an item has no partner, although those of the source do."""
    at_end = [item for item in items if item.startswith('"') or item.endswith('"')]
    return source.count('"') % 2 == 0 and any(item.count('"') % 2 for item in at_end)


def _wrapped(item: str, opening: str, closing: str) -> bool:
    """Return whether the first mark is closed by the last: "A" is "B" is not a quotation."""
    inner = item[len(opening) : -len(closing)]
    if not (item.startswith(opening) and item.endswith(closing) and inner.strip()):
        return False
    if opening == "'" or closing == "’":
        inner = APOSTROPHE.sub("", inner)  # an apostrophe inside a word does not end a quotation
    if opening == '"':  # may contain whole quotations: an opening mark has only space before it
        inner = WITHIN_QUOTES.sub("", inner)
    return opening not in inner and closing not in inner


def check_paraphrases(items: Sequence[str], source: str) -> None:
    """Refuse items, five or one, that are no paraphrases of the source."""
    folded, folded_source, text = [compared(item) for item in items], compared(source), "\n".join(items)
    refuse_if(not all(folded), Refusal.BLANK)
    refuse_if(_marked_within(items, folded, source), Refusal.NUMBERING)
    refuse_if(trails_off(items, source), Refusal.LABELS)
    if MARKS.search(text) or any(dash in text for dash in DASHES):
        refuse_if(adds(MARKUP, items, source), Refusal.MARKUP)
        refuse_if(adds(PLACEHOLDER, items, source), Refusal.PLACEHOLDER)
        refuse_if(is_labelled(items, source), Refusal.LABELS)
    refuse_if(talks_back(items, source) or _are_foreign(folded, folded_source), Refusal.TALKING)
    refuse_if(any(_repeats(item, folded_source) for item in folded), Refusal.COPY)
    refuse_if(len(set(folded)) < len(items), Refusal.DUPLICATE)


def clean(item: str, source: str) -> str:
    """Return an item alone, without what surrounds it; empty if it is no paraphrase of the source."""
    try:
        (text,) = unwrapped([item], source)
        check_paraphrases([text], source)
    except Refused:
        return ""
    return text


def good_ones(items: Sequence[str], source: str) -> list[str]:
    """Return the items that are paraphrases of the source, each once; refuse all where the model talks."""
    talking = talks_back(items, source) or _are_foreign([compared(item) for item in items], compared(source))
    refuse_if(talking, Refusal.TALKING)
    return [*{compared(text): text for item in items if (text := clean(item, source))}.values()]


def check_additions(text: str, source: str) -> None:
    """Refuse a text with a label, markup or placeholder that the source has nowhere."""
    refuse_if(trails_off([text], source), Refusal.LABELS)
    refuse_if(adds(MARKUP, [text], source), Refusal.MARKUP)
    refuse_if(adds(PLACEHOLDER, [text], source), Refusal.PLACEHOLDER)


def _are_foreign(folded: Sequence[str], source: str) -> bool:
    """Return whether five items share no word with a source that has many: "1. Read the text. 2. Find .."."""
    words, text = long_words(source), "\n".join(folded)
    return len(words) >= MANY_WORDS and not any(word in text for word in words)


def _repeats(item: str, source: str) -> bool:
    """Return whether an item is the source, or a question that ends with it."""
    return item.endswith(source) and (item == source or ":" in item[: -len(source)])


def _marked_within(items: Sequence[str], folded: Sequence[str], source: str) -> bool:
    """Return whether items keep markers: numbers or letters in order, or the same kind of bullet."""
    counted = zip(COUNTED, folded, strict=False)
    if len(items) == VERSIONS and all(count.match(item) for count, item in counted):
        return True
    starts = "".join([item[0] for item in items])
    if starts.isalnum():
        return False
    return sum(map(_is_symbol, starts)) > 1 and not _is_symbol(source.lstrip()[:1] or "a")


def _is_symbol(character: str) -> bool:
    return not character.isalnum() and character not in OPENING and unicodedata.category(character) in SYMBOLS
