"""Which of several rows is chosen: on the dev set, as is legitimate, and on the test sets, as is not."""

import math

import pandas as pd

from contrapose.markdown import bullets, markdown_table
from contrapose.report.about import About
from contrapose.report.scores import AVERAGE, DEV, ScoreTable


def chosen(tidy: pd.DataFrame, table: ScoreTable) -> dict[int, str]:
    """Return {row number: the columns in which it is the best}, for the rows to choose among.

    `STS-B dev`, `Avg.` or both.  Means over seeds are compared; of equal rows, the first is the best.
    """
    means = _means(tidy, table)
    found: dict[int, list[str]] = {}
    for column, values in means.groupby("column", sort=False):
        found.setdefault(int(values.loc[values.value.idxmax(), "row"]), []).append(str(column))
    return {row: " and ".join(columns) for row, columns in found.items()}


def choice_parts(tidy: pd.DataFrame, table: ScoreTable, about: About) -> list[str]:
    """Return the section on the choice among rows; empty if there is none."""
    if not table.choose_among:
        return []
    best = chosen(tidy, table).items()
    return [
        "## The choice, and how far it can be trusted",
        bullets([f"Best in {columns}: {about.rows[number].label}." for number, columns in best]),
        "Standard deviations over the rows of a group and over the seeds of a row. A choice on test sets "
        "is not one that a user can make.",
        markdown_table(_spreads(_means(tidy, table))),
    ]


def _spreads(means: pd.DataFrame) -> pd.DataFrame:
    """Return how far apart the rows of a group are, and how far the seeds of a row: `–` for fewer than two.

    Mean and standard deviation of the rows' means over seeds; `over seeds` is the standard deviation within a
    row, pooled over the rows.
    """
    rows = []
    for (group, column), values in means.groupby(["group", "column"], sort=False):
        pooled = math.sqrt((values.spread**2).mean())
        numbers = (values.value.mean(), values.value.std(ddof=1), pooled)
        texts = [f"{number:.2f}" if pd.notna(number) else "–" for number in numbers]
        rows.append((group, column, len(values), *texts))
    return pd.DataFrame(rows, columns=["group", "column", "rows", "mean", "over rows", "over seeds"])


def _means(tidy: pd.DataFrame, table: ScoreTable) -> pd.DataFrame:
    looked_at = (tidy.column == DEV) | tidy.column.str.startswith(AVERAGE)
    return tidy[tidy["group"].isin(table.choose_among) & looked_at & tidy.seed.isna() & tidy.value.notna()]
