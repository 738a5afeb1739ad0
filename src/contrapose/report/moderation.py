"""Variances of rows over seeds, drawn towards a common one as far as they look alike."""

from collections.abc import Sequence
from math import inf

import numpy as np

FEWEST_FITTED = 3  # rows that a distribution of variances is fitted to.  Ours
# Tails below and above which a variance is no draw of the distribution of the others.  Ours: of simulated
# tables of equal rows, larger tails take more power than they avoid false positives (test_inference.py).
OUTLYING = (0.005, 0.025)
MOST_PRIOR = 1e9  # degrees of freedom in place of infinitely many, which these functions do not take


def moderated(variances: Sequence[float], freedom: int) -> tuple[np.ndarray, np.ndarray]:
    """Return variances drawn towards a common one as far as they look alike, and their degrees of freedom.

    Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3(1), section 6.2: variances are
    taken as draws of a scaled inverse chi-square distribution, fitted by the moments of their logarithms.

    A row that scatters otherwise than the others keeps its own variance, and has no part in the fit.  The
    robust form of Phipson et al. (2016), Annals of Applied Statistics 10, 946, needs hundreds of rows for
    that.  Of some tens, the row that fits the distribution of the others least is taken out until the tails
    beyond all rows are larger than `OUTLYING`.

    Parameters
    ----------
    variances : floats, one of each row; those that are 0 have no part in the fit
    freedom : int
        Of each, seeds - 1.  All together never have more than the sum of theirs.
    """
    values = np.asarray(variances, float)
    inside = values > 0
    while inside.sum() > FEWEST_FITTED and (outlier := _outlier(values, inside, freedom)) is not None:
        inside[outlier] = False
    prior, scale = _prior(values[inside], freedom)
    alike = inside | (values == 0)
    weight = 1.0 if prior == inf else prior / (prior + freedom)
    pulled = np.where(alike, weight * scale + (1 - weight) * values, values)
    return pulled, np.where(alike, min(prior + freedom, freedom * inside.sum()), freedom)


def _prior(variances: np.ndarray, freedom: int) -> tuple[float, float]:
    """Return degrees of freedom and scale of the distribution that variances are drawn from."""
    from scipy.optimize import brentq
    from scipy.special import digamma, polygamma

    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    beyond = logs.var(ddof=1) - polygamma(1, freedom / 2)
    prior = inf
    if beyond > polygamma(1, MOST_PRIOR):  # the inverse of the trigamma function
        ends = -15, np.log(MOST_PRIOR)
        prior = 2 * np.exp(brentq(lambda log: np.log(polygamma(1, np.exp(log)) / beyond), *ends))
    return prior, np.exp(logs.mean() + (digamma(prior / 2) - np.log(prior / 2) if prior < inf else 0))


def _outlier(variances: np.ndarray, inside: np.ndarray, freedom: int) -> int | None:
    """Return the row inside that is furthest beyond what the others leave to expect; None if none is.

    That is one with the least or with the largest variance.
    """
    from scipy.special import fdtr, fdtrc

    beyond: dict[int, float] = {}
    rows = np.flatnonzero(inside)
    for which, tail, limit in zip((np.argmin, np.argmax), (fdtr, fdtrc), OUTLYING, strict=True):
        row = int(rows[which(variances[rows])])
        prior, scale = _prior(variances[rows[rows != row]], freedom)
        beyond[row] = tail(freedom, min(prior, MOST_PRIOR), variances[row] / scale) / limit
    row = min(beyond, key=beyond.__getitem__)
    return row if beyond[row] < 1 else None
