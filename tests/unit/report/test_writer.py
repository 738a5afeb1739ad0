"""How cells are printed: CSV, Markdown, notes, the paper's table, training budgets."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from contrapose.report.about import TableRow
from contrapose.report.cells import cell_table, encoder_cells
from contrapose.report.kinds.base import TableSettings
from contrapose.tables import HISTORY
from tests.kinds import about, cells

PLAIN = TableSettings(caption="A caption.")
PAPER = {"Paper: bert": {"A": 68.4, "C": 1.0}, "Paper: roberta": {"A": 70.16}}
ROWS = [
    TableRow(model="ours", runs=["p/r/seed42", "p/r/seed43"], published="Paper: bert", note="q stands in"),
    TableRow(model="whitened", runs=["p/w/seed42", "p/w/seed43"], note="q stands in"),
    TableRow(model="plain", runs=["released/e/avg"], trained=False),
    TableRow(model="gone", note="left out: no such"),
]
VALUES = {"p/r/seed42": 1.0, "p/r/seed43": 2.0, "p/w/seed42": 5.0, "p/w/seed43": 5.0, "released/e/avg": 3.0}


def of_run(run: str) -> dict:
    if not run:
        return {"A": {"value": None, "n": 0}}
    return {"A": {"value": VALUES[run], "n": 9, "low": VALUES[run] - 1, "high": VALUES[run] + 1}}


def history(steps: int) -> pd.DataFrame:
    constant = {"epoch": 0, "loss": 1.0, "learning_rate": 1.0, "dev_score": np.nan, "best": False}
    return pd.DataFrame({"step": range(1, steps + 1), **constant, "sentences": 1, "tokens": 1})


@pytest.fixture
def of_encoders(file):
    """Give a function from runs, their steps and the counts of their logs to cells of `ROWS`."""

    def build(*logs, **told) -> tuple:
        files = []
        for run, steps, counts in logs:
            names = dict(zip(("pairs", "recipe", "seed"), run.replace("seed", "").split("/"), strict=True))
            files.append(file(history(steps)[HISTORY.columns], HISTORY, wildcards=names, counts=counts))
        known = about(**{"seeds": [42, 43], "rows": ROWS, "histories": files, **told})
        return known, cell_table(known, encoder_cells(known, of_run))

    return build


def test_a_row_has_a_cell_per_seed_and_their_mean_or_one_if_it_is_pretrained(of_encoders):
    _, tidy = of_encoders(published=PAPER)
    first, mean = tidy[tidy.model == "ours"].iloc[0], tidy[tidy.model == "ours"].iloc[2]
    assert (first.run, first.seed, first.value, first.low) == ("p/r/seed42", 42, 1, 0)
    assert (mean.run, mean.value, mean.spread, mean.n) == ("", 1.5, pytest.approx(0.5**0.5), 9)
    assert pd.isna(mean.low)
    assert pd.isna(mean.seed)
    assert (mean.published, mean.published_row) == (68.4, "Paper: bert")
    (plain,) = tidy[tidy.model == "plain"].to_dict("records")
    assert (plain["run"], plain["value"], plain["low"], plain["published_row"]) == (
        "released/e/avg",
        3,
        2,
        "",
    )
    assert tidy[tidy.model == "gone"].value.isna().tolist() == [True]


def test_files_of_a_table_say_all_there_is_to_know(of_encoders):
    deviation = {"where": "section 1", "paper": "Open.", "ours": "Closed."}
    told, tidy = of_encoders(published=PAPER, notes=["A note."], deviations=[deviation])
    made = PLAIN.report(told, tidy, ["First."], "## More", common=["common"])
    assert made.csv.to_csv(index=False) == (
        "world,group,model,A,note\n"
        "w,,ours,1.50 ± 0.71,q stands in; common\n"
        "w,,whitened,5.00 ± 0.00,q stands in; common\n"
        "w,,plain,3.00,common\n"
        "w,,gone,,left out: no such; common\n"
    )
    assert made.markdown == (
        "# t\n\nA caption.\n\nWorld `w`: d.\n\n"
        "| model | A |\n| :-- | --: |\n"
        "| ours | 1.50 ± 0.71 |\n| whitened | 5.00 ± 0.00 |\n"
        "| plain | 3.00 |\n| gone | – |\n\n"
        "- First.\n- ours, whitened: q stands in\n- gone: left out: no such\n- A note.\n\n"
        "## More\n\n"
        "## The paper's numbers\n\nAs printed in: A paper.\n\n"
        "| label | A |\n| :-- | --: |\n| Paper: bert | 68.40 |\n\n"
        "## Deviations from the paper, and its open points\n\n- section 1. Open. **Here:** Closed.\n"
    )


def test_numbers_are_printed_as_the_kind_says():
    class Fine(TableSettings):
        decimals: ClassVar = {"A": 4, "n": None}
        labels: ClassVar = {"label": "model", "llm": "group"}
        intervals, missing = True, "–"

        @property
        def counted(self) -> str:
            return "pairs"

    tidy = cells(
        {"value": 0.12345, "low": 0.1, "high": 0.2, "spread": 0.3, "error": 0.4},
        {"column": "n", "value": 7.0},
        {"column": "B", "value": 0.125, "spread": 0.3},
        {"value": 9.0, "seed": 42},
        {"value": 9.0, "slot": 0},
        {"row": 1, "model": "x", "group": "g", "n": 0},
    )
    assert Fine(caption="").printed(tidy).to_numpy().tolist() == [
        ["m", "", "9", "0.1235 [0.1000, 0.2000]", "7", "0.12 ± 0.30"],
        ["x", "g", "0", "–", "–", "–"],
    ]
    assert PLAIN.printed(tidy, "error")["A"].tolist() == ["0.12 ± 0.40", ""]


def test_a_row_has_the_budget_that_its_log_says_and_its_mean_what_all_seeds_share(of_encoders):
    told, tidy = of_encoders(
        ("p/r/seed42", 15, {"pairs": 4800, "pairs_used": 960}),
        ("p/r/seed43", 12, {"pairs": 4800, "pairs_used": 960}),
        *((f"p/w/seed{seed}", 0, {"pairs": 10, "pairs_used": 10}) for seed in (42, 43)),
    )
    budgets = tidy[["training_pairs", "steps", "share_used"]].astype(object)
    assert budgets.values.tolist()[:2] == [[4800, 15, 0.2], [4800, 12, 0.2]]
    assert budgets.isna().values.tolist()[2:] == [
        [False, True, False],  # the steps of the seeds differ
        *[[False] * 3] * 3,
        *[[True] * 3] * 2,
    ]
    made = PLAIN.report(told, tidy)
    assert made.csv[budgets.columns].to_numpy().tolist() == [
        ["4800", "12–15", "0.20"],
        ["10", "0", "1.00"],
        *[["", "", ""]] * 2,
    ]
    assert "- training_pairs: rows of the pair set; steps: optimiser steps taken;" in made.markdown


@pytest.mark.parametrize(
    ("log", "columns"),
    [
        (("p/r/seed42", 0, {}), []),  # too few pairs: nothing was trained
        (("p/r/seed42", 3, {"pairs": 8}), ["training_pairs", "steps"]),  # contrastive tension draws its own
    ],
)
def test_what_no_log_says_has_no_column(of_encoders, log, columns):
    assert PLAIN.printed(of_encoders(log)[1]).columns.tolist() == ["group", "model", "A", *columns]


def test_the_papers_numbers_are_said_to_be_of_other_language_models(of_encoders):
    told, tidy = of_encoders(published=PAPER)
    rows = [row.model_copy(update={"asked": ["chatgpt is qwen"]}) for row in told.rows]
    text = PLAIN.report(told.model_copy(update={"rows": rows}), tidy).markdown
    assert "As printed in: A paper. Its language models are its own; ours: chatgpt is qwen.\n" in text
