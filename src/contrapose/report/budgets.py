"""What trainings took, beside the rows of a table: pairs, optimiser steps, share of the pairs used."""

from collections.abc import Sequence

import pandas as pd

from contrapose.stage import run_of
from contrapose.tables import HISTORY, count_rows, read_provenance

# Columns of PUBLISHABLE, and how they are printed.
BUDGET = {"training_pairs": "{:.0f}", "steps": "{:.0f}", "share_used": "{:.2f}"}


def with_budgets(tidy: pd.DataFrame, histories: Sequence[str]) -> pd.DataFrame:
    """Put what trainings took beside their cells, and beside the means of a row what all its seeds share.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    histories : files of HISTORY tables
        One that does not say how many pairs there were, as there were too few, counts for nothing.
    """
    budgets = pd.DataFrame([_budget(path) for path in histories], columns=["run", *BUDGET]).set_index("run")
    own = tidy[["run"]].join(budgets.astype(float), on="run")[list(BUDGET)]
    low, high = (own.groupby(tidy["row"]).transform(which) for which in ("min", "max"))
    beside = own.where(tidy.seed.notna(), low.where(low == high))
    return tidy.assign(**{name: beside[name].astype(tidy[name].dtype) for name in BUDGET})


def _budget(path: str) -> tuple[str, int | None, int | None, float | None]:
    made = read_provenance(path)
    pairs, used = made.get("pairs"), made.get("pairs_used")
    steps = count_rows(path, HISTORY) if pairs else None
    return run_of(made), pairs, steps, used / pairs if used else None


def printed_budgets(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the budgets of a PUBLISHABLE table as texts, by row: `lowest–highest` where seeds differ.

    Has no column that is empty in every row, and none for encoders that were not trained.
    """
    names = [name for name in BUDGET if tidy[name].notna().any()]
    found = {row: [_range(cells[name], BUDGET[name]) for name in names] for row, cells in tidy.groupby("row")}
    return pd.DataFrame.from_dict(found, orient="index", columns=names)


def _range(values: pd.Series, form: str) -> str:
    ends = (values.min(), values.max()) if values.notna().any() else ()
    return "–".join(dict.fromkeys(map(form.format, ends)))


def budget_notes(shown: pd.DataFrame) -> list[str]:
    """Say what the columns of a printed table are that hold budgets; nothing if it has none."""
    note = (
        "training_pairs: rows of the pair set; steps: optimiser steps taken; share_used: the share of these "
        "rows that was in a batch (an epoch takes one of several paraphrases of a sentence)."
    )
    return [note] if "training_pairs" in shown else []
