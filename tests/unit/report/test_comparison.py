"""Differences between rows of a table of scores: worked values, and scipy in loops."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from contrapose.report.about import TableRow
from contrapose.report.comparison import SECOND, baseline_rows, with_differences
from contrapose.report.inference import Score, difference
from contrapose.report.row_settings import BaselineRow

GROUPED = [TableRow(group=group, model=model, runs=["r"]) for group in "AB" for model in ("plain", "new")]


def score(values, resampled, trained=True):
    return Score(np.array(values, float), np.array(resampled, float), 999, trained)


def test_what_all_seeds_share_over_resamples_comes_on_top():
    shared = np.array([0.5, -0.5, 0.5, -0.5, 0.5, -0.5])  # variance 0.3
    own, other = score([3, 4, 5], np.tile(shared, (3, 1))), score([2], np.zeros((1, 6)), trained=False)
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
    own = score([3], [[3.0, 4, np.nan, 2, 3]], trained=False)
    assert difference(own, own)[:5] == (0, 0, 0, 1, 0)
    other = score([2], [[2.0, 2, 2, np.nan, 3]], trained=False)
    error = np.std([1, 2, 0], ddof=1)
    assert difference(own, other).p == pytest.approx(2 * t.sf(1 / error, 999))


def tidy(rows):
    return pd.DataFrame(
        {"row": range(rows), "column": "x", "variant": "", "seed": pd.NA, "model": "m", "resampled": None}
    )


def scores_of(values, of="eeee", trained=False):
    rng = np.random.default_rng(1)
    return {
        row: Score(np.array([value]), value + rng.normal(0, 0.1, (1, 100)), 99, trained, kind)
        for row, (value, kind) in enumerate(zip(values, of, strict=True))
    }


def test_a_second_baseline_has_cells_of_its_own():
    scores = {"x": scores_of([0, 1, 2, 3])}
    found = with_differences(tidy(4), scores, GROUPED, [[0] * 4, [1] * 4], margin=0.5)
    second = found[found.variant == SECOND].set_index("row")
    assert second.baseline.to_dict() == dict.fromkeys((0, 2, 3), "A: new")
    assert second.difference.to_dict() == pytest.approx({0: -1, 2: 1, 3: 2}, abs=0.05)
    assert second.p_equal.min() > 0.5  # all further apart than the margin
    assert second.in_best_set.isna().all()


def test_a_baseline_by_encoder_is_the_row_of_that_encoder():
    rows = [
        TableRow(group="SimCSE", model=f"SimCSE-{name}", runs=["r"], encoder=name, published=name)
        for name in ("bert", "roberta")
    ]
    rows.append(
        TableRow(group="Own settings", model="roberta", runs=["r"], encoder="roberta", fair_for="roberta")
    )
    rows += [
        TableRow(group="Ours", model=name, runs=["r"], encoder=name) for name in ("bert", "roberta", "glove")
    ]
    by_encoder = BaselineRow(row="SimCSE", by="encoder")
    assert baseline_rows(rows, by_encoder) == [0, 1, 1, 0, 1, None]


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
    assert baseline_rows(rows, baseline and BaselineRow(row=baseline)) == expected


def pooled(model, pooling, untrained="", trained=False, encoder="mine"):
    runs = [f"released/{encoder}/{pooling}"] if not trained else [f"{model}/r/seed42"]
    return TableRow(model=model, runs=runs, trained=trained, encoder=encoder, untrained=untrained)


OWN, MEAN = pooled("No training", "auto"), pooled("No training, mean pooling", "mean")
CHANGED = pooled("Dropout", "", "released/mine/mean", trained=True)
KEPT = pooled("Crop", "", trained=True)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([OWN, CHANGED], [0, 0]),  # no row has that pooling
        ([OWN, MEAN, CHANGED], [1, 1, 1]),
        ([OWN, MEAN, CHANGED, KEPT], [0, 0, 1, 0]),
        ([OWN, MEAN, KEPT], [0, 0, 0]),
        # A row that names its pooling stays the baseline of all.
        ([pooled("No training", "lasttoken"), MEAN, CHANGED], [0, 0, 0]),
    ],
)
def test_a_row_with_another_pooling_is_compared_with_the_encoder_pooled_alike(rows, expected):
    assert baseline_rows(rows, BaselineRow(row="No training")) == expected
