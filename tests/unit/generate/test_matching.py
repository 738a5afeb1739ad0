import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contrapose.generate import phrases
from contrapose.generate.phrases import PairFilter, phrase_matches, read_phrases
from contrapose.tables import PHRASES, write_table


def matched(dictionary, *batches):
    """Return (sentence, position, words, row) of all matches, sentences numbered over all batches."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "phrases.parquet"
        write_table(pd.DataFrame({"phrase": pd.Series(dictionary, dtype=str)}), path, PHRASES)
        known = read_phrases(path, batches)
    found, before = [], 0
    for batch in batches:
        matches = phrase_matches(batch, known)
        matches.sentence += before
        found.append(matches)
        before += len(batch)
    return list(pd.concat(found).itertuples(index=False, name=None))


def by_brute_force(dictionary, sentences):
    split = [tuple(phrase.split(" ")) for phrase in dictionary]
    return sorted(
        (number, at, len(words), row)
        for number, sentence in enumerate(sentences)
        for at in range(len(sentence))
        for row, words in enumerate(split)
        if tuple(sentence[at : at + len(words)]) == words
    )


# Two normal forms of one letter, a wide blank, a tab: all of them letters of a word.
IN_PHRASES = ["a", "b", "aa", "A", "é", "e\u0301", "日本", "\u3000", "\t", "-1"]
DICTIONARIES = st.lists(
    st.lists(st.sampled_from(IN_PHRASES), min_size=1, max_size=7).map(" ".join), unique=True, max_size=30
).flatmap(st.permutations)
# And words that no phrase has; one is empty, and one looks like a phrase of two.
SENTENCES = st.lists(st.lists(st.sampled_from([*IN_PHRASES, "unknown", "", "a b"]), max_size=12), max_size=8)


@given(DICTIONARIES, SENTENCES, st.integers(0, 8), st.integers(1, 9))
@example(["a", "a a", "a a a"], [["a"] * 5, [], ["a", "a"]], 1, 2)
@example(["a b"], [["a"], ["b"], ["a b"], ["a", "b"]], 1, 1)
@example(
    ["b", "the b and", "b and", "and the b", "and", "the b here"], [["the", "b", "and", "the", "b"]], 1, 9
)
@example([], [["a"]], 0, 1)
@example(["a"], [], 0, 1)
def test_matches_are_those_of_brute_force(dictionary, sentences, border, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrases, "PHRASES_AT_ONCE", at_once)
        found = matched(dictionary, sentences[:border], sentences[border:])
    assert found == by_brute_force(dictionary, sentences)


def zipf(seed, count, words=300):
    """Return sentences of 0 to 19 words; the frequent ones of `words` words are in most of them."""
    random = np.random.default_rng(seed)
    numbers = [random.zipf(1.3, random.integers(20)) % words for _ in range(count)]
    return [[f"w{number}" for number in sentence] for sentence in numbers]


def n_grams(sentences, longest=6):
    pieces = (
        sentence[at : at + length]
        for sentence in sentences
        for length in range(1, longest + 1)
        for at in range(len(sentence) - length + 1)
    )
    return sorted({" ".join(piece) for piece in pieces})


def test_phrases_that_cannot_occur_are_not_kept():
    here, elsewhere = zipf(3, 2000, 5000), zipf(4, 2000, 5000)
    corpus = PairFilter()
    corpus.add(here)
    in_a_row = [word for sentence in here for word in sentence]  # pairs over borders are marked, too
    inside = set(n_grams([in_a_row], 2))
    split = {phrase: phrase.split(" ") for phrase in n_grams(elsewhere)}
    may_occur = corpus.passed(pa.array(list(split.values()), pa.list_(pa.string())))
    expected = np.array([inside.issuperset(n_grams([words], 2)) for words in split.values()])
    assert 1000 < expected.sum() < 0.5 * len(expected)
    assert may_occur[expected].all()
    assert may_occur[~expected].mean() < 0.001  # few of 67 million marks are set
