import pandas as pd
import pytest

from contrapose.report.about import TableRow
from contrapose.report.kinds.length_bias import BiasAbout
from contrapose.settings.recipes import LengthProbe
from contrapose.tables import LENGTH_BIAS, TEXT_SIMILARITIES
from tests.kinds import about, drawn, report

PROBE = LengthProbe(tasks=["bq"], positive=1, negative=0, unit="characters", difference=5, filler="嗯")
COLUMNS = {
    "original": {"added": "filler", "measure": "before"},
    "lengthened": {"added": "filler", "measure": "after"},
    "bias": {"added": "filler", "comparison": "bias"},
}
PRINTED = pd.DataFrame(
    [(1, "negative", "A", "original", 0.388), (2, "negative", "A", "lengthened", 0.437)],
    columns=["row", "pair_type", "pair", "sentence2", "cosine"],
)
ROWS = [
    TableRow(model="SimCSE", runs=["one", "two"], published="negative: A"),
    TableRow(model="pretrained", runs=["three"], trained=False),
    TableRow(model="released", note="skipped: x"),
]


def measured(run, change, n=1000) -> pd.DataFrame:
    rows = []
    for comparison, by in (("equalised", change), ("diverged", -change), ("bias", 2 * change)):
        place = (run, "chinese", "negative", "filler", comparison)
        rows.append((*place, 0.3, 0.3 + by, by, n, by - 0.01, by + 0.01))
    return pd.DataFrame(rows, columns=LENGTH_BIAS.columns)


def bias_table(found, published=None, rows=ROWS):
    of_probe = {"model": "m", "encoder": "e", "probe": "chinese", "label": "negative"}
    layout = {"rows": ["pair_type", "pair"], "below": ["sentence2", "cosine"]}
    settings = {"columns": COLUMNS, "rows": [of_probe] * len(rows), "layout": layout}
    facts = {"rows": rows, "probes": {"chinese": PROBE}, "seeds": [42, 43]}
    return report("length_bias", settings, about(BiasAbout, **facts), found, published=published)


def test_a_table_of_length_bias_has_means_over_seeds_and_intervals_of_pretrained_encoders(tmp_path):
    found = pd.concat([measured("one", 0.05), measured("two", 0.07), measured("three", 0.02)])
    made = bias_table(found, PRINTED)
    cells = made.tidy[made.tidy.seed.isna()].set_index(["row", "column"])
    assert cells.value[0, "bias"] == pytest.approx(0.12)
    assert cells.published[0, "original"] == 0.388
    assert cells.loc[(1, "bias"), ["ci_low", "ci_high"]].tolist() == pytest.approx([0.03, 0.05])
    assert cells.ci_low.isna()[1, "original"]
    assert made.csv.bias.tolist() == ["0.1200 ± 0.0283", "0.0400 [0.0300, 0.0500]", ""]
    assert made.csv.pairs.tolist() == [1000, 1000, 0]
    assert "Probe chinese: 1000 negative pairs; test splits of bq" in made.markdown
    drawn(made, tmp_path)


def test_fewer_pairs_than_wanted_are_said_and_claims_find_rows_without_a_printed_table():
    named = ROWS[1].model_copy(update={"published": "bert-base: SimCSE, negative"})
    made = bias_table(measured("three", 0.02, n=7), rows=[named, ROWS[2]])
    assert "7 negative pairs of the 1000 wanted" in made.markdown
    assert set(made.tidy.published_row[made.tidy["row"] == 0]) == {"bert-base: SimCSE, negative"}


def test_a_table_of_similarities_has_a_row_per_text_and_a_column_per_encoder():
    found = pd.DataFrame(
        [
            (run, label, cosine)
            for run, by in (("one", 0.0), ("two", 0.02), ("three", 0.1))
            for label, cosine in (("Origin", 1.0), ("Deletion", 0.6 + by))
        ],
        columns=TEXT_SIMILARITIES.columns,
    )
    texts = [
        {"label": "Origin", "text": "I know.", "published": "Origin"},
        {"label": "Deletion", "text": "I.", "published": "Random deletion"},
    ]
    named = ROWS[0].model_copy(update={"published": "similarity_to_origin"})
    rows = [{"model": row.model, "encoder": "e"} for row in ROWS]
    settings = {"sentence": "I know.", "texts": texts, "rows": rows, "layout": {"rows": ["augmentation"]}}
    printed = pd.DataFrame({"augmentation": ["Origin", "Random deletion"], "similarity_to_origin": [1, 0.65]})
    facts = about(rows=[named, *ROWS[1:]], seeds=[42, 43])
    made = report("similarities", settings, facts, found, published=printed)
    deletion = made.tidy[(made.tidy["row"] == 1) & made.tidy.seed.isna()].set_index("column")
    assert deletion.value.dropna().to_dict() == pytest.approx({"SimCSE": 0.61, "pretrained": 0.7})
    assert deletion.published.dropna().to_dict() == {"SimCSE": 0.65}
    assert made.csv[["label", "text"]].values.tolist() == [["Origin", "I know."], ["Deletion", "I."]]
    assert made.csv["pretrained"].tolist() == ["1.00", "0.70"]
    assert "| Deletion | I. | 0.61 ± 0.01 | 0.70 | – |" in made.markdown
    assert "| Random deletion | 0.65 |" in made.markdown
