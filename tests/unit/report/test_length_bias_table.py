"""Tables of length bias and of similarities of given texts."""

import pandas as pd
import pytest
from contrapose.jobs import BiasTableRow, LengthBiasTableJob, SimilaritiesTableJob
from contrapose.report.length_bias_table import length_bias_csv, length_bias_markdown, length_bias_table
from contrapose.report.similarities_table import similarities_csv, similarities_markdown, similarities_table

from contrapose.report.about import TableRow
from contrapose.report.plots import cosines_plot
from contrapose.settings.recipes import LengthProbe
from contrapose.settings.rows import BiasColumn, EditedText, PrintedLayout
from contrapose.tables import LENGTH_BIAS, PUBLISHABLE, TEXT_SIMILARITIES, write_table

ABOUT = {"table": "t", "caption": "c", "source": "s", "world": "w", "world_description": "d"}
PROBE = LengthProbe(tasks=["bq"], positive=1, negative=0, unit="characters", difference=5, filler="嗯")
COLUMNS = [
    ("original", BiasColumn(added="filler", measure="before")),
    ("lengthened", BiasColumn(added="filler", measure="after")),
    ("bias", BiasColumn(added="filler", comparison="bias")),
]
PRINTED = pd.DataFrame(
    {
        "row": [1, 2],
        "pair_type": ["negative"] * 2,
        "pair": ["A"] * 2,
        "sentence2": ["original", "lengthened"],
        "cosine": [0.388, 0.437],
    }
)
LAYOUT = PrintedLayout(rows=["pair_type", "pair"], below=("sentence2", "cosine"))


def measured(run, change, n=1000) -> pd.DataFrame:
    rows = []
    for comparison, by in (("equalised", change), ("diverged", -change), ("bias", 2 * change)):
        about = (run, "chinese", "negative", "filler", comparison)
        rows.append((*about, 0.3, 0.3 + by, by, n, by - 0.01, by + 0.01))
    return pd.DataFrame(rows, columns=LENGTH_BIAS.columns)


def bias_job(**changes) -> LengthBiasTableJob:
    about = {"group": "Chinese", "probe": "chinese", "label": "negative"}
    rows = [
        BiasTableRow(model="SimCSE", runs=["one", "two"], published="negative: A", **about),
        BiasTableRow(model="as it is", runs=["three"], trained=False, **about),
        BiasTableRow(model="released", note="left out: x", **about),
    ]
    settings = {"columns": COLUMNS, "probes": {"chinese": PROBE}, "seeds": [42, 43], "rows": rows}
    return LengthBiasTableJob(**{**ABOUT, "generated": False, "layout": LAYOUT, **settings, **changes})


def test_a_table_of_length_bias_has_means_over_seeds_and_intervals_of_encoders_as_they_are(tmp_path):
    found = pd.concat([measured("one", 0.05), measured("two", 0.07), measured("three", 0.02)])
    tidy = length_bias_table(found, PRINTED, bias_job())
    cells = tidy[tidy.seed.isna()].set_index(["row", "column"])
    assert cells.value[0, "bias"] == pytest.approx(0.12)
    assert cells.spread[0, "lengthened"] == pytest.approx(0.02 / 2**0.5)
    assert cells.published[0, "original"] == 0.388
    assert cells.loc[(1, "bias"), ["low", "high"]].tolist() == pytest.approx([0.03, 0.05])
    assert cells.low.isna()[1, "original"]
    table = length_bias_csv(tidy, bias_job())
    assert table.bias.tolist() == ["0.1200 ± 0.0283", "0.0400 [0.0300, 0.0500]", ""]
    assert table.pairs.tolist() == [1000, 1000, 0]
    text = length_bias_markdown(tidy, PRINTED, bias_job())
    assert "| negative: A | 0.3880 | 0.4370 |" in text
    assert "Probe chinese: 1000 negative pairs; test splits of bq" in text
    assert "0.3880" not in length_bias_markdown(tidy, PRINTED, bias_job(generated=True))
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    for name in ("a.png", "b.png"):
        cosines_plot(tidy, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_fewer_pairs_than_wanted_are_said_and_claims_find_rows_without_a_printed_table():
    job = bias_job(rows=bias_job().rows[1:])
    tidy = length_bias_table(measured("three", 0.02, n=7), None, job)
    assert "7 negative pairs, where 1000 are wanted" in length_bias_markdown(tidy, None, job)
    named = bias_job().rows[1].model_copy(update={"published": "bert-base: SimCSE, negative"})
    tidy = length_bias_table(measured("three", 0.02), None, bias_job(rows=[named]))
    assert set(tidy.published_row) == {"bert-base: SimCSE, negative"}


def test_a_table_of_similarities_has_a_row_per_text_and_a_column_per_encoder(tmp_path):
    found = pd.DataFrame(
        [
            (run, label, cosine)
            for run, by in (("one", 0.0), ("two", 0.02), ("three", 0.1))
            for label, cosine in (("Origin", 1.0), ("Deletion", 0.6 + by))
        ],
        columns=TEXT_SIMILARITIES.columns,
    )
    texts = [
        EditedText(label="Origin", text="I know.", published="Origin"),
        EditedText(label="Deletion", text="I.", published="Random deletion"),
    ]
    rows = [
        TableRow(model="SimCSE", runs=["one", "two"], published="similarity_to_origin"),
        TableRow(model="as it is", runs=["three"], trained=False),
        TableRow(model="released", note="left out: x"),
    ]
    printed = pd.DataFrame({"augmentation": ["Origin", "Random deletion"], "similarity_to_origin": [1, 0.65]})
    settings = {"sentence": "I know.", "texts": texts, "seeds": [42, 43], "rows": rows, "generated": False}
    about = {**ABOUT, "layout": PrintedLayout(rows=["augmentation"])}
    job = SimilaritiesTableJob(**about, **settings)
    tidy = similarities_table(found, printed, job)
    deletion = tidy[(tidy["row"] == 1) & tidy.seed.isna()].set_index("column")
    assert deletion.value.dropna().to_dict() == pytest.approx({"SimCSE": 0.61, "as it is": 0.7})
    assert deletion.published.dropna().to_dict() == {"SimCSE": 0.65}
    table = similarities_csv(tidy, job)
    assert table.label.tolist() == ["Origin", "Deletion"]
    assert table.text.tolist() == ["I know.", "I."]
    assert table["as it is"].tolist() == ["1.00", "0.70"]
    text = similarities_markdown(tidy, printed, job)
    assert "| Deletion | I. | 0.61 ± 0.01 | 0.70 | – |" in text
    assert "| Random deletion | 0.65 |" in text
    assert "Random deletion" not in similarities_markdown(
        tidy, printed, job.model_copy(update={"generated": True})
    )
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
