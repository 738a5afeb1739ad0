"""Where the phrases of a dictionary stand in sentences: a trie over words that lies in a few flat arrays.

Which phrases may occur in a corpus is looked up first: most of a large dictionary does not, and need not be
kept.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.util import hash_array

from contrapose.errors import TableError
from contrapose.tables import PHRASES, open_table

logger = logging.getLogger(__name__)

# A byte each, 64 MB.  160,000 sentences of 25 words mark 4 % of them: so many wrong pairs pass.
MARKS = 2**26
# 2^64 / golden ratio, odd: Knuth, The Art of Computer Programming, volume 3, section 6.4.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

Sentences: TypeAlias = Sequence[Sequence[str]] | pa.ListArray  # lists of words

NONE = -1  # no such word, prefix or phrase
PHRASES_AT_ONCE = 65_536  # split into words together: some MB
SLOTS_PER_KEY = 2  # half of the slots are empty, and a search looks at 1.5 of them on average
# Of a slot.  No key: it would be that of word 1.7 * 10^9, and an Arrow array holds 2^31 bytes of words.
FREE = np.uint64(2**64 - 1)
HALF = np.uint64(32)  # bits


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
    """Return a uint64 for each word."""
    distinct = words.dictionary_encode()
    of_distinct = hash_array(distinct.dictionary.to_numpy(zero_copy_only=False), categorize=False)
    return of_distinct[distinct.indices.to_numpy()]


def _joined(words: np.ndarray) -> np.ndarray:
    return words[:-1] * SPREAD + words[1:]


def _places(hashes: np.ndarray) -> np.ndarray:
    return hashes * SPREAD >> np.uint64(64 - MARKS.bit_length() + 1)


class Prefixes:
    """Hash table of all prefixes of one length; the number of a prefix is its slot.

    A key holds a prefix that is one word shorter, by number, and the last word.  It is multiplied by an odd
    number modulo 2^64, which can be undone: equal products are equal prefixes, and no collision is ever
    taken for a match.  Keys lie in ascending order, so a search ends at the first slot whose key is not
    smaller (Amble and Knuth, Ordered hash tables, 1974, with linear probing).
    """

    def __init__(self, keys: np.ndarray) -> None:
        """Arrange the distinct `keys`, uint64 of shape (n,), n >= 1."""
        keys = np.sort(keys)
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        self._homes = SLOTS_PER_KEY * len(keys)
        order = np.arange(len(keys))
        slots = order + np.maximum.accumulate(self._home(keys) - order)  # at home, or behind the key before
        self._slots = np.full(max(self._homes, slots[-1] + 1) + 1, FREE)  # one is left free at the end
        self._slots[slots] = keys

    def __len__(self) -> int:
        return len(self._slots)

    def _home(self, keys: np.ndarray) -> np.ndarray:
        return ((keys >> HALF) * np.uint64(self._homes) >> HALF).astype(np.int64)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Return the slots of keys, int64 in their order, and NONE for those that are not there."""
        slots = self._home(keys)
        before = np.flatnonzero(self._slots[slots] < keys)
        while len(before):
            slots[before] += 1
            before = before[self._slots[slots[before]] < keys[before]]
        slots[self._slots[slots] != keys] = NONE
        return slots


def prefix_keys(shorter: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the keys of prefixes, uint64 of shape (n,).

    Each is made of the number of the prefix without its last word, and of that word, in [0, 2^32).
    """
    return (shorter.astype(np.uint64) << HALF | words.astype(np.uint64)) * SPREAD


@dataclass(frozen=True)
class Phrases:
    """Phrases of a dictionary that may occur in a corpus, for `phrase_matches`.

    `vocabulary`: all words of the phrases; a word's number is its place.
    `prefixes`: of 2, 3 ... words.  A prefix of one word has the number of that word.
    `ends`: by number of a prefix of 1, 2 ... words: the row of the phrase that it is, or NONE; int32.
    """

    vocabulary: pa.StringArray
    prefixes: list[Prefixes]
    ends: list[np.ndarray]


def read_phrases(path: str | Path, corpus: Iterable[Sentences]) -> Phrases:
    """Read those phrases of a PHRASES table that may occur in a corpus.

    `corpus` is all that `phrase_matches` will be asked about: a phrase that stands only in others is not
    found there.

    Both are streamed.  In memory are 64 MB of marks for the corpus, however large, and of the phrases that
    may occur their words and 24 bytes for each distinct prefix of two or more words; about twice as much
    while they are put in order.

    The corpus, in batches of sentences, is all that `phrase_matches` will be asked about: a phrase that
    stands only in others is not found there.  Raises TableError if it is no such table, a phrase is not words
    with one blank between them, or two that may occur are the same.
    """
    known = PairFilter()
    for sentences in corpus:
        known.add(sentences)
    words, lengths, rows = [], [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    read = 0
    with open_table(path, PHRASES) as file:
        for batch in file.iter_batches(PHRASES_AT_ONCE, columns=["phrase"]):
            split = pc.split_pattern(batch.column(0), " ")
            _check_words(split, read, path)
            passed = known.passed(split)
            split = split.filter(pa.array(passed))
            words.append(split.flatten().dictionary_encode())
            lengths.append(split.value_lengths().to_numpy())
            rows.append((read + np.flatnonzero(passed)).astype(np.int32))
            read += len(batch)
    numbered = pa.chunked_array(words, pa.dictionary(pa.int32(), pa.string())).combine_chunks()
    phrases = _trie(numbered, np.concatenate(lengths), np.concatenate(rows), path)
    kept, vocabulary = sum(map(len, rows)), len(phrases.vocabulary)
    logger.info("%d of %d phrases may occur, with %d different words", kept, read, vocabulary)
    return phrases


def _check_words(split: pa.ListArray, first: int, path: str | Path) -> None:
    words = split.flatten()
    nameless = pc.index(words, "").as_py()
    if nameless >= 0:
        row = first + split.value_parent_indices()[nameless].as_py()
        raise TableError(f"{path}: row {row} (from 0) is not words with one blank between them.")


def _trie(words: pa.DictionaryArray, lengths: np.ndarray, rows: np.ndarray, path: str | Path) -> Phrases:
    """Build the trie, level by level, from the words of all phrases, one phrase after the other."""
    numbers = words.indices.to_numpy()
    starts = np.cumsum(lengths) - lengths
    phrases = Phrases(words.dictionary, [], [])
    left = np.arange(len(lengths), dtype=np.int32)  # phrases that have a word at this level
    nodes, size = numbers[starts], len(words.dictionary)
    while len(left):
        depth = len(phrases.ends) + 1
        ending = lengths[left] == depth
        ended, at = rows[left[ending]], nodes[ending]
        ends = np.full(size, NONE, np.int32)
        ends[at] = ended
        twice = np.flatnonzero(ends[at] != ended)
        if len(twice):
            same = ended[twice[0]], ends[at[twice[0]]]
            raise TableError(f"{path}: rows {same[0]} and {same[1]} (from 0) hold the same phrase.")
        phrases.ends.append(ends)
        nodes, left = nodes[~ending], left[~ending]
        if len(left):
            keys = prefix_keys(nodes, numbers[starts[left] + depth])
            phrases.prefixes.append(Prefixes(keys))
            nodes, size = phrases.prefixes[-1].find(keys), len(phrases.prefixes[-1])
    return phrases


def phrase_matches(sentences: Sentences, phrases: Phrases) -> pd.DataFrame:
    """Find all phrases in all sentences, overlapping ones too.  PPDB-CSE, figure 1.

    A corpus is streamed by calling this for some ten thousand sentences at a time: with fewer, the vocabulary
    is hashed too often.  Words must be equal, letter by letter; folding case is left to the caller.

    Returns
    -------
    DataFrame, sorted by sentence, position and words
        `sentence`, `position` (int64): number of the sentence, and of the word where the phrase begins, from
        0; `words` (int16): length of the phrase; `phrase` (int32): its row in the PHRASES table, from 0.
    """
    lists = pa.array(sentences, pa.list_(pa.string()))
    lengths = lists.value_lengths().to_numpy()
    known = pc.index_in(lists.flatten(), value_set=phrases.vocabulary).fill_null(NONE).to_numpy()
    # A wall behind each sentence: no prefix reaches into the next.
    words = np.insert(known, np.cumsum(lengths), NONE)
    starts = np.flatnonzero(words != NONE)
    nodes = words[starts]
    found = []
    for depth, ends in enumerate(phrases.ends, start=1):
        if depth > 1:
            following = words[starts + depth - 1]
            inside = following != NONE
            nodes = phrases.prefixes[depth - 2].find(prefix_keys(nodes[inside], following[inside]))
            starts = starts[inside][nodes != NONE]
            nodes = nodes[nodes != NONE]
        phrase = ends[nodes]
        hit = phrase != NONE
        found.append((starts[hit], np.full(hit.sum(), depth, np.int16), phrase[hit]))
    empty = np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.int32)  # a dictionary may be empty
    start, length, phrase = map(np.concatenate, zip(empty, *found, strict=True))
    order = np.argsort(start, kind="stable")  # of one start, the shorter phrases were found first
    start, length, phrase = start[order], length[order], phrase[order]
    walled = lengths + 1
    sentence = np.repeat(np.arange(len(lengths)), walled)[start]
    position = start - (np.cumsum(walled) - walled)[sentence]
    return pd.DataFrame({"sentence": sentence, "position": position, "words": length, "phrase": phrase})
