"""Pairs of a sentence with itself with its words in another order."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from contrapose.jobs.inputs import PairPieces, Sentences
from contrapose.pairs.word_pairs import WordPairs, changed_pairs


class ShufflePairs(WordPairs):
    """The positive has the words of the sentence in another order. ConSERT, section 3.2."""

    kind: Literal["shuffle"]
    rate: float = Field(
        1.0, gt=0, le=1, description="This share of the words changes places. With 1, all words do."
    )


def build(spec: ShufflePairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with its words in a random order: see `changed_pairs`.  ConSERT, section 3.2.

    ConSERT (Yan et al. 2021) permutes the positions of all tokens of the encoder.  Ours: words of the text,
    because pairs are made for any encoder; and a smaller share of them, rounded, which are drawn and permuted
    while the others stay.  Every order is equally likely, also the one that there was.
    """
    return changed_pairs(spec, sentences, lambda words, chances: _reordered(words, chances, spec.rate))


def _reordered(words: Sequence[str], chances: np.ndarray, rate: float) -> list[str]:
    drawn = np.argsort(chances[1:])[: round(rate * len(words))].tolist()  # in random order
    moved = dict(zip(sorted(drawn), drawn, strict=True))
    return [words[moved.get(place, place)] for place in range(len(words))]
