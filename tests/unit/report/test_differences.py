"""The figure of differences to a baseline: against scipy's paired test."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from contrapose.tables import PUBLISHABLE
from tests.kinds import about, drawn_alike, report

COLUMNS = ("STSb_r", "QQP_f1")
VALUES = np.random.default_rng(0).normal(70, 3, size=(2, 3, len(COLUMNS), 5))  # source, model, column, seed


def differences(shown: pd.DataFrame, generated: bool = False):
    return report("differences", {"of": "t", "baseline": "DINO"}, about(generated=generated), shown)


def table(seeds: int = 5) -> pd.DataFrame:
    rows = []
    for at, group in enumerate(("STSb", "QQP")):
        for which, model in enumerate(("RISE", "DINO", "Random")):
            for number, column in enumerate(COLUMNS):
                values = VALUES[at, which, number, :seeds]
                about = {"row": 3 * at + which, "group": group, "model": model, "column": column}
                rows += [{**about, "seed": 42 + k, "value": value} for k, value in enumerate(values)]
                rows.append({**about, "value": values.mean(), "published": 10.0 * which + at})
        rows.append({"row": 9, "group": group, "model": "GloVe", "column": "STSb_r", "value": 1.0})
    return pd.DataFrame(rows).reindex(columns=PUBLISHABLE.columns).sample(frac=1, random_state=1)


def test_intervals_are_those_of_a_paired_t_test():
    points = differences(table()).tidy
    cells = points.set_index(["source", "group", "model", "column"])
    for at, group in enumerate(("STSb", "QQP")):
        for which, model in ((0, "RISE"), (2, "Random")):
            by_column = VALUES[at, which], VALUES[at, 1]
            cases = {name: (by_column[0][k], by_column[1][k]) for k, name in enumerate(COLUMNS)}
            cases["mean"] = (by_column[0].mean(axis=0), by_column[1].mean(axis=0))
            for column, (own, baseline) in cases.items():
                cell = cells.loc["ours", group, model, column]
                expected = ttest_rel(own, baseline).confidence_interval(0.95)
                assert (cell.low, cell.high) == pytest.approx(tuple(expected))
                assert cell.difference == pytest.approx(np.mean(own - baseline))
                assert cell.seeds == 5
    assert cells.difference["published", "QQP", "Random", "mean"] == 10
    assert np.isnan(cells.low["published", "QQP", "Random", "mean"])
    assert set(points.model) == {"RISE", "Random"}  # neither the baseline nor what no seed enters


def test_one_seed_has_a_point_and_no_interval_and_a_world_of_its_own_text_no_paper():
    points = differences(table(seeds=1), generated=True).tidy
    assert set(points.source) == {"ours"}
    assert points.low.isna().all()
    first = points.set_index(["group", "model", "column"]).difference["STSb", "RISE", "STSb_r"]
    assert first == pytest.approx(VALUES[0, 0, 0, 0] - VALUES[0, 1, 0, 0])


def test_the_papers_mean_is_over_the_columns_that_ours_have_or_over_all():
    tidy = table()
    lacking = tidy.assign(value=tidy.value.where(tidy.column == "STSb_r"))
    lacking.loc[tidy.column == "STSb_r", "published"] += 5 * (tidy.model == "RISE")
    for values, expected in ((lacking.value, -5), (None, -7.5)):
        points = differences(lacking.assign(value=values)).tidy
        theirs = points[(points.source == "published") & (points["group"] == "STSb")]
        last = theirs[theirs.model == "RISE"].iloc[-1]  # the mean, or the only column
        assert last.difference == expected


@pytest.mark.parametrize(
    ("tidy", "generated"),
    [(table(), False), (table(1), True), (table()[:0], False), (table().assign(value=None), False)],
)
def test_equal_tables_give_equal_figures(tmp_path, tidy, generated):
    drawn_alike(differences(tidy, generated), tmp_path)
