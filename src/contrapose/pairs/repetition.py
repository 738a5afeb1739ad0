"""Pairs of a sentence with a copy in which some words are repeated."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from contrapose.jobs.inputs import PairPieces, Sentences
from contrapose.pairs.word_pairs import WordPairs, changed_pairs


class RepetitionPairs(WordPairs):
    """The positive is the sentence with some of its words twice. ESimCSE."""

    kind: Literal["repetition"]
    rate: float = Field(
        0.32,
        ge=0,
        le=1,
        description="At most this share of the words is repeated, the paper's dup_rate. The released "
        "code has 0.32 for BERT, 0.3 for RoBERTa-base and 0.28 for RoBERTa-large.",
    )
    as_released: bool = Field(
        False,
        description="If true, at most 9 words are repeated, and never the last one, as the released "
        "code does for whole words.",
    )


def build(spec: RepetitionPairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with a copy that repeats some words: see `changed_pairs`.  ESimCSE, section 3.1.

    Of N words, 0 to max(2, rate N), rounded down, are repeated, each number equally likely, each word once
    and next to itself; of one word 0 or 1.  With `as_released`, caskcsg/sentemb's ESimCSE/train.py for
    `dup_type` word: the upper end is at most 10 and does not occur itself, and the last word stays single.
    The published numbers are from sub-words, repeated by that code after truncation, of L tokens
    0 to min(10, rate L) - 1.  Ours: words of the text, because pairs are made for any encoder; a word of
    several sub-words is repeated whole.  A positive is truncated after the repetition: where sentences are
    about as long as `max_length`, it ends earlier instead of being longer.
    """
    return changed_pairs(spec, sentences, lambda words, chances: _longer(words, chances, spec))


def _longer(words: Sequence[str], chances: np.ndarray, spec: RepetitionPairs) -> list[str]:
    most = min(len(words), max(2, int(spec.rate * len(words))))
    ends, places = (min(10, most), len(words) - 1) if spec.as_released else (most + 1, len(words))
    twice = set(np.argsort(chances[1 : 1 + max(0, places)])[: int(chances[0] * ends)].tolist())
    return [word for place, word in enumerate(words) for _ in range(1 + (place in twice))]
