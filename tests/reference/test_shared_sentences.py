"""Differences over test pairs that share sentences: how often they err, and how steady their errors are."""

import numpy as np
import pytest

from contrapose.evaluate.influence import interval, mean
from contrapose.evaluate.sharing import Sharing
from contrapose.report.inference import LEVEL, Score, difference
from contrapose.report.resampling import PairsOfSets, Resamples

REPEATS, RESAMPLES, PAIRS = 600, 400, 400
ERROR = (LEVEL * (1 - LEVEL) / REPEATS) ** 0.5  # of a share of REPEATS that is LEVEL
OF_SENTENCE, OF_PAIR = 0.5, 0.7  # deviations, so that two pairs of one sentence are correlated by a quarter


def graph(rng, chained):
    """Return the sentences of pairs: as many as `chained` are connected at random, the others alone.

    In STS13 171 of 1,500 pairs are connected, and carry 95 % of the variance if they count as one.
    """
    alone = PAIRS + 2 * np.arange(2 * (PAIRS - chained)).reshape(-1, 2)
    tree = [(rng.integers(at), at) for at in range(1, chained * 2 // 3)]  # each sentence with one before it
    more = rng.integers(max(1, chained * 2 // 3), size=(chained - len(tree), 2))
    return np.vstack([np.array(tree, int).reshape(-1, 2), more, alone])


@pytest.mark.parametrize("chained", [0, 100, 400])
def test_one_in_twenty_differs_by_chance_and_the_error_is_that_of_the_graph(chained):
    rng = np.random.default_rng(chained)
    ends = graph(rng, chained)
    sharing = Sharing(*([f"sentence {number}" for number in side] for side in ends.T))
    resamples = Resamples(RESAMPLES, PairsOfSets(np.full(PAIRS, "own", object), sharing))
    degree = np.bincount(ends.ravel())
    true = (OF_SENTENCE**2 * (degree**2).sum() + OF_PAIR**2 * PAIRS) ** 0.5 / PAIRS
    zero = Score(np.zeros(1), np.zeros((1, RESAMPLES)), np.inf, trained=False)
    errors, p, missed = [], [], 0
    for _ in range(REPEATS):
        of_sentence = OF_SENTENCE * rng.normal(size=len(degree))
        values = of_sentence[ends].sum(axis=1) + OF_PAIR * rng.normal(size=PAIRS)
        resampled = resamples("own", *mean(values))[None]
        found = difference(
            Score(values.mean(keepdims=True), resampled, resamples.effective("own", PAIRS) - 1, False), zero
        )
        errors.append(found.error / true)
        p.append(found.p)
        low, high = interval(mean(values).influence, values.mean(), sharing)
        missed += not low <= 0 <= high
    for share in (np.mean(np.array(p) < LEVEL), missed / REPEATS):
        assert share == pytest.approx(LEVEL, abs=3 * ERROR)
    low, high = np.quantile(errors, [0.1, 0.9])
    assert (low, high) == pytest.approx((1, 1), abs=0.2)
