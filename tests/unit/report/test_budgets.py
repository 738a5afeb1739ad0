"""Beside the rows of a table: pairs, steps and the share of the pairs used, as the training logs say."""

import numpy as np
import pandas as pd

from contrapose.markdown import markdown_table
from contrapose.report.about import TableRow
from contrapose.report.budgets import with_budgets
from contrapose.report.cells import NOTHING, printed_table, tidy_cells
from contrapose.tables import HISTORY
from tests.kinds import about

ROWS = [
    TableRow(model="ours", runs=["p/r/seed42", "p/r/seed43"]),
    TableRow(model="whitened", runs=["p/w/seed42", "p/w/seed43"]),
    TableRow(model="plain", runs=["released/e/avg"], trained=False),
    TableRow(model="gone"),
]


def history(steps):
    constant = {"epoch": 0, "loss": 1.0, "learning_rate": 1.0, "dev_score": np.nan, "best": False}
    return pd.DataFrame({"step": range(1, steps + 1), **constant, "sentences": 1, "tokens": 1})


def budgets(file, *logs):
    """Return a table of `ROWS`, whose training logs say run, steps, and counts."""
    files = []
    for run, steps, counts in logs:
        wildcards = dict(zip(("pairs", "recipe", "seed"), run.replace("seed", "").split("/"), strict=True))
        files.append(file(history(steps)[HISTORY.columns], HISTORY, wildcards=wildcards, counts=counts))
    cell = {"A": {**NOTHING, "value": 1.0, "n": 1}}
    return with_budgets(tidy_cells(lambda run: cell, ROWS, about(seeds=[42, 43]), {}), files)


def test_each_run_has_what_its_log_says_and_the_mean_what_all_seeds_share(file):
    tidy = budgets(
        file,
        ("p/r/seed42", 15, {"pairs": 4800, "pairs_used": 960}),
        ("p/r/seed43", 12, {"pairs": 4800, "pairs_used": 960}),
        *((f"p/w/seed{seed}", 0, {"pairs": 10, "pairs_used": 10}) for seed in (42, 43)),
    )
    found = tidy[["training_pairs", "steps", "share_used"]].astype(object).values.tolist()
    assert found[:2] == [[4800, 15, 0.2], [4800, 12, 0.2]]
    assert [found[2][0], found[2][2]] == [4800, 0.2]
    assert found[3:6] == [[10, 0, 1.0]] * 3
    assert tidy[["training_pairs", "steps", "share_used"]].isna().to_numpy().tolist() == [
        *[[False] * 3] * 2,
        [False, True, False],  # the steps of the seeds differ
        *[[False] * 3] * 3,
        *[[True] * 3] * 2,
    ]
    shown = printed_table(tidy)
    assert shown.columns.tolist() == ["group", "model", "A", "training_pairs", "steps", "share_used"]
    assert shown.iloc[:, 3:].to_numpy().tolist() == [
        ["4800", "12–15", "0.20"],
        ["10", "0", "1.00"],
        ["", "", ""],
        ["", "", ""],
    ]
    assert "nan" not in markdown_table(shown)


def test_what_no_log_says_has_no_column(file):
    shown = printed_table(budgets(file, ("p/r/seed42", 0, {})))  # too few pairs: nothing was trained
    assert shown.columns.tolist() == ["group", "model", "A"]
    drawn = printed_table(budgets(file, ("p/r/seed42", 3, {"pairs": 8})))  # by contrastive tension
    assert drawn.columns.tolist() == ["group", "model", "A", "training_pairs", "steps"]
    assert drawn.steps.tolist() == ["3", "", "", ""]
