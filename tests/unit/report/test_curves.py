import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.tables import CELLS
from tests.kinds import about, cells, drawn, file, report


def table(name: str = "Mean") -> pd.DataFrame:
    rows = [
        *(("bert", "0", None, name, 40.0, 1.0, 39.0), ("bert", "1-1", None, name, 42.0, 2.0, None)),
        *(("bert", "0", 42, name, 41.0, None, None), ("bert", "0", None, "BQ", 1.0, None, None)),
        *(("large", "1-1", None, name, 50.0, None, None), ("large", "other", None, name, 9.0, None, None)),
    ]
    columns = ["group", "model", "seed", "column", "value", "std", "published"]
    return cells(*pd.DataFrame(rows, columns=columns).assign(row=range(len(rows))).to_dict("records"))


def curve(shown, points=None, generated=False):
    settings = {"of": ["t"], "column": "Mean", "points": points or {"0": 0, "1-1": 1}, "axis": "marks"}
    return report("curve", settings, about(generated=generated), [file(shown, CELLS)])


def test_points_are_means_over_seeds_a_line_per_group_and_the_papers_beside_them(tmp_path):
    found = curve(table())
    points = found.tidy
    ours = points[points.source == "ours"][["line", "x", "value"]].values.tolist()
    assert ours == [["bert", 0, 40.0], ["bert", 1, 42.0], ["large", 1, 50.0]]
    assert points[points.source == "published"][["line", "x", "value"]].values.tolist() == [["bert", 0, 39.0]]
    drawn(found, tmp_path)


def test_an_average_over_fewer_columns_stands_for_it_and_generated_catalogs_show_no_paper():
    points = curve(table("Mean of 4"), generated=True).tidy
    assert len(points) == 3
    assert set(points.source) == {"ours"}
    with pytest.raises(TableError, match="no method of t is one of 7, 8"):
        curve(table(), {"7": 7, "8": 8})
