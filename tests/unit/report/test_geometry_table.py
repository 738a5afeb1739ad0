"""The table of alignment and uniformity, and the figure of one against the other."""

from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.report.about import TableRow
from contrapose.report.claims.cell_arrays import tidy_cells
from contrapose.tables import BENCHMARK, GEOMETRY, HISTORY, empty
from tests.kinds import about, file, report

PUBLISHED = pd.DataFrame(
    [("Base", "bert", 0.0579, -0.2399), ("Ours", "bert", 0.1523, -2.2253)],
    columns=["group", "model", "alignment", "uniformity"],
)
LOST = "skipped: this catalog has no encoder 'lost'"
ROWS = [
    TableRow(group="Base", model="bert", runs=["released/bert/cls"], trained=False, published="Base: bert"),
    TableRow(group="Ours", model="bert", runs=["p/r/seed42", "p/r/seed43"], published="Ours: bert"),
    TableRow(group="Ours", model="lost", trained=False, note=LOST),
]
MISSING = {"stsb/senteval/dev": "STS/sts-dev.csv", "stsb/senteval/train": "STS/sts-train.csv"}


def both(run, alignment, uniformity, split="dev", form="senteval"):
    facts = {"run": run, "task": "stsb", "form": form, "split": split}
    return [
        {**facts, "measure": "alignment", "value": alignment, "n": 338},
        {**facts, "measure": "uniformity", "value": uniformity, "n": 2909},
    ]


MEASURED = pd.DataFrame(
    [
        *both("released/bert/cls", 0.05, -0.25),
        *both("released/bert/cls", 0.06, -0.35, "test"),
        *both("released/bert/cls", 9.0, 9.0, form="raw"),
        *both("p/r/seed42", 0.12345, -2.0),
        *both("p/r/seed43", 0.14345, -2.1),
        *both("p/r/seed42", None, -3.0, "test"),
        *both("p/r/seed43", None, -3.2, "test"),
    ],
    columns=GEOMETRY.columns,
)
RUN = {"pairs": "p", "recipe": "r"}


def table(missing=None, **settings):
    sets = [file(empty(BENCHMARK), BENCHMARK, missing=missing or {})]
    facts = about(name="t8", rows=ROWS, seeds=[42, 43])
    rows = [{"model": "m", "encoder": "e"}]
    logs = [
        file(
            empty(HISTORY),
            HISTORY,
            wildcards={**RUN, "seed": seed},
            counts={"pairs": 8},
        )
        for seed in (42, 43)
    ]
    return report(
        "geometry", {"rows": rows, **settings}, facts, MEASURED, sets, published=PUBLISHED, histories=logs
    )


def test_a_row_has_the_printed_split_with_the_papers_numbers_and_others_as_variants():
    tidy = table().tidy
    means = tidy[(tidy["row"] == 1) & tidy.seed.isna()].set_index(["column", "variant"])
    assert means.value["alignment", ""] == pytest.approx(0.13345)
    assert means.value["uniformity", "test"] == pytest.approx(-3.1)
    assert means.published.dropna().to_dict() == {("alignment", ""): 0.1523, ("uniformity", ""): -2.2253}
    cells = tidy_cells("t8", tidy)  # claims read the printed split seed by seed
    assert cells("Ours: bert", "uniformity").tolist() == [[-2.0], [-2.1]]


def test_the_other_splits_stand_below_and_any_can_be_the_printed_one():
    made = table(MISSING)
    assert made.csv.alignment.tolist() == ["0.0500", "0.1335 ± 0.0141", ""]
    dev = "skipped: dev (STS/sts-dev.csv is missing)"
    assert made.csv.note.tolist() == [dev, dev, f"{LOST}; {dev}"]
    both_splits = f"{dev}; skipped: train (STS/sts-train.csv is missing)"
    assert table(MISSING, split="all").csv.note[0] == both_splits
    assert "| Base | bert | 0.0600 | -0.3500 | – | – |" in made.markdown.split("## On the other splits")[1]
    assert "STS-B pairs with a gold score above 4: dev 338, test 338." in made.markdown
    made = table(split="test")
    assert made.csv.alignment.tolist() == ["0.0600", "", ""]
    assert "dev" in set(made.tidy.variant)


def test_the_points_of_a_figure_are_seeds_means_and_the_papers_unless_the_text_is_made():
    scatter = partial(report, "scatter", {"of": "t8"}, tables=table().tidy)
    points = scatter(facts=about()).tidy
    shown = [tuple(row) for row in points[["source", "line", "value", "x"]].to_numpy()]
    assert shown == [
        ("ours", "Base", 0.05, -0.25),
        ("published", "Base", 0.0579, -0.2399),
        ("ours", "Ours", 0.12345, -2.0),
        ("ours", "Ours", 0.14345, -2.1),
        ("ours", "Ours", pytest.approx(0.13345), -2.05),
        ("published", "Ours", 0.1523, -2.2253),
    ]
    assert points.seed.notna().sum() == 2
    with pytest.raises(TableError, match=r": no method of .* has alignment and uniformity\."):
        report("scatter", {"of": "t8"}, about(), table().tidy[:0])
    assert set(scatter(facts=about(generated=True)).tidy.source) == {"ours"}
