import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest

from contrapose.base.errors import TableError
from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import DETECTIONS, empty
from tests.kinds import pairs as made

COUNT = 200
IDS = pd.Series([f"s{number}/1/0" for number in range(COUNT)])
PAIR_ROWS = as_pairs(IDS, IDS + " anchor", IDS + " text", label=0.9)
LOGITS = np.random.default_rng(1).normal(size=COUNT)
SCORES = pd.DataFrame({"id": IDS, "logit": LOGITS, "fold": 0, "seen": False})
NONE = empty(DETECTIONS)


def reweighted(strategy, pairs=PAIR_ROWS, scores=SCORES, **changes):
    return made("reweighted", pairs, scores, of="dino", strategy=strategy, **changes)


def test_the_weight_is_p_of_human_at_the_temperature():
    two = PAIR_ROWS.head(2)
    scores = SCORES.head(2).assign(logit=[np.log(3), -np.log(3)])[::-1]  # matched by id
    assert reweighted("importance", two, scores).weight.tolist() == pytest.approx([3 / 4, 1 / 4])
    # Half the temperature squares the odds: 9 to 1.
    assert reweighted("importance", two, scores, temperature=0.5).weight.tolist() == pytest.approx([0.9, 0.1])
    assert reweighted("scaled", two, scores, temperature=0.5).weight.tolist() == pytest.approx([1.8, 0.2])


@pytest.mark.parametrize("strategy", ["importance", "scaled", "shuffled", "random"])
def test_nothing_but_the_weights_changes_and_the_order_of_rows_does_not_count(strategy):
    found = reweighted(strategy)
    assert found.drop(columns="weight").equals(PAIR_ROWS.drop(columns="weight"))
    other = reweighted(strategy, PAIR_ROWS[::-1], SCORES.sample(frac=1, random_state=1))
    assert other[::-1].weight.to_numpy() == pytest.approx(found.weight.to_numpy(), rel=1e-6)


def test_shuffled_weights_are_those_of_other_rows():
    own, shuffled = (reweighted(strategy).weight for strategy in ("importance", "shuffled"))
    assert sorted(own) == sorted(shuffled)
    assert (own == shuffled).mean() < 0.05
    assert abs(np.corrcoef(own, shuffled)[0, 1]) < 0.2
    assert not reweighted("shuffled", seed=2).weight.equals(shuffled)


def test_random_weights_are_uniform_and_another_draw_has_others():
    one, two = (reweighted("random", scores=NONE, seed=draw).weight for draw in (1, 2))
    assert kstest(one, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.2
    assert reweighted("random", PAIR_ROWS.tail(3), NONE).weight.tolist() == one.tail(3).tolist()


def test_filtering_drops_the_lowest_share_and_of_equal_scores_those_that_the_id_decides():
    for dropped, left in ((0.1, 180), (0.333, 133), (0.001, 200)):
        found = reweighted("filtering", dropped=dropped)
        assert found.id.tolist() == IDS[np.sort(LOGITS)[COUNT - left] <= LOGITS].tolist()
        assert set(found.weight) == {1}
    found = reweighted("filtering", PAIR_ROWS[::-1], SCORES.assign(logit=0.0), dropped=0.01)
    assert sorted(set(IDS) - set(found.id)) == sorted(IDS)[:2]


@pytest.mark.parametrize("strategy", ["importance", "filtering"])
def test_a_pair_that_was_not_judged_is_an_error(strategy):
    says = "detections: it was made from other pairs, so 's0/1/0' has no score"
    with pytest.raises(TableError, match=says):
        reweighted(strategy, scores=SCORES.tail(COUNT - 2))
