"""Where the phrases of a dictionary stand in sentences: a trie over words, each level a hash table.

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

from contrapose.base.errors import TableError
from contrapose.tables import PHRASES, open_table

logger = logging.getLogger(__name__)

# A byte each, 64 MB.  160,000 sentences of 25 words mark 4 % of them: so many wrong pairs pass.
MARKS = 2**26
# 2^64 / golden ratio, odd: Knuth, The Art of Computer Programming, volume 3, section 6.4.
SPREAD = np.uint64(0x9E3779B97F4A7C15)

Sentences: TypeAlias = Sequence[Sequence[str]] | pa.ListArray  # lists of words

NONE = -1  # no such word, prefix or phrase; as pandas says it
PHRASES_AT_ONCE = 65_536  # split into words together: some MB
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
        self._marks[_mark_of(words)] = True
        self._marks[_mark_of(_joined(words))] = True

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
        return np.logical_and.reduceat(self._marks[_mark_of(looked_up)], ends - lengths)


def _hashes(words: pa.StringArray) -> np.ndarray:
    """Return a uint64 for each word."""
    distinct = words.dictionary_encode()
    of_distinct = hash_array(distinct.dictionary.to_numpy(zero_copy_only=False), categorize=False)
    return of_distinct[distinct.indices.to_numpy()]


def _joined(words: np.ndarray) -> np.ndarray:
    return words[:-1] * SPREAD + words[1:]


def _mark_of(hashes: np.ndarray) -> np.ndarray:
    return hashes * SPREAD >> np.uint64(64 - MARKS.bit_length() + 1)


def prefix_keys(shorter: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the keys of prefixes, uint64 of shape (n,).

    Each is made of the number of the prefix without its last word, and of that word, in [0, 2^32): no two
    prefixes have the same.
    """
    return shorter.astype(np.uint64) << HALF | words.astype(np.uint64)


@dataclass(frozen=True)
class Phrases:
    """Phrases of a dictionary that may occur in a corpus, for `phrase_matches`.

    `vocabulary`: all words of the phrases; a word's number is its place.
    `prefixes`: the keys of all prefixes of 2, 3 ... words.  A prefix's number is its place there; one of a
    single word has the number of that word.
    `ends`: by number of a prefix of 1, 2 ... words: the row of the phrase that it is, or NONE; int32.
    """

    vocabulary: pa.StringArray
    prefixes: list[pd.Index]
    ends: list[np.ndarray]


def read_phrases(path: str | Path, corpus: Iterable[Sentences]) -> Phrases:
    """Read those phrases of a PHRASES table that may occur in a corpus.

    Both are streamed.  In memory are 64 MB of marks for the corpus, however large, and of the phrases that
    may occur their words and some 50 bytes for each distinct prefix of two or more words.

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
    logger.info("%d of %d phrases can occur, with %d different words", kept, read, vocabulary)
    return phrases


def _check_words(split: pa.ListArray, first: int, path: str | Path) -> None:
    words = split.flatten()
    nameless = pc.index(words, "").as_py()
    if nameless >= 0:
        row = first + split.value_parent_indices()[nameless].as_py()
        raise TableError(
            f"{path}: row {row} (counted from 0) must have words between single blanks. Correct the row."
        )


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
            raise TableError(
                f"{path}: rows {same[0]} and {same[1]} (counted from 0) contain the same phrase. Remove one."
            )
        phrases.ends.append(ends)
        nodes, left = nodes[~ending], left[~ending]
        if len(left):
            keys = prefix_keys(nodes, numbers[starts[left] + depth])
            prefixes = pd.Index(pd.unique(keys))
            phrases.prefixes.append(prefixes)
            nodes, size = prefixes.get_indexer(keys), len(prefixes)
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
    # A wall after each sentence: no prefix reaches into the next.
    words = np.insert(known, np.cumsum(lengths), NONE)
    starts = np.flatnonzero(words != NONE)
    nodes = words[starts]
    matches = []
    for depth, ends in enumerate(phrases.ends, start=1):
        if depth > 1:
            following = words[starts + depth - 1]
            inside = following != NONE
            nodes = phrases.prefixes[depth - 2].get_indexer(prefix_keys(nodes[inside], following[inside]))
            starts = starts[inside][nodes != NONE]
            nodes = nodes[nodes != NONE]
        phrase = ends[nodes]
        hit = phrase != NONE
        matches.append((starts[hit], np.full(hit.sum(), depth, np.int16), phrase[hit]))
    empty = np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.int32)  # a dictionary may be empty
    start, length, phrase = map(np.concatenate, zip(empty, *matches, strict=True))
    order = np.argsort(start, kind="stable")  # of one start, the shorter phrases were found first
    start, length, phrase = start[order], length[order], phrase[order]
    walled = lengths + 1
    sentence = np.repeat(np.arange(len(lengths)), walled)[start]
    position = start - (np.cumsum(walled) - walled)[sentence]
    return pd.DataFrame({"sentence": sentence, "position": position, "words": length, "phrase": phrase})
