"""The mean of the vectors of a sentence's words."""

import gzip
import logging
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from contrapose.base.errors import SHOWN, TableError, shown

logger = logging.getLogger(__name__)


def word_averages(path: str | Path, texts: Sequence[str]) -> np.ndarray:
    """Return the mean of the vectors of each text's words: float32 of shape (n, D).

    Words are separated by white space, as in SentEval's bag of words, whose files are tokenised.  Frequent
    words are not left out, and a word that occurs twice counts twice.  A word is looked up as written and,
    unlike in SentEval, otherwise in lower case, for files without capitals.  A text without any known word
    gets zeros; in SentEval, the vector of a full stop.

    Raises TableError if the file is not in GloVe's text format, or contains none of the words.
    """
    numbers, once = pd.factorize(np.array(texts, dtype=object))
    split = [text.split() for text in once]
    written = {word for each in split for word in each}
    vectors = read_vectors(path, written | {word.lower() for word in written})
    known = {word: vectors.get(word, vectors.get(word.lower())) for word in written}
    by_text = [[vector for word in each if (vector := known[word]) is not None] for each in split]
    logger.info(
        "%d of %d distinct words have a vector; %d of %d distinct texts contain no such word and get "
        "a zero vector",
        sum(each is not None for each in known.values()),
        len(known),
        sum(not each for each in by_text),
        len(by_text),
    )
    if not vectors:
        raise TableError(
            f"'{path}': the file has no vector for any word of the texts. Check that its language is that "
            "of the texts."
        )
    none = np.zeros_like(next(iter(vectors.values())))
    return np.array([np.mean(each or [none], axis=0) for each in by_text], np.float32)[numbers]


def read_vectors(path: str | Path, wanted: Collection[str]) -> dict[str, np.ndarray]:
    """Read the vectors, of shape (D,), of some words from a file in GloVe's text format, line by line.

    Each line has a word and D numbers, D as on the first line; the file is gzip-compressed if its name ends
    in .gz.  Words that contain a space (GloVe's 840B has some) are ignored: words of texts have none.  If a
    word occurs twice, the first is used.  Raises TableError if a line has fewer numbers than the first, or
    something else in their place; the file cannot be read.
    """
    names = {word.encode(): word for word in wanted}
    vectors: dict[str, np.ndarray] = {}
    size = 0
    # Bytes: only a line feed ends a line, not Unicode's other line separators.
    for number, line in enumerate(_lines(path), 1):
        name, _, rest = line.rstrip().partition(b" ")
        values = rest.split()
        if number == 1:
            size = len(values)
            if not size or (size == 1 and name.isdigit() and rest.isdigit()):
                raise TableError(
                    f"'{path}', line 1: {shown(line[:SHOWN])} is not a word followed by numbers, "
                    "which is GloVe's text format. If the file has word2vec's format, remove its "
                    "first line, which gives the counts."
                )
        word = names.get(name)
        if (
            word is None or word in vectors or len(values) > size
        ):  # a word with spaces that starts with this one
            continue
        try:
            vector = np.array(values, dtype=np.float32)
        except ValueError:
            vector = np.empty(0, np.float32)
        if len(vector) < size or not np.isfinite(vector).all():
            raise TableError(
                f"'{path}', line {number}: '{word}' does not have {size} numbers like the word in the "
                "first line. GloVe's text format has a word and its numbers, separated by spaces. "
                "Correct the line, or download the file again."
            )
        vectors[word] = vector
    return vectors


def _lines(path: str | Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if str(path).endswith(".gz") else open(path, "rb") as file:
            yield from file
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(
            f"'{path}': the file cannot be read to its end ({error}). Download it again."
        ) from error
