"""Randomness that depends on names, never on the order of work.

Every random draw gets its own generator, seeded by what it is for: the result is the same for any
number of shards, cores and reruns.
"""

import hashlib
import json
from collections.abc import Iterable

import numpy as np


def derived_seed(*parts: str | int) -> int:
    """Return a 64-bit seed that is a function of `parts` alone, the same on every machine."""
    return int.from_bytes(hashlib.sha256(_name(parts)).digest()[:8], "big")


def generator(*parts: str | int) -> np.random.Generator:
    """Return a NumPy generator seeded by `derived_seed(*parts)`."""
    return np.random.default_rng(derived_seed(*parts))


def uniforms(keys: Iterable[tuple[str | int, ...]], count: int) -> np.ndarray:
    """Return uniform numbers for each of n keys, where a generator for each would cost too much.

    The keys are as for `derived_seed`.  Returns float64 of shape (n, count), in [0, 1), 53 bits of SHAKE-128
    each; a smaller count gives the first of these numbers.  About 4 us per key.
    """
    bits = [hashlib.shake_128(_name(parts)).digest(8 * count) for parts in keys]
    return (np.frombuffer(b"".join(bits), "<u8").reshape(len(bits), count) >> 11) * 2.0**-53


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)  # `json.dumps` would make one a key


def _name(parts: tuple[str | int, ...]) -> bytes:
    return _ENCODER.encode(parts).encode()
