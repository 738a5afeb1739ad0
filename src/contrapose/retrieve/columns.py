"""Columns of text of CSV and Parquet files."""

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import TableError
from contrapose.retrieve.lines import need_names
from contrapose.retrieve.own_tables import own_rows

ADVICE = "Correct `column` or `documents` of its entry in the world."


def text_columns(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Return columns of a Parquet file (suffix `.parquet`) or of a CSV file with a header.

    Texts are not changed; CSV files are quoted as in `csv_rows`; a missing text is returned as empty.  Raises
    TableError if the file cannot be read or lacks a column, or a column does not hold text without NUL.
    """
    if path.suffix == ".parquet":
        columns = parquet_columns(path, names, ADVICE)[1:]
        for name, texts in zip(names, columns, strict=True):
            if any("\0" in text for text in texts):
                raise TableError(f"{path}: column {name} contains NUL, which text cannot have. Correct it.")
        return columns
    rows = [line.fields for line in own_rows(path, names, ADVICE)]
    return [[row[column] for row in rows] for column in range(len(names))]


def parquet_columns(
    path: Path, names: Sequence[str], advice: str, marks: Mapping[str, str | int] | None = None
) -> list[list]:
    """Return row numbers and columns of a Parquet file, of the rows whose columns `marks` have these values.

    Errors as of `text_columns`; `advice` is for a file without such columns.
    """
    marks = marks or {}
    try:
        need_names([*names, *marks], pq.read_schema(path).names, path, advice)
        table = pq.read_table(path, columns=[*names, *marks])
        matches = [pc.equal(table[name], value) for name, value in marks.items()]
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: cannot be read ({error}). Fetch the file again.") from error
    rows = pc.indices_nonzero(reduce(pc.and_, matches, pa.repeat(True, len(table))))
    for name in names:
        kind = table[name].type
        if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
            raise TableError(f"{path}: column {name} is {kind}, expected text. Name another column.")
    columns = (pc.fill_null(table[name].take(rows), "").to_pylist() for name in names)
    return [rows.to_pylist(), *columns]
