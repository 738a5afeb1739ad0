"""Where the phrases of a dictionary stand in sentences."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from contrapose.dictionary.occurring import Sentences
from contrapose.dictionary.phrases import NONE, Phrases, prefix_keys


def phrase_matches(sentences: Sentences, phrases: Phrases) -> pd.DataFrame:
    """Find all phrases in all sentences, overlapping ones too.  PPDB-CSE, figure 1.

    A corpus, that for which the phrases were read, is streamed by calling this for some ten thousand
    sentences at a time: with fewer, the vocabulary is hashed too often.  Words must be equal, letter by
    letter; folding case is left to the caller.

    Returns rows sorted by sentence, position and words: `sentence`, `position` (int64), number of the
    sentence, and of the word where the phrase begins, from 0; `words` (int16), length of the phrase; `phrase`
    (int32), its row in the PHRASES table, from 0.
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
