"""Pairwise cosines without PyTorch, which takes too long to import for reports and plans."""

import numpy as np


def paired_cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of `first` with that of `second`, both (n, D): float64 of shape (n,).

    Computed in float64; SimCSE's float32 differs only by rounding.  A zero vector has cosine 0 with
    every other vector.
    """
    first, second = first.astype(np.float64), second.astype(np.float64)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products = np.einsum("nd,nd->n", first, second)
    return np.clip(products / np.maximum(lengths, np.finfo(float).tiny), -1, 1)
