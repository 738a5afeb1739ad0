"""Which of several rows is chosen: on the dev set, as is legitimate, and on the test sets, as is not."""

import math

import pandas as pd

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


def group_spreads(tidy: pd.DataFrame, table: ScoreTable) -> pd.DataFrame:
    """Return how far apart the rows of a group are, and how far the seeds of a row.

    A row per group and column (average, STS-B dev): `mean` and standard deviation `over rows` of the rows'
    means over seeds; `over seeds` is the standard deviation within a row, pooled over the rows; missing for
    fewer than two rows or two seeds.
    """
    means = _means(tidy, table)
    rows = []
    for (group, column), values in means.groupby(["group", "column"], sort=False):
        spreads = values.spread.dropna()
        pooled = math.sqrt((spreads**2).mean()) if len(spreads) else None
        means_of = (values.value.mean(), values.value.std(ddof=1), pooled)
        rows.append((group, column, len(values), *means_of))
    names = ["group", "column", "rows", "mean", "over rows", "over seeds"]
    return pd.DataFrame(rows, columns=names).astype({"over rows": float, "over seeds": float})


def _means(tidy: pd.DataFrame, table: ScoreTable) -> pd.DataFrame:
    """Return the cells behind a choice: average and STS-B dev of the rows of the groups."""
    looked_at = (tidy.column == DEV) | tidy.column.str.startswith(AVERAGE)
    return tidy[tidy["group"].isin(table.choose_among) & looked_at & tidy.seed.isna() & tidy.value.notna()]


def choice_lines(tidy: pd.DataFrame, table: ScoreTable, about: About) -> list[str]:
    """Say which row each criterion chooses."""
    best = chosen(tidy, table).items()
    return [f"Best in {columns}: {about.rows[number].label}." for number, columns in best]


def spread_table(tidy: pd.DataFrame, table: ScoreTable) -> pd.DataFrame:
    """Return `group_spreads` as texts."""
    shown = group_spreads(tidy, table)
    for name in ("mean", "over rows", "over seeds"):
        shown[name] = [f"{value:.2f}" if pd.notna(value) else "–" for value in shown[name]]
    return shown
