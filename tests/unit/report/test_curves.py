"""Figures of a column of tables against what their rows stand for."""

import pandas as pd
import pytest
from contrapose.jobs import CurveJob
from contrapose.report.curves import curve_points

from contrapose.errors import TableError
from contrapose.report.plots import curve_figure
from contrapose.tables import CURVE, PUBLISHABLE, write_table


def job(**changes) -> CurveJob:
    about = {
        "table": "f",
        "caption": "c",
        "source": "s",
        "world": "w",
        "world_description": "d",
        "generated": False,
    }
    settings = {
        "of": ["t"],
        "column": "Mean",
        "points": [("0", 0), ("1-1", 1)],
        "axis": "marks",
        "logarithmic": False,
    }
    return CurveJob(**{**about, **settings, **changes})


def table(name: str = "Mean") -> pd.DataFrame:
    rows = [
        *(("bert", "0", None, name, 40.0, 1.0, 39.0), ("bert", "1-1", None, name, 42.0, 2.0, None)),
        *(("bert", "0", 42, name, 41.0, None, None), ("bert", "0", None, "BQ", 1.0, None, None)),
        *(("large", "1-1", None, name, 50.0, None, None), ("large", "other", None, name, 9.0, None, None)),
    ]
    columns = ["group", "model", "seed", "column", "value", "spread", "published"]
    found = pd.DataFrame(rows, columns=columns).astype({"published": float, "spread": float, "seed": "Int64"})
    return found.reindex(columns=PUBLISHABLE.columns)


def test_points_are_means_over_seeds_a_line_per_group_and_the_papers_beside_them(tmp_path):
    points = curve_points({"t": table()}, job())
    ours = points[points.source == "ours"][["line", "x", "value"]].values.tolist()
    assert ours == [["bert", 0, 40.0], ["bert", 1, 42.0], ["large", 1, 50.0]]
    assert points[points.source == "published"][["line", "x", "value"]].values.tolist() == [["bert", 0, 39.0]]
    write_table(points, tmp_path / "c.parquet", CURVE)
    paths = [tmp_path / f"c.{kind}" for kind in ("pdf", "png", "svg")]
    curve_figure(points, job(), paths)
    before = [path.read_bytes() for path in paths]
    curve_figure(points, job(), paths)
    assert [path.read_bytes() for path in paths] == before


def test_an_average_over_fewer_columns_stands_for_it_and_generated_worlds_show_no_paper():
    points = curve_points({"t": table("Mean of 4")}, job(generated=True))
    assert len(points) == 3
    assert set(points.source) == {"ours"}


def test_a_table_without_a_row_that_is_a_point_is_an_error():
    with pytest.raises(TableError, match="no row of t is one of 7, 8"):
        curve_points({"t": table()}, job(points=[("7", 7), ("8", 8)]))
