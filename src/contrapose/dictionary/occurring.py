"""Which phrases may occur in a corpus: most of a large dictionary does not, and need not be kept."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from pandas.util import hash_array

# A byte each, 64 MB.  160,000 sentences of 25 words mark 4 % of them: so many wrong pairs pass.
MARKS = 2**26
# 2^64 / golden ratio, odd: Knuth, The Art of Computer Programming, volume 3, section 6.4.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

Sentences: TypeAlias = Sequence[Sequence[str]] | pa.ListArray  # lists of words


class PairFilter:
    """Bloom filter, with one hash function, of the words of a corpus and of all two in a row.

    What it holds does not grow with the corpus; the more marks are set, the more phrases pass in vain.
    """

    def __init__(self) -> None:
        self._marks = np.zeros(MARKS, bool)

    def add(self, sentences: Sentences) -> None:
        """Mark words and pairs of sentences, and the few pairs that reach over from one to the next."""
        words = _hashes(pa.array(sentences, pa.list_(pa.string())).flatten())
        self._marks[_places(words)] = True
        self._marks[_places(_joined(words))] = True

    def passed(self, phrases: pa.ListArray) -> np.ndarray:
        """Return which phrases may occur, bool of shape (len(phrases),): all that do, and few others.

        None of the phrases is empty.
        """
        words = _hashes(phrases.flatten())
        lengths = phrases.value_lengths().to_numpy()
        ends = np.cumsum(lengths)
        looked_up = words.copy()  # the last word of a phrase by itself, the others with the next one
        looked_up[:-1] = _joined(words)
        looked_up[ends - 1] = words[ends - 1]
        return np.logical_and.reduceat(self._marks[_places(looked_up)], ends - lengths)


def _hashes(words: pa.StringArray) -> np.ndarray:
    distinct = words.dictionary_encode()
    of_distinct = hash_array(distinct.dictionary.to_numpy(zero_copy_only=False), categorize=False)
    return of_distinct[distinct.indices.to_numpy()]


def _joined(words: np.ndarray) -> np.ndarray:
    return words[:-1] * SPREAD + words[1:]


def _places(hashes: np.ndarray) -> np.ndarray:
    return hashes * SPREAD >> np.uint64(64 - MARKS.bit_length() + 1)
