"""Tests whether scores differ: paired by test pairs and trainings, and corrected for their number.

docs/explanation/statistics.md explains the tests; tests/reference/test_inference.py simulates their errors.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from math import inf, nan
from typing import NamedTuple, TypeVar

import numpy as np

from contrapose.report.moderation import moderated

R = TypeVar("R", bound=Hashable)

LEVEL = 0.05  # usual significance level, two-sided
POWER = 0.8  # with which a least difference is found; Cohen (1988), Statistical Power Analysis, section 2.4
FEWEST_ROWS = 5  # whose variances over seeds are moderated: of fewer, how far variances differ is not known
# Degrees of freedom of a variance over seeds from which on a power is said: those of five seeds.  Ours: what
# is said to be found with 80 % is then found with 70 to 80 %, else with 51 to 68 % (tests/reference).
FEWEST_FREEDOM = 4
CAUTION = 1.64  # errors by which a correlation over seeds is lowered: a lower limit of 95 %
# Independent test pairs below which nothing is tested: of 3 to 20, an order that is turned round has
# influences of 0, and so p = 0; of 50 and more the tests hold (docs/explanation/statistics.md).
FEWEST_PAIRS = 30
# Test sets that are a sample of sets of their kind.  Ours: of two, t has one degree of freedom.
FEWEST_SETS = 3
MOST_ALIKE = 1 - 1e-9  # a correlation with a place on Fisher's scale


class Score(NamedTuple):
    """A cell of a table with the values behind it."""

    values: np.ndarray  # (seeds,); (1,) for a pretrained encoder
    resampled: np.ndarray  # (seeds, resamples): the same resamples of test pairs for every cell of a column
    freedom: float  # test pairs that share nothing with each other, less 1
    trained: bool = True
    of: object = None  # what the column holds in this row; only rows with the same are compared
    averaged: np.ndarray | None = None  # (seeds,): of the trainings whose weights the row averages

    @property
    def is_untested(self) -> bool:
        """Whether it is not known how much another training would differ, or there are too few test pairs."""
        return (self.trained and len(self.values) == 1) or self.freedom + 1 < FEWEST_PAIRS

    @property
    def variance(self) -> float:
        """Over seeds; nan if that is not known."""
        return float(self.values.var(ddof=1)) if self.trained and len(self.values) > 1 else nan

    @property
    def spread(self) -> "Spread":
        """That of its mean, by its own seeds; of an average of weights that of the mean of its trainings."""
        values = self.values if self.averaged is None else self.averaged
        if len(values) == 1:
            return Spread()
        return Spread(float(values.var(ddof=1)) / len(values), len(values) - 1)


class Spread(NamedTuple):
    """The variance of a difference over seeds, divided by their number, and its degrees of freedom."""

    variance: float = 0.0
    freedom: float = inf


class Difference(NamedTuple):
    """How far one row is above another."""

    difference: float
    low: float  # ends of its 95 % interval
    high: float
    p: float  # two-sided; nan if it is not tested, see `Score.is_untested`
    error: float  # standard error
    over_pairs: float = 0.0  # the part of the variance from test pairs
    freedom: tuple[float, float] = (inf, inf)  # of the parts from pairs and from seeds


def difference(row: Score, other: Score, spread: Spread | None = None, level: float = LEVEL) -> Difference:
    """Return how far a row is above another: see `mean_difference`.  Seeds and resamples are the same.

    `spread` is that of `moderated` variances and of what the rows have in common over seeds; without it, it
    is that of the differences of the seeds, or, beside an average of weights, the sum of both rows'.
    """
    if spread is None and (row.averaged is not None or other.averaged is not None):
        spread = _sum([row.spread, other.spread])
    values, resampled = row.values - other.values, row.resampled - other.resampled
    mean = mean_difference(values, resampled, row.freedom, spread, level)
    return mean._replace(p=nan) if row.is_untested or other.is_untested else mean


def mean_difference(
    values: np.ndarray,
    resampled: np.ndarray,
    freedom: float,
    spread: Spread | None = None,
    level: float = LEVEL,
) -> Difference:
    """Return the mean of a difference over seeds, with interval and p-value.

    Its variance has two parts.  Test pairs: the covariance over resamples of the differences of two seeds,
    averaged over all pairs of seeds; for one seed, the variance.  Seeds: the variance of the differences over
    seeds, n - 1, divided by their number.  What depends on pair and seed together is only in the second part.

    Divided by its standard error, the difference has Student's t with the degrees of freedom of pairs if only
    the first part is there, and with seeds - 1 if only the second is.  In between, tail probabilities are
    averaged, weighted by the parts, as Cochran and Cox (Experimental Designs, 1950) average critical values.
    Satterthwaite's degrees of freedom would give up to 8 % false positives with three seeds: see
    docs/dev/decisions.md.

    Parameters
    ----------
    values : float array of shape (seeds,)
    resampled : float array of shape (seeds, resamples)
        The same resamples for each seed; those with a NaN do not count.  Without any, only the second part
        is there.  p is nan if neither part is known.
    freedom : float
        Degrees of freedom of the first part; `np.inf` makes it normal.
    level : float
        Of the interval, two-sided.
    """
    from scipy.optimize import brentq  # slow to import, and plans do not need it

    value, seeds = float(values.mean()), len(values)
    if spread is None:
        variance = float(values.var(ddof=1)) / seeds if seeds > 1 else 0.0
        spread = Spread(variance, max(seeds - 1, 1))
    finite = resampled[:, np.isfinite(resampled).all(axis=0)]
    over_pairs = _over_pairs(finite)
    error = float(np.sqrt(over_pairs + spread.variance))
    if error == 0:
        known = finite.shape[1] > 1 or seeds > 1  # then the runs are identical
        return Difference(value, *((value, value, float(value == 0)) if known else (nan, nan, nan)), 0.0)
    estimate = Difference(value, value, value, nan, error, over_pairs, (freedom, spread.freedom))
    half = error * brentq(lambda t: _tail(estimate, t) - level / 2, 0, 1000)
    return estimate._replace(low=value - half, high=value + half, p=2 * _tail(estimate, abs(value) / error))


def _over_pairs(resampled: np.ndarray) -> float:
    """Return the part of the variance from test pairs: 0 without resamples."""
    if resampled.shape[1] < 2:
        return 0.0
    covariance = np.atleast_2d(np.cov(resampled))
    if len(resampled) == 1:
        return float(covariance[0, 0])
    return max(0.0, float(covariance[~np.eye(len(resampled), dtype=bool)].mean()))


def spreads(scores: Mapping[R, Score]) -> dict[R, Spread]:
    """Return the moderated spread of the mean of each row; none for fewer than `FEWEST_ROWS` trained rows.

    All of them must have the same number of seeds, two at least; `FEWEST_ROWS` must have a variance above 0.
    """
    trained = {row: score for row, score in scores.items() if score.trained}
    seeds = {len(score.values) for score in trained.values()}
    variances = [score.variance for score in trained.values()]
    if len(seeds) != 1 or min(seeds) < 2 or sum(each > 0 for each in variances) < FEWEST_ROWS:
        return {}
    number = min(seeds)
    pulled, freedom = moderated(variances, number - 1)
    of_trained = {
        row: Spread(float(variance), float(of_row))
        for row, variance, of_row in zip(trained, pulled / number, freedom, strict=True)
    }
    return {
        row: of_trained.get(row) or _of_average(score, trained, of_trained) for row, score in scores.items()
    }


def _of_average(score: Score, trained: Mapping[R, Score], of_trained: Mapping[R, Spread]) -> Spread:
    """Return the spread of a row that is not trained: that of the row whose weights it averages, if any."""
    behind = () if score.averaged is None else score.averaged
    same = (row for row, each in trained.items() if np.array_equal(each.values, behind))
    return next((of_trained[row] for row in same), score.spread)


def _sum(of_rows: Sequence[Spread], shared: float = 0.0) -> Spread:
    """Return the spread of a difference of two rows with a covariance."""
    return Spread(sum(each.variance for each in of_rows) - 2 * shared, min(each.freedom for each in of_rows))


def comparisons(scores: Mapping[R, Score], pairs: Mapping[R, R]) -> dict[R, Difference]:
    """Return how far rows are above others, {row: the other one}, with p corrected for their number."""
    of_row = spreads(scores)
    differences = {row: _pair(scores, of_row, row, other) for row, other in pairs.items()}
    corrected = holm([each.p for each in differences.values()])
    return {row: each._replace(p=p) for (row, each), p in zip(differences.items(), corrected, strict=True)}


def _pair(
    scores: Mapping[R, Score], of_row: Mapping[R, Spread], row: R, other: R, level: float = LEVEL
) -> Difference:
    spread = None
    if of_row:
        both = [of_row[row], of_row[other]]
        scale = np.sqrt(both[0].variance * both[1].variance)
        spread = _sum(both, float(scale) * _correlation(scores[row], scores[other]))
    return difference(scores[row], scores[other], spread, level)


def _correlation(row: Score, other: Score) -> float:
    """Return what two rows have at least in common over seeds, as a seed fixes batches and masks of both.

    The correlation over seeds, lowered by `CAUTION` of its standard errors on Fisher's scale (Fisher 1921,
    Metron 1, 3), and at least 0; 0 with fewer than four seeds, for which there is no such error.
    """
    seeds = len(row.values)
    if not (row.trained and other.trained) or seeds < 4 or not min(row.variance, other.variance) > 0:
        return 0.0
    measured = np.corrcoef(row.values, other.values)[0, 1].clip(-MOST_ALIKE, MOST_ALIKE)
    return max(0.0, float(np.tanh(np.arctanh(measured) - CAUTION / np.sqrt(seeds - 3))))


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, in their order; a nan is none and stays.

    Holm (1979), Scandinavian Journal of Statistics 6, 65.
    """
    values = np.asarray(p, float)
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known], kind="stable")]
    values[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1)), 1)
    return values.tolist()


def ranks(scores: Mapping[R, Score]) -> dict[R, tuple[int, int]]:
    """Return the best and the worst rank that each row may have; none if a row is not tested.

    A row is behind those that are significantly better, and before those that are significantly worse, among
    the comparisons of all pairs of rows, corrected for their number.  So all true ranks are within their
    intervals in at least 95 % of tables.
    """
    if any(score.is_untested for score in scores.values()):
        return {}
    of_row, pairs = spreads(scores), list(combinations(scores, 2))
    differences = [_pair(scores, of_row, *pair) for pair in pairs]
    better, worse = dict.fromkeys(scores, 0), dict.fromkeys(scores, 0)
    for (row, other), each, p in zip(pairs, differences, holm([each.p for each in differences]), strict=True):
        if p <= LEVEL:
            first, second = (row, other) if each.difference > 0 else (other, row)
            better[second] += 1
            worse[first] += 1
    return {row: (1 + better[row], len(scores) - worse[row]) for row in scores}


def may_be_best(scores: Mapping[R, Score]) -> dict[R, bool]:
    """Return whether each row may be the best: none is significantly above it.

    None if there is a single row, or one is not tested.  Each row is compared with all others, corrected
    for their number (Bonferroni), so a truly best row is among them in at least 95 % of tables (subset
    selection: Gupta 1965, Technometrics 7, 225).
    """
    if len(scores) < 2 or any(score.is_untested for score in scores.values()):
        return {}
    of_row, level = spreads(scores), LEVEL / (len(scores) - 1)
    return {
        row: not any(
            each.difference > 0 and each.p <= level
            for each in (_pair(scores, of_row, other, row) for other in scores if other != row)
        )
        for row in scores
    }


def most_above(scores: Mapping[R, Score], row: R, groups: int = 1) -> dict[R, Difference]:
    """Return how far each other row is above one, with a `high` that the best of them is below in 95 %.

    That is one-sided and corrected for the number of other rows (Bonferroni), so it also holds for a row that
    was chosen by these scores: comparisons with the best, Hsu (1984), Annals of Statistics 12, 1136.  Of some
    `groups` of rows the best of each is below it, in 95 % all together.  Empty if a row is not tested.
    """
    if len(scores) < 2 or any(score.is_untested for score in scores.values()):
        return {}
    of_row, level = spreads(scores), 2 * LEVEL / (len(scores) - 1) / groups
    return {other: _pair(scores, of_row, other, row, level) for other in scores if other != row}


def over_sets(mean: Difference, of_sets: Sequence[Difference]) -> tuple[float, float]:
    """Return the ends of a 95 % interval of the mean difference over all test sets of this kind.

    `mean` is the difference of the averages, `of_sets` those on each set.  How far these are apart beyond
    their own errors is the variance between sets, by moments as in DerSimonian and Laird (1986), Controlled
    Clinical Trials 7, 177; what the errors of two sets have in common, as both are of the same trainings,
    follows from that of the average.  Student's t with sets - 1 degrees of freedom, as Hartung and Knapp
    (2001), Statistics in Medicine 20, 3875, take it.  nan for fewer than `FEWEST_SETS`.
    """
    from scipy.special import stdtrit

    number = len(of_sets)
    if number < FEWEST_SETS:
        return nan, nan
    fixed, own = mean.error**2, float(np.mean([each.error**2 for each in of_sets]))
    common = (number * fixed - own) / (number - 1)
    between = max(0.0, float(np.var([each.difference for each in of_sets], ddof=1)) - (own - common))
    half = float(stdtrit(number - 1, 1 - LEVEL / 2)) * (fixed + between / number) ** 0.5
    return mean.difference - half, mean.difference + half


def equivalence(estimate: Difference, margin: float) -> float:
    """Return the p-value of a difference within -margin and +margin: two one-sided tests.

    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657.
    """
    if not estimate.error or np.isnan(estimate.p):
        return nan
    return _tail(estimate, (margin - abs(estimate.difference)) / estimate.error)


def _tail(estimate: Difference, t: float) -> float:
    from scipy.special import stdtr

    share = estimate.over_pairs / estimate.error**2
    return float(share * stdtr(estimate.freedom[0], -t) + (1 - share) * stdtr(estimate.freedom[1], -t))


def least_difference(estimate: Difference, tests: int = 1) -> float:
    """Return the true difference found with probability `POWER`, as the first of some tests (Holm).

    nan if there is no p, or the variance over seeds has fewer than `FEWEST_FREEDOM` degrees of freedom.
    """
    from scipy.optimize import brentq

    over_seeds, freedom = estimate.error**2 - estimate.over_pairs, estimate.freedom[1]
    unknown = over_seeds > 1e-9 * estimate.error**2 and freedom < FEWEST_FREEDOM
    if not estimate.error or np.isnan(estimate.p) or unknown:
        return nan
    error = float(np.sqrt(estimate.over_pairs + over_seeds / median_share(freedom)))
    # As the sum of two quantiles, exact if the error were known and near it for t (Cohen, section 2.4).
    ends = [LEVEL / tests / 2, 1 - POWER]
    usual = estimate._replace(error=error)
    return error * sum(brentq(lambda t, end=end: _tail(usual, t) - end, 0, 1000) for end in ends)


def median_share(freedom: float) -> float:
    """Return the share of a variance that its estimates are below in half of all cases."""
    from scipy.special import chdtri

    return float(chdtri(freedom, 0.5)) / freedom if freedom < inf else 1.0


def needed(estimate: Difference, share: float = 0.5) -> tuple[float, float]:
    """Return by what to multiply test pairs or else seeds, so that the error is a share of today's.

    `inf` where one of them alone cannot do it.
    """
    wanted, over_seeds = share**2 * estimate.error**2, estimate.error**2 - estimate.over_pairs
    factors = [
        part / (wanted - other) if wanted > other else inf
        for part, other in ((estimate.over_pairs, over_seeds), (over_seeds, estimate.over_pairs))
    ]
    return factors[0], factors[1]
