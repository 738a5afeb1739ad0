"""The paper's numbers in the CSV file of a table: a column behind each column of scores."""

from collections.abc import Callable

import pandas as pd

from contrapose.report.cells import BEST_SEED, column_names
from contrapose.report.headers import PUBLISHED, SCORE


def with_printed(
    table: pd.DataFrame, tidy: pd.DataFrame, form_of: Callable[[str], str], missing: str
) -> pd.DataFrame:
    """Return a printed table with `NAME, published` behind each column NAME that has numbers of the paper.

    Columns of `table` are by part, its index is the row; `tidy` is CELLS; `form_of` a column is the format
    of its numbers; `missing` stands in rows that are no row of the paper.  Where the largest of several seeds
    has a column, the paper's numbers are behind that one, and none are behind the mean.
    """
    cells = tidy[tidy.seed.isna() & tidy.slot.isna() & tidy.published.notna()]
    cells = cells.assign(name=column_names(cells))
    of_mean = {name.removesuffix(BEST_SEED) for name in cells.name if name.endswith(BEST_SEED)}
    for name, of_column in cells[~cells.name.isin(of_mean)].groupby("name", sort=False):
        if (SCORE, name) not in table:
            continue
        form = form_of(of_column.column.iloc[0])
        printed = of_column.set_index("row").published.map(lambda number, form=form: format(number, form))
        texts = printed.reindex(table.index).fillna(missing)
        table.insert(table.columns.get_loc((SCORE, name)) + 1, (PUBLISHED, f"{name}, {PUBLISHED}"), texts)
    return table
