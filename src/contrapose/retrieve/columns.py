"""Columns of text of CSV and Parquet files."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import TableError
from contrapose.retrieve.lines import csv_rows


def text_columns(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Return columns of a Parquet file (suffix `.parquet`) or of a CSV file with a header.

    Texts are not changed; CSV files are quoted as in `csv_rows`; a missing text is returned as empty.  Raises
    TableError if the file cannot be read or lacks a column, or a column does not hold text without NUL.
    """
    return _parquet(path, names) if path.suffix == ".parquet" else _csv(path, names)


def _csv(path: Path, names: Sequence[str]) -> list[list[str]]:
    rows = csv_rows(path, strict=True)
    header = next((line.fields for line in rows), [])
    _need(path, names, header)
    places, columns = [header.index(name) for name in names], [list[str]() for _ in names]
    for line in rows:
        if len(line.fields) != len(header):
            raise TableError(
                f"{line.where}: {len(line.fields)} columns, the header has {len(header)}. Correct the line: "
                'put a text with a comma in quotation marks, and double the quotation marks within it ("").'
            )
        for column, place in zip(columns, places, strict=True):
            column.append(line.fields[place])
    return columns


def _parquet(path: Path, names: Sequence[str]) -> list[list[str]]:
    try:
        schema = pq.read_schema(path)
        _need(path, names, schema.names)
        table = pq.read_table(path, columns=list(names))
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: cannot be read ({error}). Fetch the file again.") from error
    columns = []
    for name in names:
        if not pa.types.is_string(table[name].type) and not pa.types.is_large_string(table[name].type):
            raise TableError(
                f"{path}: column {name} is {table[name].type}, expected text. Name another column."
            )
        if pc.any(pc.match_substring(table[name], "\0")).as_py():
            raise TableError(
                f"{path}: column {name} contains NUL characters, which text cannot have. Correct the file."
            )
        columns.append(pc.fill_null(table[name], "").to_pylist())
    return columns


def _need(path: Path, names: Sequence[str], found: Sequence[str]) -> None:
    for name in names:
        if name not in found:
            raise TableError(
                f"{path}: has no column '{name}', but {', '.join(found) or 'none'}. Correct `column` or "
                "`documents` of its entry in the world."
            )
