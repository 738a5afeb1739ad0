"""Sentences as the mean of word vectors."""

import numpy as np
import pytest

from contrapose.base.errors import TableError
from contrapose.evaluate.evaluation import VectorSource, sentence_vectors
from contrapose.evaluate.word_vectors import read_vectors, word_averages
from contrapose.settings.encoders import EncoderSettings

# A word with spaces that begins like another, a word twice, capitals, a line separator of Unicode.
LINES = "the 1 0\ncat 0 2\n. . . 9 9\n. 0 1\ncat 7 7\nCat 4 4\nü\u2028 5 5\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(LINES.encode())
    return path


def test_a_sentence_is_the_mean_of_its_known_words(file):
    vectors = word_averages(file, ["the cat", "the the cat", "The cat .", "unknown cat"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.5, 1], [2 / 3, 2 / 3], [1 / 3, 1], [0, 2]], rtol=1e-6)
    # The spelling in the text is looked up first.
    assert word_averages(file, ["Cat", "cat", "CAT"]).tolist() == [[4, 4], [0, 2], [0, 2]]
    found = read_vectors(file, {"cat", ".", "dog"})  # the first of two counts
    assert {word: vector.tolist() for word, vector in found.items()} == {"cat": [0, 2], ".": [0, 1]}


def test_a_sentence_without_a_known_word_gets_zeros_and_is_counted(file, caplog):
    caplog.set_level("INFO")
    found = word_averages(file, ["who knows", "cat", "", "who knows"])
    assert found.tolist() == [[0, 0], [0, 2], [0, 0], [0, 0]]
    with pytest.raises(TableError, match="has no vector for any word of the texts"):
        word_averages(file, ["hund und katze"])
    assert "1 of 3 distinct words have a vector; 2 of 3 distinct texts contain no such word" in caplog.text


@pytest.mark.parametrize("line", ["cat 1", "cat 1 two", "cat"])
def test_a_line_that_is_not_of_the_format_is_named(line, tmp_path):
    path = tmp_path / "torn.txt"
    path.write_text(f"the 1 0\n{line}\n")
    assert word_averages(path, ["the"]).tolist() == [[1, 0]]  # nobody looks at words that do not occur
    with pytest.raises(TableError, match=r"torn\.txt', line 2: 'cat' does not have 2 numbers"):
        word_averages(path, ["the cat"])


def test_word_vectors_and_encoders_are_asked_for_vectors_alike(file, tiny_encoder):
    found = []
    sources = [VectorSource(str(file), "words"), VectorSource(str(tiny_encoder("bert")), "encoder")]
    for source in sources:
        vectors, pooling = sentence_vectors(
            EncoderSettings(pooling="mean"), source, ["the cat", "the"], "cpu"
        )
        found.append((vectors.shape, pooling))
    assert found == [((2, 2), "mean of word vectors"), ((2, 16), "mean")]
