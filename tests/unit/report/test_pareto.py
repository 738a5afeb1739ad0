"""The figure of cost against difference: which rows are dominated, by hand."""

import pandas as pd
import pytest

from contrapose.report.comparison import SECOND
from contrapose.tables import CELLS
from tests.kinds import about, cells, drawn, file, report

ROWS = [  # model, difference, CPU seconds, GPU seconds, USD
    ("Plain", None, 0.0, 0.0, 0.0),
    ("Dropout", 1.0, 90.0, 5.0, 0.0),
    ("Crop", 1.0, 100.0, 0.0, 0.0),  # as good as dropout, and dearer
    ("Asked", 3.0, 80.0, 40.0, 2.0),
    ("Worse", -1.0, 10.0, 0.0, 0.0),
    ("Recorded", 4.0, 90.0, 0.0, None),
]


def table(rows=ROWS) -> pd.DataFrame:
    made = []
    for number, (model, apart, cpu, gpu, usd) in enumerate(rows):
        cell = {"row": number, "model": model, "value": 70.0 + (apart or 0.0)}
        if apart is not None:
            ends = {"difference_low": apart - 1, "difference_high": apart + 2}
            cell |= {"baseline": "Plain", "difference": apart, **ends}
        made.append({**cell, "cpu_seconds": cpu, "gpu_seconds": gpu, "usd": usd, "flops": 1e13 * number})
    second = {**made[-1], "variant": SECOND, "baseline": "Dropout", "difference": 9.0}
    return cells(*made, {"row": 1, "model": "Dropout", "column": "B", "value": 1.0}, second)


def points(rows=ROWS, **settings):
    shown = file(table(rows), CELLS, facts={"ranking column": "A"})
    return report("pareto", {"of": "t", **settings}, about(), [shown])


def dominated(found) -> dict:
    known = found.tidy[found.tidy.x.notna()]
    return dict(zip(known.label, known.line == "dominated", strict=True))


def test_a_row_is_dominated_by_one_that_costs_no_more_and_is_no_lower():
    found = points()
    assert found.tidy.x.tolist() == [0, 95, 100, 120, 10, 90]
    assert dominated(found) == {
        **{"Plain": False, "Dropout": True, "Crop": True, "Asked": True, "Worse": True, "Recorded": False}
    }
    without = points(ROWS[:-1])
    assert dominated(without) == {
        **{"Plain": False, "Dropout": False, "Crop": True, "Asked": False, "Worse": True}
    }
    same = points([ROWS[0], ROWS[1], (*("Twin", 1.0), *ROWS[1][2:])])
    assert dominated(same) == {"Plain": False, "Dropout": False, "Twin": False}


def test_the_baseline_is_at_zero_without_an_interval_and_others_have_theirs():
    first, second = points().tidy.to_dict("records")[:2]
    assert (first["value"], first["baseline"], pd.isna(first["low"])) == (0, "Plain", True)
    assert (second["value"], second["low"], second["high"]) == (1, 0, 3)


def test_of_a_row_whose_cost_is_not_known_nobody_can_tell():
    found = points(cost="usd")
    assert dominated(found) == {
        **{"Plain": True, "Dropout": False, "Crop": False, "Asked": False, "Worse": True}
    }
    assert pd.isna(found.tidy.x.iloc[-1])


@pytest.mark.parametrize(
    ("rows", "settings"),
    [
        (ROWS, {}),
        (ROWS, {"cost": "usd"}),
        (ROWS[:2], {"column": "A"}),
        ([(*row[:2], None, None, None) for row in ROWS], {}),
        ([*ROWS, ("Nobody's", 0.5, None, 0.0, 0.0)], {}),
        (ROWS, {"column": "B"}),  # of one row
    ],
    ids=["log", "unknown", "two", "none", "log and unknown", "empty"],
)
def test_it_is_drawn_with_the_same_bytes(rows, settings, tmp_path):
    found = points(rows, **settings)
    assert found.tidy.empty == (settings == {"column": "B"})
    drawn(found, tmp_path)
