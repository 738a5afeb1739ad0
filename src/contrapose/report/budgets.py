"""Training budgets beside the rows of a table: pairs, optimiser steps, share of the pairs used."""

from collections.abc import Sequence

import pandas as pd

from contrapose.stage import run_of
from contrapose.status import read_status
from contrapose.tables import COSTS, HISTORY, count_rows, read_provenance

UNKNOWN = "?"  # a cost
# Columns of PUBLISHABLE, and how they are printed.
BUDGET = {"training_pairs": "{:.0f}", "steps": "{:.0f}", "share_used": "{:.2f}"}


def with_budgets(tidy: pd.DataFrame, histories: Sequence[str]) -> pd.DataFrame:
    """Add training budgets to the cells of each seed, and to the means of a row those that all seeds share.

    `histories` are files; one without a number of pairs, because there were too few, is ignored.
    """
    budgets = pd.DataFrame([_budget(path) for path in histories], columns=["run", *BUDGET]).set_index("run")
    own = tidy[["run"]].join(budgets.astype(float), on="run")[list(BUDGET)]
    low, high = (own.groupby(tidy["row"]).transform(which) for which in ("min", "max"))
    beside = own.where(tidy.seed.notna(), low.where(low == high))
    return tidy.assign(**{name: beside[name].astype(tidy[name].dtype) for name in BUDGET})


def _budget(path: str) -> tuple[str, int | None, int | None, float | None]:
    made = read_provenance(path)
    counts = read_status(made).counts
    pairs, used = counts.get("pairs"), counts.get("pairs_used")
    steps = count_rows(path, HISTORY) if pairs else None
    return run_of(made), pairs, steps, used / pairs if pairs and used else None


def printed_budgets(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the budgets as texts, by row, `lowest–highest` where seeds differ; no column is empty."""
    names = [name for name in BUDGET if tidy[name].notna().any()]
    found = {row: [_range(cells[name], BUDGET[name]) for name in names] for row, cells in tidy.groupby("row")}
    return pd.DataFrame.from_dict(found, orient="index", columns=names)


def _range(values: pd.Series, form: str) -> str:
    ends = (values.min(), values.max()) if values.notna().any() else ()
    return "–".join(dict.fromkeys(map(form.format, ends)))


def column_notes(shown: pd.DataFrame) -> list[str]:
    """Explain the columns of a printed table that hold budgets or costs; empty if it has none."""
    notes = []
    if "training_pairs" in shown:
        notes.append(
            "training_pairs: rows of the pair set; steps: optimiser steps taken; share_used: the share of "
            "these rows that was in a batch (an epoch takes one of several paraphrases of a sentence)."
        )
    if names := [name for name in COSTS if name in shown]:
        notes.append(
            f"{', '.join(names)}: for one training (mean over seeds) and for what models generated for its "
            "pairs, as if no other row shared it, unused answers of language models included. "
            f"{UNKNOWN}: not known."
        )
    return notes
