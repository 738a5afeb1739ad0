"""The finding of a result: a sentence about it, and its rows by the column that ranks them."""

import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.report.about import label_of
from contrapose.report.chart import decimals_of
from contrapose.report.claims.verdict import KINDS
from contrapose.report.recommendation import RANKING, VERDICT
from contrapose.report.results import Result

TOTAL = "Total"  # the column that ranks the rows of a table of prompts
UNLIKE = ("settings", "linguistics")  # kinds of tables with different quantities in a column or a row
NO_VERDICT = "no verdict"


def verdicts(result: Result) -> dict[str, int]:
    """Return the number of claims with each verdict, those without one last."""
    counts = result.tidy.verdict.fillna(NO_VERDICT).value_counts()
    return {kind: int(counts[kind]) for kind in (*KINDS, NO_VERDICT) if kind in counts}


def finding(result: Result) -> str:
    """Return what a table recommends or its range; empty for a figure, for texts and for unlike numbers."""
    if said := read_status(result.made).facts.get(VERDICT):
        return said
    column, rows = ranked(result)
    if column:
        best = rows.loc[rows.value.idxmax()]
        value = f"{best.value:.{decimals_of(rows)}f}"
        return (
            f"{label_of(best)} has the highest {column}, {value}. Differences in this table are not tested."
        )
    if rows.empty or result.made["settings"]["spec"]["kind"] in UNLIKE:
        return ""
    return _range(rows[rows.column == rows.column.iloc[0]])


def ranked(result: Result) -> tuple[str, pd.DataFrame]:
    """Return the ranking column, in which more is better, and its cells; else an empty name and all cells.

    A table of scores says which, its average or, if there is none, its first column; in a table of prompts it
    is the total.
    """
    rows, spec = means_of(result.tidy), result.made["settings"].get("spec", {})
    column = read_status(result.made).facts.get(RANKING, TOTAL if spec.get("kind") == "prompts" else "")
    ranking = rows[rows.column == column] if len(rows) else rows
    return (column, ranking) if len(ranking) else ("", rows)


def means_of(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells with a value that are not about a single seed or place in an answer."""
    if "variant" not in tidy:
        return tidy.head(0)
    return tidy[tidy.value.notna() & tidy.seed.isna() & tidy.slot.isna() & (tidy.variant == "")]


def _range(rows: pd.DataFrame) -> str:
    low, high = (rows.loc[at] for at in (rows.value.idxmin(), rows.value.idxmax()))
    if low.value == high.value:
        return f"{low.column}: {low.value:.4g}."
    return f"{low.column}: {low.value:.4g} ({label_of(low)}) to {high.value:.4g} ({label_of(high)})."
