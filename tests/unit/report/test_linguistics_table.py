"""The table of wording, and the figure of labels by p(human)."""

import pandas as pd
import pytest
from contrapose.jobs import JudgedSource, LinguisticsTableJob, TenthsJob
from contrapose.report.linguistics_table import linguistics_csv, linguistics_markdown, linguistics_table
from contrapose.report.tenths import levels_by_tenth, tenths_figure

from contrapose.settings.rows import PrintedLayout
from contrapose.tables import LEVELS, PUBLISHABLE, write_table

ABOUT = {"table": "t", "caption": "c", "source": "s", "world": "w", "world_description": "d"}
SOURCES = [
    JudgedSource(name="STSb", pairs="dino-stsb"),
    JudgedSource(name="QQP", pairs="dino-qqp", missing="no qqp here"),
]
PRINTED = pd.DataFrame(
    {"metric": ["BLEU-N", "Zipf"], "STSb_human": [34.8, 1.03], "STSb_top10": [25.75, 1.07]}
)


def job(**changes) -> LinguisticsTableJob:
    settings = {
        "measures": [("BLEU-N", "bleu"), ("Zipf", "zipf"), ("Distinct-1", "distinct1")],
        "sources": SOURCES,
        "texts": "equal",
        "partner": "all",
        "generated": False,
        "layout": PrintedLayout(rows=["metric"]),
    }
    return LinguisticsTableJob(**{**ABOUT, **settings, **changes})


def measured() -> pd.DataFrame:
    rows = []
    for number, (group, partner) in enumerate(
        [("human", "all"), ("human", "positive"), ("top", "source"), ("bottom", "source")]
    ):
        for texts, n in (("all", 50), ("equal", 7)):
            about = {"group": group, "texts": texts, "partner": partner, "n": n}
            rows.append({**about, "measure": "bleu", "value": 0.1 * number + 0.001 * n})
            rows.append({**about, "measure": "zipf", "value": 1 + 0.1 * number})
    return pd.DataFrame(rows)


def test_a_row_per_measure_and_three_columns_per_source(tmp_path):
    tidy = linguistics_table({"STSb": measured()}, PRINTED, job())
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    cells = tidy.set_index(["model", "column"])
    assert cells.value["BLEU-N", "STSb_human"] == pytest.approx(0.7)  # 0.007, of equal groups, x100
    assert cells.value["BLEU-N", "STSb_bottom10"] == pytest.approx(30.7)
    assert cells.value["Zipf", "STSb_top10"] == pytest.approx(1.2)
    assert cells.n["Zipf", "STSb_top10"] == 7
    assert cells.published["BLEU-N", "STSb_top10"] == 25.75
    assert cells.published_row["Distinct-1"].eq("").all()
    table = linguistics_csv(tidy, job())
    names = [f"{source}_{group}" for source in ("STSb", "QQP") for group in ("human", "top10", "bottom10")]
    assert list(table.columns) == ["world", "label", *names, "note"]
    assert table.iloc[0].tolist()[1:5] == ["BLEU-N", "0.70", "20.70", "30.70"]
    assert table.QQP_human.tolist() == ["", "", ""]
    assert table.note[0].endswith("left out: QQP (no qqp here)")


def test_the_reading_that_is_printed_is_a_setting_and_the_others_stand_below():
    reading = job(texts="all", partner="positive")
    tidy = linguistics_table({"STSb": measured()}, PRINTED, reading)
    cells = tidy[tidy.model == "BLEU-N"].set_index("column").value
    assert cells["STSb_human"] == pytest.approx(15)
    assert cells["STSb_human, equal texts, all pairs"] == pytest.approx(0.7)
    assert cells["STSb_bottom10"] == pytest.approx(35)
    assert cells["STSb_bottom10, equal texts"] == pytest.approx(30.7)
    assert len(cells[cells.index.str.startswith("STSb")]) == 8  # every reading once
    assert "STSb_human, equal texts, all pairs" in linguistics_markdown(tidy, PRINTED, reading)


def test_the_papers_numbers_do_not_stand_beside_those_of_a_world_that_makes_its_text():
    tidy = linguistics_table({"STSb": measured()}, PRINTED, job())
    assert "| BLEU-N | 34.80 | 25.75 |" in linguistics_markdown(tidy, PRINTED, job())
    assert "34.80" not in linguistics_markdown(tidy, PRINTED, job(generated=True))


def test_a_figure_has_a_panel_for_every_source_also_for_one_that_a_world_lacks(tmp_path):
    rows = [(tenth, level, 0.5, 3, -float(tenth)) for tenth in range(1, 11) for level in ("1", "random")]
    counts = pd.DataFrame(rows, columns=["tenth", "level", "share", "n", "logit"])
    figure = TenthsJob(**ABOUT, generated=True, sources=SOURCES)
    for counted in ({"STSb": counts}, {}):
        levels = levels_by_tenth(counted, figure)
        write_table(levels, tmp_path / "l.parquet", LEVELS)
        paths = [tmp_path / f"f.{kind}" for kind in ("pdf", "png", "svg")]
        tenths_figure(levels, figure, paths)
        before = [path.read_bytes() for path in paths]
        tenths_figure(levels, figure, paths)
        assert [path.read_bytes() for path in paths] == before
    assert len(levels_by_tenth({"STSb": counts}, figure)) == 20
