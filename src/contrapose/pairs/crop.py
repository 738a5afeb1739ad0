"""Pairs of a sentence with a part of itself."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from contrapose.jobs.inputs import PairPieces, Sentences
from contrapose.pairs.word_pairs import WordPairs, changed_pairs


class CropPairs(WordPairs):
    """The positive is a span of the sentence. SimCSE, Table 1."""

    kind: Literal["crop"]
    rate: float = Field(
        0.1,
        gt=0,
        lt=1,
        description="This share of the words is cut off: at the beginning, at the end, or at both. "
        "The paper has 0.1, 0.2 and 0.3.",
    )


def build(spec: CropPairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with a span of its words: see `changed_pairs`.  SimCSE, Table 1.

    In the paper `crop k%` keeps 100 - k % of the length; 10 % scores best.  Whole words are kept, as
    separated by spaces (the authors in princeton-nlp/SimCSE, issue 231; their code is not public, issue 219).
    Ours: the number of words cut is rounded and at least one, and every position of the span is equally
    likely.  A sentence of one word is not changed.
    """
    return changed_pairs(spec, sentences, lambda words, chances: _span(words, chances[0], spec.rate))


def _span(words: Sequence[str], place: float, rate: float) -> Sequence[str]:
    kept = max(1, len(words) - max(1, round(rate * len(words))))
    start = int(place * (len(words) - kept + 1))
    return words[start : start + kept]
