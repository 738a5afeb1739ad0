"""Curves of growth: fitting, measuring and reporting, on work whose growth is known."""

import numpy as np
import pytest

from benchmarks.curves.laws import INVERSE, LINEAR, SQUARE, fitted
from benchmarks.curves.measure import Curve, Taken, spreads
from benchmarks.curves.report import TABLE, as_markdown, write_report
from contrapose.tables import read_table

X = [1, 10, 100, 1000]


@pytest.mark.parametrize(
    ("law", "constants"), [(LINEAR, [3, 0.5]), (SQUARE, [3, 0.5, 0.01]), (INVERSE, [0.1, 2])]
)
def test_points_on_a_law_give_its_constants(law, constants):
    x = np.array(X, float)
    y = sum(constant * term(x) for constant, term in zip(constants, law.terms, strict=True))
    fit = fitted(law, X, y)
    np.testing.assert_allclose(fit.constants, constants, rtol=1e-6)
    assert abs(fit.furthest) < 1e-6


def test_the_report_holds_the_points_the_law_and_a_figure_that_is_always_the_same(tmp_path):
    curve = Curve("counting", "things", (10, 100), lambda x, folder: lambda: None, {"cpu": LINEAR})
    points = {"count": spreads({10: [Taken(0.02, 1, 1)], 100: [Taken(0.2, 1, 1)]})}
    for folder in (tmp_path / "a", tmp_path / "b"):
        write_report({"group": {"count": curve, "other": curve}}, points, {"cores": 2}, 1, folder)
    assert list(read_table(tmp_path / "a" / "curves.parquet", TABLE).cpu_median) == [0.02, 0.2]
    text = (tmp_path / "a" / "curves.md").read_text()
    assert text == as_markdown({"count": curve}, points, {"cores": 2}, 1)
    assert "| count | things, 10 to 100 | 20 ms to 200 ms CPU | 0 ns + 2 ms x |" in text
    assert (tmp_path / "a" / "group.svg").read_bytes() == (tmp_path / "b" / "group.svg").read_bytes()
