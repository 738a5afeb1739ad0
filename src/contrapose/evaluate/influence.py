"""Scores with the influence of each pair or item on them, from which their errors follow.

The influence h of a pair is the derivative of the score by the pair's weight among n (the infinitesimal
jackknife; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 21).  The variance of a score
is the sum of (h / n)^2, that of a difference of two encoders the sum of ((h - h') / n)^2.  Where pairs share
sentences, the products of theirs are added: see `contrapose.evaluate.sharing`.
"""

from typing import Any, NamedTuple

import numpy as np

from contrapose.evaluate.sharing import Sharing

CONFIDENCE = 0.95


class Measured(NamedTuple):
    """A score and the influence of each pair or item on it, of shape (n,) and with mean 0."""

    value: float
    influence: np.ndarray


def spearman(values: np.ndarray, gold: np.ndarray) -> Measured:
    """Return Spearman's rank correlation of two arrays of shape (n,), ties with their average rank.

    Undefined, with a division by zero, if all values or all gold scores are equal.
    """
    first, second = _Ranks(values), _Ranks(gold)
    covariance = np.mean(first.ranks * second.ranks)
    of_covariance = first.ranks * second.ranks + first.above(second.ranks) + second.above(first.ranks)
    variances = [np.mean(each.ranks**2) for each in (first, second)]
    of_variances = [each.ranks**2 + 2 * each.above(each.ranks) for each in (first, second)]
    return _correlation(covariance, of_covariance, variances, of_variances)


def pearson(values: np.ndarray, gold: np.ndarray) -> Measured:
    """Return Pearson's correlation of two arrays of shape (n,); undefined as `spearman`."""
    first, second = values - values.mean(), gold - gold.mean()
    squares = [first**2, second**2]
    return _correlation(np.mean(first * second), first * second, [np.mean(each) for each in squares], squares)


CORRELATIONS = {"spearman": spearman, "pearson": pearson}


def ratio(parts: np.ndarray) -> Measured:
    """Return a ratio of sums over pairs or items, such as accuracy or F1.

    `parts`, of shape (n, 2): the contribution of each to numerator and denominator.
    """
    above, below = parts.mean(axis=0)
    return Measured(float(above / below), (parts[:, 0] - above / below * parts[:, 1]) / below)


def mean(values: np.ndarray) -> Measured:
    """Return the mean of numbers of shape (n,)."""
    return Measured(float(values.mean()), values - values.mean())


def f1(predicted: np.ndarray, gold: np.ndarray) -> Measured:
    """Return the F1 of what is true, of two bool arrays of shape (n,)."""
    return ratio(np.column_stack([2.0 * (predicted & gold), 1.0 * predicted + gold]))


def average_precision(scores: np.ndarray, labels: np.ndarray) -> Measured:
    """Return the average precision of scores of shape (n,) for labels 0 and 1.

    The influence of a pair is what leaving it out changes, times n - 1.  Pairs of equal scores count in their
    order, while scikit-learn takes them together.
    """
    order = np.argsort(-scores, kind="stable")
    hit = labels[order].astype(float)
    rank, hits, n = np.arange(1, len(hit) + 1), np.cumsum(hit), len(hit)
    precision = hit * hits / rank
    # What the pairs after one have without it: its place, and its hit if it is one.
    later = hit / np.maximum(rank - 1, 1)
    without_miss, without_hit = (_suffix(later * (hits - each)) for each in (0, 1))
    before = np.cumsum(precision) - precision
    value = precision.sum() / hits[-1]
    left = np.where(
        hit > 0, (before + without_hit) / max(hits[-1] - 1, 1), (before + without_miss) / hits[-1]
    )
    influence = np.empty(n)
    influence[order] = (n - 1) * (value - left)
    return Measured(float(value), influence - influence.mean())


def _suffix(values: np.ndarray) -> np.ndarray:
    """Return the sum of all later values."""
    return values[::-1].cumsum()[::-1] - values


def interval(
    influence: np.ndarray, value: float, sharing: Sharing | None = None, correlation: bool = False
) -> tuple[float, float]:
    """Return the 95 % interval of a score by Student's t, from influences of shape (n,).

    Degrees of freedom are those of the effective number of pairs.  The interval of a correlation is symmetric
    on Fisher's scale, so it stays within [-1, 1].  NaN for fewer than two effective pairs.
    """
    from scipy.stats import t  # slow to import, and plans do not need it

    count = len(influence) if sharing is None else sharing.effective
    if count < 2:
        return np.nan, np.nan
    alone = float(influence @ influence)
    squared = alone if sharing is None else sharing.squared(influence)
    # An estimate below 0 says nothing; that of the pairs alone is the next best.
    error = np.sqrt((squared if squared > 0 else alone) * count / (count - 1)) / len(influence)
    half = t.ppf((1 + CONFIDENCE) / 2, count - 1) * error
    if not correlation or abs(value) >= 1:
        return float(value - half), float(value + half)
    low, high = np.tanh(np.arctanh(value) + np.array([-1, 1]) * half / (1 - value**2))
    return float(low), float(high)


def scored(measured: Measured, sharing: Sharing | None = None, correlation: bool = False) -> dict[str, Any]:
    """Return what a row of SCORES says about a correlation, or a score in [0, 1], with its `interval`."""
    value, influence = measured
    ends = interval(influence, value, sharing, correlation)
    low, high = ends if correlation else np.clip(ends, 0, 1)
    return {"value": value, "n": len(influence), "ci_low": low, "ci_high": high, "influence": influence}


class _Ranks:
    """Ranks of n numbers as a share of n, centred at 0; ties have their average rank."""

    def __init__(self, numbers: np.ndarray) -> None:
        from scipy.stats import rankdata

        self.n = len(numbers)
        self.ranks = (rankdata(numbers) - (self.n + 1) / 2) / self.n
        _, self.group, self.sizes = np.unique(numbers, return_inverse=True, return_counts=True)

    def above(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum of the weights of larger numbers, and half of those of equal ones, over n."""
        of_group = np.bincount(self.group, weights)
        return ((of_group[::-1].cumsum()[::-1] - of_group / 2) / self.n)[self.group]


def _correlation(
    covariance: float, of_covariance: np.ndarray, variances: list[float], of_variances: list[np.ndarray]
) -> Measured:
    """Return a correlation from a covariance and two variances, each with the influence on it."""
    value = covariance / np.sqrt(variances[0] * variances[1])
    relative = sum(each / variance for each, variance in zip(of_variances, variances, strict=True))
    influence = of_covariance / np.sqrt(variances[0] * variances[1]) - value / 2 * relative
    return Measured(float(np.clip(value, -1, 1)), influence - influence.mean())
