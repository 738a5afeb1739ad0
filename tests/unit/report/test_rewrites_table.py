import pandas as pd
import pytest

from contrapose.report.about import Source
from contrapose.report.kinds.rewrites import COLUMNS, OF_RELATIONS
from contrapose.tables import REWRITE_STATISTICS
from tests.kinds import about, drawn, file, report

SOURCES = [
    Source(label="English: 0.1", id="en/statistics-0.1", note="ppdb: small"),
    Source(label="English: 0.4", id="en/statistics-0.4"),
    Source(label="Japanese: 0.1", id="ja/statistics-0.1"),
    Source(label="Japanese: 0.4", id=None, note="skipped: no dictionary"),
]


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


def table(sources=SOURCES, found=FOUND):
    labels = (source.label.split(": ") for source in sources)
    rows = [{"group": g, "model": m, "rewrites": "any", "threshold": float(m)} for g, m in labels]
    files = [file(found[each.id], REWRITE_STATISTICS) for each in sources if each.id]
    return report("rewrites", {"rows": rows}, about(sources=sources, generated=True), files)


def test_a_row_for_each_threshold_with_the_relations_that_any_dictionary_tells():
    made = table()
    cells = made.tidy.set_index(["row", "column", "variant"])
    assert cells.value[1, "with any", ""] == pytest.approx(40)
    assert cells.value[1, "candidates", ""] == pytest.approx(0.4)
    assert cells.value[0, "Independent", "kept"] == pytest.approx(40)
    assert cells.n[0, "Independent", "kept"] == 3
    relations = ("Equivalence", "Independent")
    shares = [f"{relation}, {measure}" for relation in relations for measure in OF_RELATIONS]
    assert list(made.csv.columns) == ["catalog", "group", "model", *COLUMNS, *shares, "note"]
    assert made.csv.loc[1, ["candidates", "p kept", "BLEU"]].tolist() == ["0.40", "0.400", "40.00"]
    assert cells.value[3].isna().all()
    lines = [
        "| English | 0.1 | Equivalence | 50.00 | 40.00 | 60.00 | 40.00 |",
        "| English | 0.1 | Independent | 50.00 | 40.00 | 40.00 | 60.00 |",
        "| English | 0.4 | Equivalence | 50.00 | 40.00 | 100.00 | 0.00 |",
    ]
    assert "\n".join(lines) in made.markdown
    mixed = table(found={**FOUND, "en/statistics-0.4": statistics(4, {"Equivalence": 0.9, "": 0.1})}).markdown
    assert "| English | 0.4 | no class | 50.00 | 40.00 | 10.00 | 90.00 |" in mixed
    for text in (made.markdown, mixed):  # also where another dictionary has rules without a class
        assert "| Japanese | 0.1 | no class" not in text
    assert made.csv.note.tolist() == ["ppdb: small", "", "", "skipped: no dictionary"]


def test_a_dictionary_without_relations_has_no_columns_for_them_and_a_plot_like_others(tmp_path):
    made = table(SOURCES[2:])
    assert list(dict.fromkeys(made.tidy.column)) == list(COLUMNS)
    assert "What perplexity refuses" not in made.markdown
    for shown in (table(), made, table(SOURCES[3:])):
        drawn(shown, tmp_path)
