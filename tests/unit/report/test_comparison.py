"""Differences between rows of a table of scores: worked values, and scipy in loops."""

import numpy as np
import pandas as pd
import pytest
from contrapose.evaluate.bootstrap import resampled_correlations
from scipy.stats import norm, spearmanr, t, ttest_rel

from contrapose.report.about import TableRow
from contrapose.report.comparison import Score, baseline_rows, difference, holm, with_differences

GROUPED = [TableRow(group=group, model=model, runs=["r"]) for group in "AB" for model in ("plain", "new")]


def score(values, resampled, n=1000):
    return Score(np.array(values, float), np.array(resampled, float), n)


def test_holm_multiplies_the_smallest_by_their_number_and_the_next_by_one_less():
    # Holm (1979): 3 x 0.01, then 2 x 0.04 = 0.08, then 0.05 -> not below the one before it
    assert holm([0.04, 0.01, 0.05]) == pytest.approx([0.08, 0.03, 0.08])
    assert holm([0.6, 0.7]).tolist() == [1, 1]
    assert holm([]).size == 0


def test_one_seed_has_the_spread_of_paired_resamples_of_test_pairs():
    rng = np.random.default_rng(3)
    gold = rng.normal(size=60)
    cosines = [gold + rng.normal(0, noise, 60) for noise in (0.5, 1.0)]
    rows = []
    for values in cosines:
        resampled = resampled_correlations(values, gold, 400, np.random.default_rng(9))["spearman"]
        rows.append(Score(np.array([spearmanr(values, gold)[0]]), resampled[None], 60))
    draws = np.random.default_rng(9).integers(0, 60, size=(400, 60))  # what both rows were resampled by
    apart = [np.subtract(*(spearmanr(values[at], gold[at])[0] for values in cosines)) for at in draws]
    value, error = np.subtract(*(spearmanr(values, gold)[0] for values in cosines)), np.std(apart, ddof=1)
    half = t.ppf(0.975, 59) * error
    p = 2 * t.sf(value / error, 59)
    assert difference(*rows) == pytest.approx((value, value - half, value + half, p, error))


def test_seeds_whose_resamples_have_nothing_in_common_are_compared_by_the_paired_t_test():
    own, other = np.array([70.0, 72, 71]), np.array([69.0, 70.5, 70.9])
    still = [[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]  # covariances 0
    found = difference(score(own, still), score(other, np.zeros((3, 4))))
    expected = ttest_rel(own, other)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(expected.confidence_interval())


def test_what_all_seeds_share_over_resamples_comes_on_top():
    shared = np.array([0.5, -0.5, 0.5, -0.5, 0.5, -0.5])  # variance 0.3
    own, other = score([3, 4, 5], np.tile(shared, (3, 1))), score([2], np.zeros((1, 6)))
    found = difference(own, other)  # a pretrained encoder has no seeds
    pairs, seeds = 0.3, 1 / 3
    error, share = (pairs + seeds) ** 0.5, pairs / (pairs + seeds)
    assert found.difference == 2
    assert found.p == pytest.approx(
        2 * (share * t.sf(2 / error, 999) + (1 - share) * t.sf(2 / error, 2)), rel=1e-9
    )
    ends = (found.high - 2) / error, (2 - found.low) / error
    assert ends[0] == pytest.approx(ends[1])
    assert norm.ppf(0.975) < ends[0] < t.ppf(0.975, 2)
    assert 2 * (share * t.sf(ends[0], 999) + (1 - share) * t.sf(ends[0], 2)) == pytest.approx(0.05)


def test_resamples_without_a_score_do_not_count_and_identical_runs_do_not_differ():
    own = score([3], [[3.0, 4, np.nan, 2, 3]])
    assert difference(own, own) == (0, 0, 0, 1, 0)
    other = score([2], [[2.0, 2, 2, np.nan, 3]])
    error = np.std([1, 2, 0], ddof=1)
    assert difference(own, other).p == pytest.approx(2 * t.sf(1 / error, 999))


def test_rows_that_hold_other_sets_in_a_column_are_not_compared():
    tidy = pd.DataFrame({"row": range(4), "column": "x", "seed": pd.NA, "value": [1, 2, 3, 4]})
    held = {row: Score(np.array([row]), np.full((1, 3), row), 9, of) for row, of in enumerate("eejj")}
    found = with_differences(tidy, {"x": held}, GROUPED, [0, 0, 0, 0])
    assert found.baseline.tolist() == ["", "A: plain", "", ""]
    assert found.tied.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("rows", "baseline", "expected"),
    [
        (GROUPED, None, [0, 0, 2, 2]),
        (GROUPED, "new", [1, 1, 3, 3]),
        (GROUPED, "B: plain", [2, 2, 2, 2]),
        (GROUPED[:3], None, [0, 0, 2]),
        (GROUPED[:3], "new", [1, 1, 1]),
        (GROUPED[1:3], None, [0, 0]),
        ([GROUPED[0].model_copy(update={"runs": []}), *GROUPED[1:]], None, [1, 1, 2, 2]),
    ],
)
def test_the_baseline_is_that_of_the_group_or_of_the_table(rows, baseline, expected):
    assert baseline_rows(rows, baseline) == expected
