"""Pairs of a sentence with itself, and with itself lengthened by punctuation marks."""

import logging
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.pairs.pair_rows import as_pairs, sampled
from contrapose.pairs.strategy import Pairs, SentencePairs, Sentences, Slots
from contrapose.seeds import uniforms
from contrapose.steps import Project

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
TAGS = range(0xE0020, 0xE007F + 1)  # spell the name of a region behind a flag


class PunctuationPairs(SentencePairs):
    """View 0: a sentence with itself; view 1: with itself lengthened by punctuation marks. EdaCSE."""

    kind: Literal["punctuation"]
    slots: Slots = 1
    max_marks: int = Field(3, ge=1, description="Most marks in a sentence; the paper's K")
    marks: MarkSet = Field(
        "english",
        description="Set of marks; statements: without exclamation and question mark. EdaCSE, tables 12-14",
    )

    def views(self, project: Project) -> int:
        return 2


def build(spec: PunctuationPairs, sentences: Sentences) -> Pairs:
    """Pair each sentence with itself, and in a second view with itself and some marks.  EdaCSE, section 3.3.

    1 to `max_marks` marks are inserted, each number equally likely; each mark is drawn from the set and put
    into any gap between characters, start and end included; two may share a gap.  They depend only on the
    draw, the sentence's id and the slot: a sentence has the same marks in every corpus and sample.  Rows are
    ordered by slot, then by view, then as the sentences or the sample.
    """
    sentences = sampled(sentences, spec.size, spec.draw, "sentences")
    parts, total = [], 0
    for slot in range(spec.slots):
        keys = (("punctuation", spec.draw, each, slot) for each in sentences.id)
        numbers, marks, places = _drawn(keys, spec.max_marks, MARKS[spec.marks])
        longer = [
            inserted(text, marks[row][:number], places[row][:number])
            for row, (text, number) in enumerate(zip(sentences.text, numbers, strict=True))
        ]
        for view, positive in enumerate((sentences.text, pd.Series(longer, dtype=str))):
            parts.append(as_pairs(sentences.id, sentences.text, positive, slot=slot, view=view))
        total += sum(numbers)
    logger.info("%d sentences x %d slots got %d marks", len(sentences), spec.slots, total)
    return pd.concat(parts, ignore_index=True)


def _drawn(
    keys: Iterable[tuple[str | int, ...]], most: int, marks: str
) -> tuple[list[int], list[list[str]], list[list[float]]]:
    """Return for each key a number of marks, `most` marks, and `most` places as shares of the text."""
    numbers = uniforms(keys, 1 + 2 * most)  # (n, 1 + 2 most)
    chosen = (numbers[:, 1::2] * len(marks)).astype(int)  # (n, most)
    return (
        (1 + (numbers[:, 0] * most).astype(int)).tolist(),
        np.array(list(marks))[chosen].tolist(),
        numbers[:, 2::2].tolist(),
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
    """Tell whether a character belongs to the one before it.

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
