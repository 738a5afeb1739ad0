"""Correlations and means of resampled pairs or items, many resamples at once."""

from collections.abc import Iterator
from typing import Any

import numpy as np

CELLS = 1_000_000  # numbers per temporary array: 8 MB, and about nine of them at a time


def resampled_correlations(
    values: np.ndarray, gold: np.ndarray, resamples: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return Spearman's and Pearson's correlation of each resample of the pairs, with replacement.

    A resample is stored as the count of each pair in it.  Ranks then follow from running sums over the sorted
    values, without sorting each resample; ties get their average rank, as in `scipy.stats.spearmanr`.

    `values` and `gold` have the shape (n,).  `rng` draws n indices per resample, so two encoders with equal
    generators get equal resamples.  The results have the shape (resamples,), NaN where all values or all gold
    scores of a resample are equal.
    """
    n = len(values)
    rank_values, rank_gold = _Ranks(values), _Ranks(gold)
    centred = values - values.mean(), gold - gold.mean()
    found: dict[str, list[np.ndarray]] = {"spearman": [], "pearson": []}
    for counts in _counts(n, resamples, rng):
        ranks = rank_values(counts), rank_gold(counts)
        found["spearman"].append(_correlation(counts, *ranks, equal=0.0))
        # Rounding may give a constant a tiny variance, relative to that of all pairs.
        found["pearson"].append(_correlation(counts, *centred, equal=1e-12))
    return {metric: np.concatenate(parts) for metric, parts in found.items()}


def resampled_means(values: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return the means of k numbers per pair over each resample of the pairs.

    `values` is a float array of shape (n, k), the result has shape (resamples, k); the generator draws as
    for `resampled_correlations`.
    """
    n = len(values)
    return np.concatenate([counts @ values / n for counts in _counts(n, resamples, rng)])


def resampled_ratio(parts: np.ndarray, resamples: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return a ratio of sums over pairs or items, such as accuracy or F1, in the form of `with_interval`.

    `parts`, of shape (n, 2): the contribution of each to numerator and denominator.
    """
    resampled = resampled_means(parts, resamples, rng)
    above, below = parts.sum(axis=0)
    # F1 is undefined for a resample without any positives, predicted or real.
    ratios = resampled[:, 0] / np.where(resampled[:, 1], resampled[:, 1], np.nan)
    return with_interval(above / below, ratios, len(parts))


def _counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield how often each of n pairs is in each resample: float arrays of shape (rows, n)."""
    step = max(1, CELLS // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(0, n, size=(rows, n))
        cells = drawn + n * np.arange(rows)[:, None]
        yield np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


class _Ranks:
    """Ranks within resamples, (rows, n), centred at 0, from the count of each of n numbers in them."""

    def __init__(self, numbers: np.ndarray) -> None:
        _, self.group = np.unique(numbers, return_inverse=True)  # (n,), equal numbers share a group
        self.order = np.argsort(self.group, kind="stable")
        self.starts = np.flatnonzero(np.diff(self.group[self.order], prepend=-1))

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        sizes = np.add.reduceat(counts[:, self.order], self.starts, axis=1)  # (rows, groups)
        # A group of size s that ends at rank e has the average rank e - (s - 1) / 2.
        ranks = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
        return ranks[:, self.group] - (counts.shape[1] + 1) / 2


def _correlation(counts: np.ndarray, first: np.ndarray, second: np.ndarray, equal: float) -> np.ndarray:
    """Return Pearson's correlation for each row of counts, of numbers of shape (n,) or (rows, n)."""
    n = counts.shape[1]
    mean_first = (counts * first).sum(axis=1) / n
    mean_second = (counts * second).sum(axis=1) / n
    covariance = (counts * first * second).sum(axis=1) / n - mean_first * mean_second
    variance_first = (counts * first**2).sum(axis=1) / n - mean_first**2
    variance_second = (counts * second**2).sum(axis=1) / n - mean_second**2
    smallest = equal * np.mean(first**2), equal * np.mean(second**2)
    defined = (variance_first > smallest[0]) & (variance_second > smallest[1])
    product = np.where(defined, variance_first * variance_second, np.nan)
    return np.clip(covariance / np.sqrt(product), -1, 1)


def percentile_interval(values: np.ndarray, confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of resamples, not all NaN; NaN values are ignored."""
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)


def with_interval(value: float, resampled: np.ndarray, n: int) -> dict[str, Any]:
    """Return value, n, low and high of a score of n pairs or items, and the scores of its resamples."""
    low, high = percentile_interval(resampled)
    return {"value": float(value), "n": n, "low": low, "high": high, "resampled": resampled}


def correlations(values: np.ndarray, gold: np.ndarray) -> dict[str, float]:
    """Return Spearman's and Pearson's correlation of two float arrays of shape (n,)."""
    from scipy.stats import pearsonr, spearmanr

    functions = {"spearman": spearmanr, "pearson": pearsonr}
    return {name: float(function(values, gold).statistic) for name, function in functions.items()}
