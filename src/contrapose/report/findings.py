"""The finding of a result: a sentence about it, and a chart for a table whose rows are ranked."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.report.about import label_of, row_label
from contrapose.report.claims.verdict import KINDS
from contrapose.report.comparison import only_baseline
from contrapose.report.recommendation import RANKING, VERDICT
from contrapose.report.results import Result

TOTAL = "Total"  # the column that ranks the rows of a table of prompts
UNLIKE = ("settings", "linguistics")  # kinds of tables with different quantities in a column or a row
INTERVAL = (2.5, 97.5)  # percentiles of resamples
ONE_TRAINING = "One training per row: another one may come out differently."
TIED = "Bold: rows that may be the best, as no other row is significantly above them."
ALL_TIED = "Each row may be the best: none is significantly above another."
NO_VERDICT = "no verdict"
MARGIN = 3.0  # % of the width of a chart left free on each side


class Mark(NamedTuple):
    """A row of a chart, in % of its width."""

    group: str
    name: str
    value: str
    at: float
    low: float  # ends of its bar
    high: float
    tied: bool  # no row is significantly above it


class Chart(NamedTuple):
    """The rows of a table by the column that ranks them."""

    column: str
    marks: list[Mark]
    baseline_at: float | None  # missing if the rows have none in common
    notes: list[str]


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
        value = f"{best.value:.{_decimals(rows)}f}"
        return f"{label_of(best)} has the highest {column}, {value}. This table tests no differences."
    if rows.empty or result.made["settings"]["spec"]["kind"] in UNLIKE:
        return ""
    return _range(rows[rows.column == rows.column.iloc[0]])


def ranked(result: Result) -> tuple[str, pd.DataFrame]:
    """Return the ranking column, in which more is better, and its cells; else an empty name and all cells.

    A table of scores says which, its average or, if there is none, its first column; in a table of prompts it
    is the total.
    """
    rows, spec = _summary(result.tidy), result.made["settings"].get("spec", {})
    column = read_status(result.made).facts.get(RANKING, TOTAL if spec.get("kind") == "prompts" else "")
    ranking = rows[rows.column == column] if len(rows) else rows
    return (column, ranking) if len(ranking) else ("", rows)


def _summary(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the printed cells with a value that are not about a single seed or place in an answer."""
    if "variant" not in tidy:
        return tidy.head(0)
    return tidy[tidy.value.notna() & tidy.seed.isna() & tidy.slot.isna() & (tidy.variant == "")]


def _range(rows: pd.DataFrame) -> str:
    low, high = (rows.loc[at] for at in (rows.value.idxmin(), rows.value.idxmax()))
    if low.value == high.value:
        return f"{low.column}: {low.value:.4g}."
    return f"{low.column}: {low.value:.4g} ({label_of(low)}) to {high.value:.4g} ({label_of(high)})."


def _decimals(rows: pd.DataFrame) -> int:
    """Percentages are printed with two decimals, fractions with three."""
    return 2 if rows.value.abs().max() > 1 else 3


def chart(result: Result) -> Chart | None:
    """Return the ranked rows of a table as dots with bars; None if none are ranked.

    A bar is the 95 % interval of the difference to the baseline if all rows have the same; else one
    standard deviation over seeds on each side, or the 95 % interval for one seed.
    """
    column, rows = ranked(result)
    if not column:
        return None
    tidy = result.tidy
    trainings = tidy.seed.nunique()
    baseline = only_baseline(rows)
    ends = [_bar(row, trainings, baseline) for _, row in rows.iterrows()]
    low, high = min(each for each, _ in ends), max(each for _, each in ends)

    def place(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(MARGIN + (100 - 2 * MARGIN) * share, 2)

    all_tied = bool(rows.tied.eq(True).fillna(False).all())  # then bold would tell nothing
    marks = []
    for (_, row), (start, end) in zip(rows.iterrows(), ends, strict=True):
        tied = pd.notna(row.tied) and bool(row.tied) and not all_tied
        value = f"{row.value:.{_decimals(rows)}f}"
        at = place(row.value), place(start), place(end)
        marks.append(Mark(row["group"], row.model, value, *at, tied))
    baseline_at = next((mark.at for mark in marks if row_label(mark.group, mark.name) == baseline), None)
    others = tidy[~tidy["row"].isin(rows["row"])].drop_duplicates("row")
    notes = [
        _bars(trainings, baseline) if trainings else "",
        ONE_TRAINING if trainings == 1 else "",
        TIED if any(mark.tied for mark in marks) else "",
        ALL_TIED if all_tied and len(rows) > 1 else "",
        f"Dashed line: {baseline}." if baseline_at is not None else "",
        f"Skipped: {'; '.join(label_of(row) for _, row in others.iterrows())}." if len(others) else "",
    ]
    return Chart(column, marks, baseline_at, list(filter(None, notes)))


def _bars(trainings: int, baseline: str) -> str:
    if baseline:
        over = "test pairs and seeds" if trainings > 1 else "test pairs"
        return f"Bars: 95 % interval of the difference to the dashed line, over {over}."
    if trainings > 1:
        return f"Bars: one standard deviation over {trainings} trainings."
    return "Bars: 95 % interval over test pairs."


def _bar(row: pd.Series, trainings: int, baseline: str) -> tuple[float, float]:
    if baseline:
        at = row.value - row.difference if row.baseline else np.nan  # the baseline's value
        return (row.value, row.value) if np.isnan(at) else (at + row.difference_low, at + row.difference_high)
    if trainings > 1:
        spread = row.spread if pd.notna(row.spread) else 0.0
        return row.value - spread, row.value + spread
    if pd.notna(row.low):
        return min(row.low, row.value), max(row.high, row.value)
    if np.ndim(row.resampled) == 0 or not len(row.resampled):  # missing, or none
        return row.value, row.value
    return tuple(np.nanpercentile(row.resampled, INTERVAL))
