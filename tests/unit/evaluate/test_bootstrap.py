import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from contrapose.evaluate import bootstrap
from contrapose.evaluate.bootstrap import percentile_interval, resampled_correlations


@pytest.mark.parametrize(("n", "decimals"), [(30, 1), (200, 6), (77, 0)])
def test_resamples_equal_the_loop_over_scipy_in_any_number_of_pieces(n, decimals, monkeypatch):
    monkeypatch.setattr(bootstrap, "CELLS", 7 * n)
    data = np.random.default_rng(n)
    gold = np.round(5 * data.random(n), 1)
    values = np.round(gold / 5 + data.normal(0, 0.3, n), decimals)  # fewer decimals, more ties
    fast = resampled_correlations(values, gold, 40, np.random.default_rng(1))
    drawn = np.random.default_rng(1).integers(0, n, (40, n))
    for metric, function in (("spearman", spearmanr), ("pearson", pearsonr)):
        slow = [function(values[at], gold[at]).statistic for at in drawn]
        assert fast[metric] == pytest.approx(slow, abs=1e-12)


def test_a_resample_of_equal_numbers_has_no_correlation_and_rounding_makes_none_larger_than_1():
    values, gold = np.array([0.1, 0.2, 0.3]), np.array([1.0, 1.0, 2.0])
    fast = resampled_correlations(values, gold, 60, np.random.default_rng(1))
    drawn = np.random.default_rng(1).integers(0, 3, (60, 3))
    equal = np.ptp(gold[drawn], axis=1) == 0
    assert 0 < equal.sum() < 60
    values = np.random.default_rng(0).random(50)
    for metric in ("spearman", "pearson"):
        assert (np.isnan(fast[metric]) == equal).all()
        for sign in (1, -1):
            found = resampled_correlations(values, 3 * sign * values, 200, np.random.default_rng(1))[metric]
            assert np.abs(found).max() <= 1
            assert found == pytest.approx(sign)


def test_the_interval_is_between_the_percentiles_and_skips_what_is_undefined():
    sample = np.append(np.arange(1001) / 1000, np.nan)
    assert percentile_interval(sample) == pytest.approx((0.025, 0.975))


def test_means_of_resamples_are_those_of_the_drawn_pairs(monkeypatch):
    monkeypatch.setattr(bootstrap, "CELLS", 25)  # several blocks
    values = np.random.default_rng(4).normal(size=(10, 3))
    drawn = np.random.default_rng(9).integers(0, 10, size=(7, 10))
    found = bootstrap.resampled_means(values, 7, np.random.default_rng(9))
    np.testing.assert_allclose(found, values[drawn].mean(axis=1))


@pytest.mark.filterwarnings("error")
def test_a_ratio_is_that_of_all_pairs_and_resamples_without_one_do_not_count():
    parts = np.array([[2.0, 4.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    found = bootstrap.resampled_ratio(parts, 300, np.random.default_rng(1))
    sums = parts[np.random.default_rng(1).integers(0, 4, size=(300, 4))].sum(axis=1)
    defined = sums[sums[:, 1] > 0]
    assert len(defined) < 300
    expected = np.quantile(defined[:, 0] / defined[:, 1], [0.025, 0.975])
    assert (found["value"], found["n"]) == (3 / 5, 4)
    assert [found["low"], found["high"]] == pytest.approx(expected)
