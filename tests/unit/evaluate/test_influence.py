"""Influences against numerical derivatives, jackknives and intervals of scipy."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr, ttest_1samp
from sklearn.metrics import average_precision_score, f1_score

from contrapose.evaluate.fine_tuned import class_scores
from contrapose.evaluate.influence import average_precision, interval, mean, pearson, scored, spearman
from contrapose.evaluate.sharing import Sharing

N, STEP = 60, 1e-6


def drawn(decimals: int) -> tuple[np.ndarray, np.ndarray]:
    """Return values and gold scores; fewer decimals, more ties."""
    rng = np.random.default_rng(decimals)
    values = np.round(rng.normal(size=N), decimals)
    return values, np.round(values + rng.normal(size=N), 0)


def weighted_pearson(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> float:
    covariance = np.cov(first, second, aweights=weights, ddof=0)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def weighted_spearman(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> float:
    ranks = [
        ((each[None] < each[:, None]) + (each[None] == each[:, None]) / 2) @ weights
        for each in (first, second)
    ]
    return weighted_pearson(*ranks, weights)


@pytest.mark.parametrize("decimals", [0, 1, 6])
@pytest.mark.parametrize(
    ("ours", "weighted", "theirs"),
    [(spearman, weighted_spearman, spearmanr), (pearson, weighted_pearson, pearsonr)],
)
def test_an_influence_is_the_derivative_by_a_pairs_weight(ours, weighted, theirs, decimals):
    values, gold = drawn(decimals)
    found, equal = ours(values, gold), np.full(N, 1 / N)
    assert found.value == pytest.approx(theirs(values, gold).statistic, abs=1e-12)
    moved = (1 - STEP) * equal + STEP * np.eye(N)
    slopes = [(weighted(values, gold, each) - weighted(values, gold, equal)) / STEP for each in moved]
    assert found.influence == pytest.approx(slopes, abs=1e-4)


def test_average_precision_is_scikit_learns_and_its_jackknife():
    rng = np.random.default_rng(1)
    labels = (rng.random(N) < 0.4).astype(int)
    scores = labels + rng.normal(size=N)
    found, value = average_precision(scores, labels), average_precision_score(labels, scores)
    assert found.value == pytest.approx(value)
    without = [
        average_precision_score(np.delete(labels, at), np.delete(scores, at)) for at in range(N)
    ]  # fmt: skip
    left_out = (N - 1) * (value - np.array(without))
    assert found.influence == pytest.approx(left_out - left_out.mean())


def test_classes_are_scored_as_by_scikit_learn():
    rng = np.random.default_rng(2)
    gold, said = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    said[::2] = gold[::2]
    found = class_scores(gold, said)
    for name, average in (("micro_f1", "micro"), ("macro_f1", "macro")):
        assert found[name].value == pytest.approx(f1_score(gold, said, average=average))
    assert found["accuracy"] is found["micro_f1"]
    # The jackknife of macro-F1, which is nearly linear in the weight of one of 300 pairs.
    without = [
        f1_score(np.delete(gold, at), np.delete(said, at), average="macro") for at in range(300)
    ]  # fmt: skip
    left_out = 299 * (found["macro_f1"].value - np.array(without))
    assert found["macro_f1"].influence == pytest.approx(left_out - left_out.mean(), abs=0.03)


def test_the_interval_of_a_mean_is_students():
    values = np.random.default_rng(3).normal(size=20)
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    assert interval(mean(values).influence, values.mean()) == pytest.approx((expected.low, expected.high))


def test_pairs_of_one_sentence_count_as_one():
    values = np.random.default_rng(4).normal(size=20)
    twice, others = np.repeat(values, 2), [f"text {number}" for number in range(40)]
    same = [f"sentence {number // 2}" for number in range(40)]
    found = interval(mean(twice).influence, twice.mean(), Sharing(same, others))
    assert found == pytest.approx(interval(mean(values).influence, values.mean()))
    assert np.isnan(interval(mean(values).influence, 0.0, Sharing(["one"] * 20, others[:20]))).all()


def test_the_interval_of_a_correlation_is_scipys_for_normal_numbers():
    rng = np.random.default_rng(5)
    values = rng.normal(size=20000)
    gold = 0.9 * values + rng.normal(size=20000)
    found = scored(pearson(values, gold), correlation=True)
    expected = pearsonr(values, gold).confidence_interval(0.95)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((expected.low, expected.high), abs=2e-4)
    few = scored(pearson(values[:5], values[:5] + 0.1 * gold[:5]), correlation=True)
    assert -1 <= few["ci_low"] <= few["value"] <= few["ci_high"] <= 1
