import pandas as pd
import pytest

from contrapose.report.plots import sts_plot
from contrapose.tables import PUBLISHABLE


def tidy(seeds=(42,)):
    rows = []
    for row, (group, model) in enumerate([("A", "bert"), ("A", "roberta"), ("B", "bert")]):
        for column, value in [("STS12", 60.0), ("SICK-R", None), ("Avg.", 60.0)]:
            interval = {"low": value - 2, "high": value + 2} if column == "STS12" else {}
            cell = {"table": "t", "world": "w", "row": row, "group": group, "model": model, "column": column}
            rows += [{**cell, "seed": s, "value": value and value + s - 42, **interval} for s in seeds]
            rows.append({**cell, "value": value, **(interval if len(seeds) == 1 else {"spread": 1.0})})
    return pd.DataFrame(rows, columns=PUBLISHABLE.columns).astype({"seed": "Int64"})


@pytest.mark.parametrize("seeds", [(42,), (42, 43)])
def test_equal_tables_give_equal_pictures(tmp_path, seeds):
    sts_plot(tidy(seeds), tmp_path / "a.png")
    sts_plot(tidy(seeds), tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_without_values_has_a_picture_too(tmp_path):
    sts_plot(tidy().assign(value=None), tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 0
