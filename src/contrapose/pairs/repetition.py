"""Pairs of a sentence with a copy in which some words are repeated."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from contrapose.pairs.strategy import Pairs, Sentences
from contrapose.pairs.word_pairs import WordPairs, changed_pairs


class RepetitionPairs(WordPairs):
    """The positive is the sentence with some of its words twice. ESimCSE."""

    kind: Literal["repetition"]
    rate: float = Field(
        0.32, ge=0, le=1, description="Largest share of the words that are repeated; the paper's dup_rate"
    )


def build(spec: RepetitionPairs, sentences: Sentences) -> Pairs:
    """Pair each sentence with a copy that repeats some words: see `changed_pairs`.  ESimCSE, section 3.1.

    Of N words, 0 to max(2, rate N), rounded down, are repeated, each number equally likely, each word once
    and next to itself; of one word 0 or 1.  The paper repeats sub-words of the encoder's tokenizer.  Ours:
    words of the text, because pairs are made for any encoder; a word of several sub-words is repeated whole.
    """
    return changed_pairs(spec, sentences, lambda words, chances: _longer(words, chances, spec.rate))


def _longer(words: Sequence[str], chances: np.ndarray, rate: float) -> list[str]:
    most = min(len(words), max(2, int(rate * len(words))))
    twice = set(np.argsort(chances[1:])[: int(chances[0] * (most + 1))].tolist())
    return [word for place, word in enumerate(words) for _ in range(1 + (place in twice))]
