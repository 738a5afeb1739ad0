"""The table of rewrites, its plot, and a curve of one of its columns."""

import pandas as pd
import pytest
from contrapose.jobs import CurveJob, RewritesTableJob, RewritesTableRow
from contrapose.report.curves import curve_points
from contrapose.report.relations import relations_plot
from contrapose.report.rewrites_table import (
    COLUMNS,
    OF_RELATIONS,
    rewrites_csv,
    rewrites_markdown,
    rewrites_table,
)

from contrapose.tables import PUBLISHABLE, write_table

ABOUT = {
    "table": "t", "caption": "c", "source": "s", "world": "w", "world_description": "d", "generated": True,
}  # fmt: skip
ROWS = [
    RewritesTableRow(group="English", model="0.1", statistics="en/statistics-0.1", note="ppdb: small"),
    RewritesTableRow(group="English", model="0.4", statistics="en/statistics-0.4"),
    RewritesTableRow(group="Japanese", model="0.1", statistics="ja/statistics-0.1"),
    RewritesTableRow(group="Japanese", model="0.4", statistics=None, note="left out: no dictionary"),
]
JOB = RewritesTableJob(**ABOUT, rows=ROWS)


def statistics(at: float, shares: dict[str, float]) -> pd.DataFrame:
    rows = [(each.measure, "", at / 10, 7) for each in COLUMNS.values()]
    for relation, kept in shares.items():
        rows += [("offered", relation, 0.5, 9), ("chance", relation, 0.4, 7), ("kept", relation, kept, 3)]
        rows.append(("refused", relation, 1 - kept, 5))
    return pd.DataFrame(rows, columns=["measure", "relation", "value", "n"])


FOUND = {
    "en/statistics-0.1": statistics(1, {"Equivalence": 0.6, "Independent": 0.4}),
    "en/statistics-0.4": statistics(4, {"Equivalence": 1.0}),
    "ja/statistics-0.1": statistics(2, {"": 1.0}),
}


def test_a_row_for_each_threshold_with_the_relations_that_any_dictionary_tells(tmp_path):
    tidy = rewrites_table(FOUND, JOB)
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    cells = tidy.set_index(["row", "column"])
    assert cells.value[1, "with any"] == pytest.approx(40)
    assert cells.value[1, "candidates"] == pytest.approx(0.4)
    assert cells.value[0, "Independent, kept"] == pytest.approx(40)
    assert cells.n[0, "Independent, kept"] == 3
    table = rewrites_csv(tidy, JOB)
    relations = ("Equivalence", "Independent")
    shares = [f"{relation}, {measure}" for relation in relations for measure in OF_RELATIONS]
    assert list(table.columns) == ["world", "group", "model", *COLUMNS, *shares, "note"]
    assert table.loc[1, ["candidates", "p kept", "BLEU"]].tolist() == ["0.40", "0.400", "40.00"]
    assert table.loc[1, "Independent, kept"] == ""
    assert (table.iloc[3][[*COLUMNS, *shares]] == "").all()
    text = rewrites_markdown(tidy, JOB)
    shares = ["| English | 0.1 | Equivalence | 50.00 | 40.00 | 60.00 | 40.00 |"]
    shares += ["| English | 0.1 | Independent | 50.00 | 40.00 | 40.00 | 60.00 |"]
    shares += ["| English | 0.4 | Equivalence | 50.00 | 40.00 | 100.00 | 0.00 |"]
    assert "\n".join(shares) in text
    assert "| Japanese | 0.1 | no class" not in text  # nor where another dictionary has rules without a class
    mixed = {**FOUND, "en/statistics-0.4": statistics(4, {"Equivalence": 0.9, "": 0.1})}
    some = rewrites_markdown(rewrites_table(mixed, JOB), JOB)
    assert "| English | 0.4 | no class | 50.00 | 40.00 | 10.00 | 90.00 |" in some
    assert "| Japanese | 0.1 | no class" not in some
    assert "- English: 0.1: ppdb: small" in text
    assert "- Japanese: 0.4: left out: no dictionary" in text
    assert "these numbers do not compare with any paper's" in text


def test_a_dictionary_without_relations_has_no_columns_for_them():
    job = RewritesTableJob(**ABOUT, rows=ROWS[2:])
    tidy = rewrites_table(FOUND, job)
    assert list(dict.fromkeys(tidy.column)) == list(COLUMNS)
    assert "What perplexity refuses" not in rewrites_markdown(tidy, job)


@pytest.mark.parametrize("rows", [ROWS, ROWS[2:], ROWS[3:]])
def test_the_plot_has_the_same_bytes_twice_also_without_relations(tmp_path, rows):
    tidy = rewrites_table(FOUND, RewritesTableJob(**ABOUT, rows=rows))
    relations_plot(tidy, tmp_path / "a.png")
    relations_plot(tidy, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_column_can_be_a_curve_over_the_thresholds():
    points = {"points": [("0.1", 0.1), ("0.4", 0.4)], "axis": "theta", "logarithmic": False}
    job = CurveJob(**ABOUT, of=["t"], column="BLEU", **points)
    found = curve_points({"t": rewrites_table(FOUND, JOB)}, job)
    assert found.line.tolist() == ["English", "English", "Japanese", "Japanese"]
    assert found.x.tolist() == [0.1, 0.4, 0.1, 0.4]
    assert found.value[:3].tolist() == pytest.approx([10, 40, 20])
