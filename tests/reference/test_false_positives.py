"""How often equally good rows of a table differ by chance, and how often a real difference is found."""

import numpy as np
import pytest

from contrapose.evaluate.influence import mean, pearson
from contrapose.report.inference import LEVEL, Score, comparisons, difference
from contrapose.report.resampling import Resamples

REPEATS, PAIRS, RESAMPLES = 600, 100, 100
ERROR = (LEVEL * (1 - LEVEL) / REPEATS) ** 0.5  # of a share of REPEATS that is LEVEL


def rows(rng, seeds, of_pairs, of_seeds, of_both, better=()):
    """Return encoders whose score is a mean over pairs, with what is random of a pair, a seed and both.

    Standard deviations are those of the mean.  `better` has how far each row after the first is above it.
    """
    same, found = str(rng.integers(2**32)), []
    resamples = Resamples(RESAMPLES)
    for gain in (0.0, *better):
        noise = of_pairs * rng.normal(size=(PAIRS, 1)) + of_both * rng.normal(size=(PAIRS, seeds))
        values = gain + of_seeds * rng.normal(size=seeds) + PAIRS**0.5 * noise  # (pairs, seeds)
        resampled = np.stack([resamples(same, *mean(of_seed)) for of_seed in values.T])
        found.append(Score(values.mean(axis=0), resampled, PAIRS - 1, trained=seeds > 1))
    return found


def p_values(seeds, *spreads):
    rng = np.random.default_rng([seeds, *(int(10 * each) for each in spreads)])
    return np.array([difference(*rows(rng, seeds, *spreads, [0.0])).p for _ in range(REPEATS)])


@pytest.mark.parametrize(
    ("seeds", "spreads"),
    [(1, (1, 0, 0)), (3, (1, 0, 0)), (3, (0, 1, 0)), (3, (0, 0, 1))],  # test pairs alone, trainings alone
)
def test_one_in_twenty_differs_by_chance(seeds, spreads):
    assert (p_values(seeds, *spreads) < LEVEL).mean() == pytest.approx(LEVEL, abs=3 * ERROR)


def test_correlations_of_pretrained_encoders_differ_as_often():
    rng, found = np.random.default_rng(5), []
    for _ in range(REPEATS):
        gold, same, scores = rng.normal(size=PAIRS), str(rng.integers(2**32)), []
        resamples = Resamples(RESAMPLES)
        for _ in range(2):
            measured = pearson(gold + rng.normal(size=PAIRS), gold)
            resampled = resamples(same, *measured)[None]
            scores.append(Score(np.array([measured.value]), resampled, PAIRS - 1, trained=False))
        found.append(difference(*scores).p)
    assert (np.array(found) < LEVEL).mean() == pytest.approx(LEVEL, abs=3 * ERROR)


@pytest.mark.parametrize(("picked", "low", "high"), [(False, 0.0, 0.03), (True, 0.03, 0.11)])
def test_a_learning_curve_of_rows_that_were_picked_as_the_best_rises_too_often(picked, low, high):
    rng, repeats, rises = np.random.default_rng(1), 400, 0  # two rows of 16 equal ones
    for _ in range(repeats):
        every = rng.normal(size=(16, 5))
        full = every[every.mean(axis=1).argsort()[-2:]] if picked else every[:2]
        part = {share: rng.normal(size=(2, 5)) for share in (25, 50)}
        scores = {
            (row, share): Score(values[row], np.zeros((5, 2)), PAIRS - 1)
            for share, values in {**part, 100: full}.items()
            for row in range(2)
        }
        found = comparisons(scores, {each: (each[0], 100) for each in scores if each[1] < 100})
        rises += any(found[row, 50].p <= LEVEL and found[row, 50].difference < 0 for row in range(2))
    assert low <= rises / repeats <= high
