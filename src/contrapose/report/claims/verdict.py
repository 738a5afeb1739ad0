"""What becomes of a claim: its difference, as clear as the seeds let it be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

Kind = Literal["holds", "same direction", "no difference", "opposite", "one seed"]
KINDS: tuple[Kind, ...] = ("holds", "same direction", "no difference", "opposite", "one seed")

CONFIDENCE = 0.95  # that a difference is not zero, two-sided; the usual level
DIGITS = 9  # printed numbers have at most four decimals; further digits are what subtraction leaves over


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds.

    holds : everything that the claim says is so
    same direction : its main difference has the claimed sign, but not all of it is so (too small, not for
        every model)
    no difference : the main difference is 0, or zero is in its `CONFIDENCE` interval (Student's t)
    opposite : the main difference has the other sign
    one seed : encoders behind it were trained once, which tells no difference from chance
    """

    kind: Kind
    difference: float  # mean over seeds, in units of the table; positive is as claimed
    error: float | None  # its standard error over seeds; None for one seed
    seeds: int
    detail: str  # the differences behind it


def verdict(
    parts: Mapping[str, np.ndarray],
    difference: np.ndarray | None = None,
    holds: bool | None = None,
    note: str = "",
) -> Verdict:
    """Judge a claim.

    Parameters
    ----------
    parts : mapping of name: array of shape (seeds,), or (1,) where no seed enters
        The differences that the claim is about, positive as claimed.
    difference : array, optional
        The main one; the mean of the parts if not given.
    holds : bool, optional
        Whether all that the claim says is so; if not given, whether all parts are positive on average.
    note : str
        What else a reader has to know.
    """
    if difference is None:
        difference = np.mean(np.broadcast_arrays(*parts.values()), axis=0)
    mean, seeds = mean_of(difference), len(difference)
    error = float(np.std(difference, ddof=1) / np.sqrt(seeds)) if seeds > 1 else None
    if holds is None:
        holds = all(mean_of(part) > 0 for part in parts.values())
    detail = "; ".join(f"{name} {mean_of(part):+.4g}" for name, part in parts.items())
    kind = _kind(mean, error * critical_errors(seeds) if error else 0.0, holds)
    return Verdict(kind, mean, error, seeds, ". ".join(filter(None, [detail, note])))


def of_one_seed(found: Verdict) -> Verdict:
    """Return a verdict on single trainings, which says in its detail alone what their difference would be."""
    return replace(found, kind="one seed", detail=f"{found.kind}, were it not chance. {found.detail}")


def critical_errors(seeds: int) -> float:
    """Return how many standard errors from zero a mean over two seeds or more must be: 4.30 for three.

    The two-sided quantile of Student's t with one degree of freedom less than there are seeds.
    """
    from scipy.special import stdtrit  # takes longer to import than a plan has time for

    return float(stdtrit(seeds - 1, (1 + CONFIDENCE) / 2))


def _kind(mean: float, margin: float, holds: bool) -> Kind:
    if abs(mean) <= margin:
        return "no difference"
    if holds:
        return "holds"
    return "same direction" if mean > 0 else "opposite"


def mean_of(values: np.ndarray) -> float:
    """Return the mean over seeds, without the digits that subtraction leaves over."""
    return round(float(np.mean(values)), DIGITS)


def weakest(*differences: np.ndarray) -> np.ndarray:
    """Return the difference with the smallest mean: for a claim whose parts count only together."""
    return min(differences, key=mean_of)


def strongest(*differences: np.ndarray) -> np.ndarray:
    """Return the difference with the largest mean: for a claim that one of many is enough for."""
    return max(differences, key=mean_of)


def within(difference: np.ndarray, limit: float) -> np.ndarray:
    """Return what is left of what a difference may be in either direction, for a claim that two are alike.

    An array of shape (1,), of the mean over seeds: that of a single seed may well be larger.
    """
    return np.array([limit - abs(mean_of(difference))])


def trend(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return the rank correlation (Spearman) of values with their places, for each seed.

    `values` are arrays of shape (seeds,), in the order in which they are claimed to rise.  The result, of
    the same shape, is in [-1, 1]; 0 where all values are alike.
    """
    by_seed = np.round(np.broadcast_arrays(*values), DIGITS).T
    places = pd.Series(range(len(values)))
    return np.array([np.nan_to_num(pd.Series(of_seed).rank().corr(places)) for of_seed in by_seed])
