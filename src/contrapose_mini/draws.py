"""Draws that the made-up world and its language model both make."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def choice(rng: np.random.Generator, options: Sequence[T]) -> T:
    """Draw one of `options` with equal chances."""
    return options[int(rng.integers(len(options)))]


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with the given probability."""
    return bool(rng.random() < probability)
