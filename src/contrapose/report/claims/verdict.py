"""The verdict on a claim: its difference, and how certain seeds and test pairs make it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from contrapose.report.inference import LEVEL, mean_difference

Kind = Literal[
    "holds", "same direction", "not told apart", "opposite", "one seed", "not judged in this world"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

DIGITS = 9  # printed numbers have at most four decimals; further digits are rounding errors of subtraction


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds.

    holds : everything that the claim says is true
    same direction : its main difference has the claimed sign, but not everything is true (too small, not for
        every model)
    not told apart : the main difference is 0, or zero is in its 95 % interval, see `verdict`
    opposite : the main difference has the other sign
    one seed : encoders behind it were trained once, so a difference cannot be told from chance
    not judged in this world : it is about something the world lacks, such as a model that follows prompts
    """

    kind: Kind
    difference: float  # mean over seeds, in units of the table; positive is as claimed
    error: float | None  # its standard error; None for one seed without resamples of test pairs
    seeds: int
    detail: str  # the differences behind it
    by_sign: Kind  # the kind if nothing were chance


def verdict(
    parts: Mapping[str, np.ndarray],
    difference: np.ndarray | None = None,
    holds: bool | None = None,
    note: str = "",
    chosen_of: int = 1,
) -> Verdict:
    """Judge a claim by the differences that it is about, arrays as in `Cells`, positive as claimed.

    The main difference, the mean of the parts if not given, is judged as tables of scores compare rows, see
    `mean_difference`; without resamples of test pairs that is Student's t over seeds.
    The part of its variance from test pairs counts as normal: their numbers, at least some hundred, are not
    known here.  Shapes broadcast: 1 seed is a number that depends on no seed, no resamples one that depends
    on no resample of test pairs.  `holds` says whether everything that the claim says is true; by default,
    whether all parts have a positive mean.  A main difference that is the best of several is judged at the
    level divided by their number, `chosen_of` (Bonferroni).
    """
    if difference is None:
        difference = np.mean(np.broadcast_arrays(*parts.values()), axis=0)
    mean = mean_of(difference)
    test = mean_difference(difference[:, 0], difference[:, 1:], np.inf, level=LEVEL / chosen_of)
    if holds is None:
        holds = all(mean_of(part) > 0 for part in parts.values())
    detail = "; ".join(f"{name} {mean_of(part):+.4g}" for name, part in parts.items())
    half = test.high - test.difference  # nan if nothing tells how certain it is: then its sign counts
    kind, by_sign = (_kind(mean, margin, holds) for margin in (np.nan_to_num(half), 0.0))
    error = test.error if difference.size > 1 else None
    return Verdict(kind, mean, error, len(difference), ". ".join(filter(None, [detail, note])), by_sign)


def of_one_seed(one: Verdict) -> Verdict:
    """Return a verdict on single trainings, which gives what their difference would be only in its detail."""
    detail = f"{one.by_sign}, were it not chance"
    if one.error is not None:
        detail += f"; {one.kind} by test pairs alone"
    return replace(one, kind="one seed", detail=f"{detail}. {one.detail}")


def _kind(mean: float, margin: float, holds: bool) -> Kind:
    if abs(mean) <= margin:
        return "not told apart"
    if holds:
        return "holds"
    return "same direction" if mean > 0 else "opposite"


def mean_of(values: np.ndarray) -> float:
    """Return the mean over seeds, without rounding errors of subtraction."""
    return round(float(np.mean(values[:, 0])), DIGITS)


def weakest(*differences: np.ndarray) -> np.ndarray:
    """Return the difference with the smallest mean: for a claim whose parts must all hold."""
    return min(differences, key=mean_of)


def strongest(*differences: np.ndarray) -> np.ndarray:
    """Return the difference with the largest mean: for a claim for which one of many is enough."""
    return max(differences, key=mean_of)


def within(difference: np.ndarray, limit: float) -> np.ndarray:
    """Return a limit minus the absolute value of a difference, for a claim that two are alike.

    An array of shape (1, 1 + resamples) for the mean over seeds: a single seed's may well be larger.
    """
    return limit - np.abs(difference.mean(axis=0, keepdims=True))


def trend(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return the rank correlation (Spearman) of values with their places, for each seed and resample.

    `values` are arrays of shape (seeds, 1 + resamples), in the order in which they are claimed to rise.  The
    result, of the same shape, is in [-1, 1]; 0 where all values are alike, NaN where one is.
    """
    from scipy.stats import rankdata  # slow to import, and plans do not need it

    ranks = rankdata(np.round(np.stack(np.broadcast_arrays(*values)), DIGITS), axis=0)
    places = np.arange(len(values)) - (len(values) - 1) / 2
    ranks -= ranks.mean(axis=0)
    spread = np.sqrt((places**2).sum() * (ranks**2).sum(axis=0))
    return np.divide(np.tensordot(places, ranks, 1), spread, out=np.zeros_like(spread), where=spread != 0)
