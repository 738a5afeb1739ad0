"""Vectors of texts by rule: the sum of a random vector for each word, of length 1."""

from functools import cache

import numpy as np

from contrapose.base.seeds import generator

MODEL = "bag-of-words"
DIMENSIONS = 64  # where a request says nothing; ours


def embedded(text: str, dimensions: int) -> list[float]:
    """Return the vector of a text; texts that share words have like vectors, those without words zeros."""
    vector = np.zeros(dimensions)
    for word in text.lower().split():
        vector += _of_word(word, dimensions)
    return (vector / (float(np.linalg.norm(vector)) or 1.0)).tolist()


@cache
def _of_word(word: str, dimensions: int) -> np.ndarray:
    return generator("bag of words", word).standard_normal(dimensions)
