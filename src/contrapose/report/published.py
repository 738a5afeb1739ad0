"""The numbers that papers print, as recorded in `config/studies/<paper>/published/`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TO_UTF8, TableError
from contrapose.settings.ids import named
from contrapose.settings.spec import Spec

# The columns that name a row, outermost first; a label joins those that hold words.
ACROSS = "(across)"  # a column for the names of columns that are rows in our tables
PaperRows = Mapping[str, Mapping[str, float]]  # {label of the row: {column: number}}
ROW_NAMES = ("group", "llm", "model", "prompt", "name", "dataset", "paraphrases")


class PrintedLayout(Spec):
    """A paper's CSV file can be arranged in another way than the table here. These settings say how."""

    rows: list[str] = Field(
        [],
        description="The labels of rows come from these columns of the file. They may have numbers. With "
        "an empty list, they are the columns of these with words: group, llm, model, prompt, name, "
        "dataset and paraphrases.",
    )
    across: str | None = Field(
        None,
        description="In the file, each row of the table here is a column. The numbers in such columns "
        "belong to the column of this name. With `below`, this is the second name there. See the "
        "[examples](study-rows.md#how-a-papers-file-is-arranged).",
    )
    below: tuple[str, str] | None = Field(
        None,
        description="In the file, each column of the table here is on lines of its own. The first name "
        "is the column of the file with the printed names of these columns. The second name is the "
        "column with their numbers. See the [examples](study-rows.md#how-a-papers-file-is-arranged).",
    )


def read_published(files: Sequence[str | Path]) -> pd.DataFrame | None:
    """Return a paper's printed table from its CSV file; None without a file."""
    if not files:
        return None
    try:
        return pd.read_csv(files[0])
    except (OSError, ValueError) as error:  # ValueError: empty, not UTF-8, rows of different length
        raise TableError(f"{files[0]}: the file is not CSV in UTF-8 ({error}). {TO_UTF8}") from error


def printed_rows(
    table: str, printed: pd.DataFrame | None, layout: PrintedLayout | None = None
) -> dict[str, dict[str, float]]:
    """Return {label of the row: {column: number}} of a printed table; `table` is its name for messages.

    Columns of `ROW_NAMES` that hold words are the label, joined by `: `; all numbers are cells.  In a layout
    that differs, `rows` are the label, `across` is its last part, and `below` are the columns; `across` and
    `below` together describe a file with our rows as columns.  Raises TableError if no column names the rows,
    or two rows have one label.
    """
    if printed is None:
        return {}
    layout = layout or PrintedLayout()
    # The second of `below` may be `across`, which is not a column of the file.
    below = layout.below[: 1 if layout.across else 2] if layout.below else ()
    for column in (*layout.rows, *below):
        named(dict.fromkeys(printed.columns), column, f"{table}: layout: columns of the file of the paper")
    numbers = printed.select_dtypes("number")
    names = layout.rows or [name for name in ROW_NAMES if name in printed and name not in numbers]
    if layout.across:
        beside = layout.below[:1] if layout.below else ()
        printed = printed.melt([*names, *beside], var_name=ACROSS, value_name=layout.across)
        names = [*names, ACROSS]
    if layout.below:
        column, value = layout.below
        printed = printed.pivot(index=names, columns=column, values=value).reset_index()
    numbers = printed.select_dtypes("number").drop(columns=names, errors="ignore")
    if not names:
        raise TableError(
            f"{table}: no column has the names of the rows. One column must be called {', '.join(ROW_NAMES)}."
        )
    words = printed[names].astype(str).where(printed[names].notna(), "")  # a baseline may have no group
    labels = [": ".join(filter(None, texts)) for texts in words.itertuples(index=False)]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise TableError(f"{table}: two rows have the name '{twice[0]}'. Rename one of them.")
    cells = (
        {str(column): float(value) for column, value in row.items() if pd.notna(value)}
        for row in numbers.to_dict("records")
    )
    return dict(zip(labels, cells, strict=True))
