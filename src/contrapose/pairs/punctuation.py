"""Pairs of a sentence with itself, and with itself lengthened by punctuation marks."""

import logging
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import PairPieces, Sentences, Slots
from contrapose.pairs.pair_rows import as_pairs, row_groups, sampled
from contrapose.pairs.strategy import SentencePairs
from contrapose.settings.plan import Plan

logger = logging.getLogger(__name__)

MarkSet = Literal[
    "english", "chinese", "english_statements", "chinese_statements", "english_and_symbols"
]  # fmt: skip
# EdaCSE, section 3.3 and tables 12 to 14.  The Chinese ones are the full-width forms.
MARKS: dict[MarkSet, str] = {
    "english": ".,!?;:",
    "chinese": "。，！？；：",
    "english_statements": ".,;:",
    "chinese_statements": "。，；：",
    "english_and_symbols": ".,!?;:[]~|",
}

ZWNJ, ZWJ = "\u200c", "\u200d"  # zero-width non-joiner and joiner
SKIN_TONES = range(0x1F3FB, 0x1F3FF + 1)
TAGS = range(0xE0020, 0xE007F + 1)  # spell the name of a region after a flag


class PunctuationPairs(SentencePairs):
    """In the first view, a sentence is its own positive. In the second, the positive has additional
    punctuation marks. EdaCSE.
    """

    kind: Literal["punctuation"]
    slots: Slots = 1
    max_marks: int = Field(3, ge=1, description="A sentence gets at most this many marks, the paper's K.")
    marks: MarkSet = Field(
        "english",
        description="This is the set of marks. The sets of statements have neither exclamation nor "
        "question mark. EdaCSE, Tables 12 to 14.",
    )

    def views(self, project: Plan) -> int:
        return 2


def build(spec: PunctuationPairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with itself, and in a second view with itself and some marks.  EdaCSE, section 3.3.

    1 to `max_marks` marks are inserted, each number equally likely; each mark is drawn from the set and put
    into any gap between characters, start and end included; two may share a gap.  They depend only on the
    draw, the sentence's id and the slot: a sentence has the same marks in every corpus and sample.  Rows are
    ordered by slot, then by view, then as the sentences or the sample.
    """
    sentences = sampled(sentences, spec.size, spec.seed, "sentences")
    total = 0
    for slot in range(spec.slots):
        for rows in row_groups(sentences):
            yield as_pairs(rows.id, rows.text, rows.text, slot=slot, view=0)
        for rows in row_groups(sentences):
            keys = (("punctuation", spec.seed, each, slot) for each in rows.id)
            numbers, marks, places = _drawn(keys, spec.max_marks, MARKS[spec.marks])
            longer = [
                inserted(text, marks[at : at + number], places[at : at + number])
                for at, text, number in zip(count(0, spec.max_marks), rows.text, numbers)
            ]
            yield as_pairs(rows.id, rows.text, pd.Series(longer, dtype=str), slot=slot, view=1)
            total += sum(numbers)
    logger.info("%d sentences x %d slots got %d marks", len(sentences), spec.slots, total)


def _drawn(
    keys: Iterable[tuple[str | int, ...]], most: int, marks: str
) -> tuple[list[int], list[str], list[float]]:
    """Return a number of marks for each key, and of all keys `most` marks and places, shares of the text."""
    numbers = uniforms(keys, 1 + 2 * most)  # (n, 1 + 2 most)
    chosen = (numbers[:, 1::2] * len(marks)).astype(int)  # (n, most)
    return (
        (1 + (numbers[:, 0] * most).astype(int)).tolist(),
        np.array(list(marks))[chosen].ravel().tolist(),
        numbers[:, 2::2].ravel().tolist(),
    )


def inserted(text: str, marks: Sequence[str], places: Sequence[float]) -> str:
    """Put marks into a text, each at a place in [0, 1); in one gap they keep the order given."""
    gaps = _gaps(text)
    at = [gaps[int(place * len(gaps))] for place in places]
    parts, before = [], 0
    for number in sorted(range(len(at)), key=at.__getitem__):
        parts += [text[before : at[number]], marks[number]]
        before = at[number]
    return "".join([*parts, text[before:]])


def _gaps(text: str) -> Sequence[int]:
    """Return where each character that a reader sees begins, and the end of the text."""
    if text.isascii() or not any(map(_continues, text)):
        return range(len(text) + 1)
    inside = (at for at in range(1, len(text)) if not _continues(text[at]) and text[at - 1] != ZWJ)
    return [0, *inside, len(text)]


@cache
def _continues(character: str) -> bool:
    """Return whether a character belongs to the one before it.

    Combining marks and variation selectors, joiners, skin tones and tags: what annex 29 of the Unicode
    standard calls Extend, SpacingMark and ZWJ.  Its rules for flags of two letters and for Hangul in single
    letters are left out: their parts are readable on their own.
    """
    return (
        unicodedata.category(character).startswith("M")
        or character in (ZWNJ, ZWJ)
        or ord(character) in SKIN_TONES
        or ord(character) in TAGS
    )
