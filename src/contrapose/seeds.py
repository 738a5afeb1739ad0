"""Randomness that depends on names, never on the order of work.

Every random draw gets its own generator, seeded by what it is for: the result is the same for any
number of shards, cores and reruns.
"""

import hashlib
import json

import numpy as np


def derived_seed(*parts: str | int) -> int:
    """Return a 64-bit seed that is a function of `parts` alone, the same on every machine."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def generator(*parts: str | int) -> np.random.Generator:
    """Return a NumPy generator seeded by `derived_seed(*parts)`."""
    return np.random.default_rng(derived_seed(*parts))
