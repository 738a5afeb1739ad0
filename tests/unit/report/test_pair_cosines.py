"""Cosines of test pairs before and after training, against pandas and SciPy."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from contrapose.report.about import TableRow
from contrapose.report.pair_cosines import BINS, by_level, compared_runs, cosine_picture, is_higher, levels_of

RANDOM = np.random.default_rng(0)
COUNT = 300


def pairs(task: str, scores: np.ndarray) -> pd.DataFrame:
    keys = {"task": task, "form": "raw", "split": "test", "subset": task, "row": range(len(scores))}
    return pd.DataFrame({**keys, "sentence1": "a", "sentence2": "b", "score": scores})


def cosines(gold: pd.DataFrame, noise: float) -> pd.DataFrame:
    values = np.tanh(gold.score / 5 + noise * RANDOM.normal(size=len(gold)))
    return gold[["task", "form", "split", "subset", "row"]].assign(cosine=values)


GOLD = pairs("own", RANDOM.integers(0, 26, COUNT) / 5)  # 0 to 5 in steps of 0.2


@pytest.mark.parametrize(
    ("scores", "levels"),
    [
        ([0, 1, 2, 3], ["dissimilar", "dissimilar", "similar", "similar"]),
        ([0, 1.6, 1.7, 3.3, 3.4, 5], ["dissimilar", "dissimilar", None, None, "similar", "similar"]),
        ([0, 1, 1], ["dissimilar", "similar", "similar"]),
        ([2, 2], [None, None]),
    ],
)
def test_a_level_is_a_third_of_the_scale(scores, levels):
    found = levels_of(pairs("own", np.array(scores, float)))
    assert [None if pd.isna(each) else each for each in found] == levels


def test_each_set_has_a_scale_of_its_own():
    both = pd.concat([pairs("own", np.array([0.0, 5.0])), pairs("own_2", np.array([0.0, 1.0]))])
    assert levels_of(both.reset_index(drop=True)).tolist() == ["dissimilar", "similar"] * 2


def test_numbers_quantiles_and_histograms_are_those_of_pandas():
    before, after = cosines(GOLD, 0.5), cosines(GOLD, 0.1)
    picture = cosine_picture(GOLD, before, after.sample(frac=1, random_state=0), "Dropout, seed 42")
    bounds = {"similar": GOLD.score >= 10 / 3, "dissimilar": GOLD.score <= 5 / 3}
    expected = []
    for when, table in {"before": before, "after": after}.items():
        for level, chosen in bounds.items():
            values = table.cosine[chosen]
            quantiles = values.quantile([0.05, 0.25, 0.5, 0.75, 0.95])
            expected.append([when, level, str(chosen.sum()), *quantiles.map("{:.2f}".format)])
    assert picture.quantiles.rows == expected
    assert picture.levels == (
        "Similar pairs have a gold score of at least 3.33, and dissimilar pairs one of at most 1.67, on a "
        "scale from 0 to 5."
    )
    every = pd.concat([table.cosine[chosen] for table in (before, after) for chosen in bounds.values()])
    counts = [
        pd.cut(table.cosine[chosen], np.linspace(every.min(), every.max(), BINS + 1), include_lowest=True)
        .value_counts(sort=False, normalize=True)
        .to_numpy()
        for table in (before, after)
        for chosen in bounds.values()
    ]
    heights = np.array(counts) / np.max(counts)
    shapes = [shape for _, panel in picture.panels for shape in panel.areas]
    for shape, height in zip(shapes, heights, strict=True):
        tops = [float(place.split(",")[1]) for place in shape.points.split()[1:-1:2]]
        np.testing.assert_allclose(tops, 100 - 100 * height, atol=0.01)
    assert [title for title, _ in picture.panels] == [
        "Before training",
        "After training with Dropout, seed 42",
    ]
    assert picture.panels[0][1].y_ticks[0] == (0.0, f"{100 * np.max(counts):.0f}")


def test_the_answer_is_the_probability_of_mann_and_whitney():
    similar, dissimilar = map(np.array, by_level(GOLD, cosines(GOLD, 0.5)).values())
    similar[:5] = dissimilar[:5] = 0.5  # ties
    expected = mannwhitneyu(similar, dissimilar).statistic / len(similar) / len(dissimilar)
    assert is_higher(similar, dissimilar) == pytest.approx(expected)
    assert (is_higher(np.ones(3), np.zeros(2)), is_higher(np.ones(3), np.ones(2))) == (1.0, 0.5)
    picture = cosine_picture(GOLD, cosines(GOLD, 0.5), cosines(GOLD, 1e-9), "Dropout")
    assert picture.answer.endswith("and of 100.0 % after training with Dropout.")


def test_few_pairs_of_a_level_and_pairs_without_a_cosine_have_no_picture():
    few = pairs("own", np.array([0.0] * 9 + [5.0] * 50))
    assert cosine_picture(few, cosines(few, 0.1), cosines(few, 0.1), "Dropout") is None
    enough = pairs("own", np.array([0.0] * 10 + [5.0] * 50))
    before, after = cosines(enough, 0.1), cosines(enough, 0.1)
    assert cosine_picture(enough, before, after, "Dropout")
    assert cosine_picture(enough, before, after.drop(30), "Dropout") is None


ROWS = [
    TableRow(model="No training", encoder="a", runs=["released/a/auto"], trained=False),
    TableRow(model="Dropout", encoder="a", runs=["d/r/seed42", "d/r/seed43"]),
    TableRow(group="b", model="Crop", encoder="b", runs=["c/r/seed42"], untrained="released/b/cls"),
    TableRow(model="LLM paraphrases", encoder="a"),
]


@pytest.mark.parametrize(
    ("order", "recommended", "expected"),
    [
        ([2, 1, 0], "d/r/seed43", ("released/a/auto", "d/r/seed43", "Dropout, seed 43")),
        ([0, 2, 1], "released/a/auto", ("released/b/cls", "c/r/seed42", "b: Crop, seed 42")),
        ([3, 1, 0], "", ("released/a/auto", "d/r/seed42", "Dropout, seed 42")),
        ([0], "", None),
    ],
)
def test_the_recommended_training_is_compared_or_else_the_best(order, recommended, expected):
    assert compared_runs(ROWS, order, recommended) == expected


def test_without_the_encoder_before_training_nothing_is_compared():
    assert compared_runs(ROWS[1:], [0], "d/r/seed42") is None
