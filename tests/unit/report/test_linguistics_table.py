"""The table of wording, and the figure of labels by p(human)."""

import pandas as pd
import pytest

from contrapose.report.about import Source
from contrapose.tables import DECILES, LINGUISTICS
from tests.kinds import about, drawn, file, report

SOURCES = [Source(label="STSb", id="dino-stsb/sdi"), Source(label="QQP", id=None, note="no qqp here")]
PRINTED = pd.DataFrame(
    {"metric": ["BLEU-N", "Zipf"], "STSb_human": [34.8, 1.03], "STSb_top10": [25.75, 1.07]}
)
OF_BOTH = {"sources": [{"name": source.label, "pairs": "any"} for source in SOURCES]}


def measured() -> pd.DataFrame:
    rows = []
    groups = [("human", "all"), ("human", "positive"), ("top", "source"), ("bottom", "source")]
    for number, (group, partner) in enumerate(groups):
        for texts, n in (("all", 50), ("equal", 7)):
            facts = {"group": group, "texts": texts, "partner": partner, "n": n}
            rows.append({**facts, "measure": "bleu", "value": 0.1 * number + 0.001 * n})
            rows.append({**facts, "measure": "zipf", "value": 1 + 0.1 * number})
    return pd.DataFrame(rows)


@pytest.fixture
def table():
    measures = {"BLEU-N": "bleu", "Zipf": "zipf", "Distinct-1": "distinct1"}
    settings = {**OF_BOTH, "measures": measures, "layout": {"rows": ["metric"]}}
    files = [file(measured(), LINGUISTICS)]
    return report("linguistics", settings, about(sources=SOURCES), files, published=PRINTED)


def test_a_row_per_measure_and_three_columns_per_source(table):
    cells = table.tidy[table.tidy.variant == ""].set_index(["model", "column"])
    assert cells.value["BLEU-N", "STSb_human"] == pytest.approx(0.7)  # 0.007, of equal groups, x100
    assert cells.value["BLEU-N", "STSb_bottom10"] == pytest.approx(30.7)
    assert cells.value["Zipf", "STSb_top10"] == pytest.approx(1.2)
    assert cells.n["Zipf", "STSb_top10"] == 7
    assert cells.published["BLEU-N", "STSb_top10"] == 25.75
    assert cells.published_row["Distinct-1"].eq("").all()
    names = [f"{source}_{group}" for source in ("STSb", "QQP") for group in ("human", "top10", "bottom10")]
    printed = [name for name in table.csv if name.endswith(", published")]
    assert list(table.csv.columns.drop(printed)) == ["catalog", "label", *names, "note"]
    assert table.csv["STSb_top10, published"].tolist()[0] == "25.75"
    assert table.csv.QQP_human.tolist() == ["", "", ""]
    assert table.csv.note[0].endswith("skipped: QQP (no qqp here)")


def test_the_other_readings_stand_below(table):
    cells = table.tidy[table.tidy.model == "BLEU-N"].set_index(["column", "variant"]).value
    assert cells["STSb_human", "all texts, positive pairs"] == pytest.approx(15)
    assert cells["STSb_bottom10", "all texts"] == pytest.approx(35)
    assert len(cells.filter(like="STSb", axis=0)) == 8  # every reading once
    assert "STSb_human, all texts, positive pairs" in table.markdown


def test_a_figure_has_a_panel_for_every_source_also_for_one_that_a_catalog_lacks(tmp_path):
    rows = [(tenth, level, 0.5, 3, -float(tenth)) for tenth in range(1, 11) for level in ("1", "random")]
    counts = file(pd.DataFrame(rows, columns=["tenth", "level", "share", "n", "logit"]), DECILES)
    for sources, files in ((SOURCES, [counts]), (SOURCES[1:], [])):
        found = report("tenths", OF_BOTH, about(sources=sources, generated=True), files)
        assert len(found.tidy) == 22 * len(files)  # ten tenths and all, of two labels
        assert found.tidy[found.tidy.label == "all"].value.tolist() == [0.5, 0.5][: 2 * len(files)]
        drawn(found, tmp_path)
