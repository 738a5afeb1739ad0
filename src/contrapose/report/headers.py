"""Columns of printed tables by the part that they belong to: no name of a person's own can meet one of ours.

A printed table is `pd.concat({part: columns}, axis=1)`: its columns have two levels, part and name.  Names of
scores are those of settings, all others are ours.
"""

from collections.abc import Iterable

import pandas as pd

ROW, COUNT, SCORE, COMPARISON, TRAINING, COST = "row", "count", "score", "comparison", "training", "cost"
TABLE = "table"  # what is said of a row or of all
PUBLISHED = "published"  # a paper's numbers, each column behind the one that they belong to


def part_of(table: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return the columns of a part of a table, by their names."""
    return table.loc[:, table.columns.get_level_values(0) == part].droplevel(0, axis=1)


def apart(name: str, taken: Iterable[str], what: str) -> str:
    """Return a name of ours that is not taken: with `what` it is behind it, as often as that takes."""
    taken = {*taken}
    while name in taken:
        name = f"{name} ({what})"
    return name


def headed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with one header for each column: scores are called as settings call them.

    Another column has its part in brackets behind its name if there is a score, or column, of that name.  A
    table without parts stays as it is.
    """
    if table.columns.nlevels == 1:
        return table
    headers = {key: key[1] for key in table.columns if key[0] == SCORE}
    for part, name in table.columns:
        if part != SCORE:
            headers[part, name] = apart(name, headers.values(), part)
    return table.set_axis([headers[key] for key in table.columns], axis=1)
