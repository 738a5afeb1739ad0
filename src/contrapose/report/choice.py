"""The section of a table of scores on the choice among its rows, and how far it can be trusted."""

import math

import pandas as pd

from contrapose.base.markdown import bullets, markdown_table
from contrapose.report.about import About
from contrapose.report.scores import ScoreTable


def choice(tidy: pd.DataFrame, table: ScoreTable, about: About) -> tuple[pd.DataFrame, list[str]]:
    """Return a column of the columns in which each row is best, and the section on the choice among rows.

    `STS-B dev`, `Avg.` or both.  Means over seeds are compared; of equal rows, the first is the best.
    """
    if not table.choose_among:
        return pd.DataFrame(index=range(len(about.rows))), []
    looked_at = tidy.column.isin(table.ours(tidy.column))
    among = tidy["group"].isin(table.choose_among)
    means = tidy[among & looked_at & tidy.seed.isna() & tidy.value.notna()]
    columns_of: dict[int, list[str]] = {}
    for column, values in means.groupby("column", sort=False):
        columns_of.setdefault(int(values.loc[values.value.idxmax(), "row"]), []).append(str(column))
    best = {number: " and ".join(columns) for number, columns in columns_of.items()}
    return pd.DataFrame({"best in": [best.get(number, "") for number in range(len(about.rows))]}), [
        "## The selected setting, and its reliability",
        bullets([f"Best in {columns}: {about.rows[number].label}." for number, columns in best.items()]),
        (
            "Standard deviations are over the methods of a group, and over the seeds of a method. This "
            "setting was selected on test sets, which users cannot do."
        ),
        markdown_table(_spreads(means)),
    ]


def _spreads(means: pd.DataFrame) -> pd.DataFrame:
    """Return how far apart the rows of a group are, and how far the seeds of a row: `–` for fewer than two.

    Mean and standard deviation of the rows' means over seeds; `over seeds` is the standard deviation within a
    row, pooled over the rows.
    """
    rows = []
    for (group, column), values in means.groupby(["group", "column"], sort=False):
        pooled = math.sqrt((values["std"] ** 2).mean())
        numbers = (values.value.mean(), values.value.std(ddof=1), pooled)
        texts = [f"{number:.2f}" if pd.notna(number) else "–" for number in numbers]
        rows.append((group, column, len(values), *texts))
    return pd.DataFrame(rows, columns=["group", "column", "rows", "mean", "over rows", "over seeds"])
