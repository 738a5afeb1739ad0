"""Pairs of a sentence with itself without some of its words."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from contrapose.jobs.inputs import PairPieces, Sentences
from contrapose.pairs.word_pairs import WordPairs, changed_pairs


class DeletionPairs(WordPairs):
    """The positive is the sentence without one or some of its words. SimCSE, Table 1."""

    kind: Literal["deletion"]
    rate: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="This share of the words is deleted. With null, one word is deleted. The paper has "
        "0.1, 0.2 and 0.3.",
    )


def build(spec: DeletionPairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with itself without some of its words: see `changed_pairs`.  SimCSE, Table 1.

    The default is `delete one word`; no share scores better.  Whole words go, as separated by spaces (the
    authors in princeton-nlp/SimCSE, issue 231; their code is not public, issue 219).  Ours: every word is
    equally likely, and a share is rounded, to at least one.  A sentence of one word is not changed.
    """
    return changed_pairs(spec, sentences, lambda words, chances: _shortened(words, chances, spec.rate))


def _shortened(words: Sequence[str], chances: np.ndarray, rate: float | None) -> list[str]:
    count = 1 if rate is None else max(1, round(rate * len(words)))
    deleted = set(np.argsort(chances[1:])[: max(0, min(count, len(words) - 1))].tolist())
    return [word for place, word in enumerate(words) if place not in deleted]
