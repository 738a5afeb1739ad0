"""Tables of a person's own, whatever program wrote them: CSV, Excel's sheets, Parquet, JSON Lines."""

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from zipfile import BadZipFile

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import TableError, shown
from contrapose.retrieve.lines import (
    Line,
    Row,
    csv_rows,
    is_text,
    json_rows,
    need_names,
    parquet_rows,
)

logger = logging.getLogger(__name__)

ADVICE = "Correct `column` or `documents` of its entry in the world."
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")  # as Excel writes it where it separates by semicolons


def own_rows(path: Path, names: Sequence[str], advice: str, separator: str = ",") -> Iterator[Line]:
    """Yield columns of a table as texts, its rows numbered from 0; the log says which are not read.

    The suffix says what it is: `.xlsx` (its first sheet), `.parquet` or `.jsonl`; else it is CSV with this
    separator, as in `csv_rows`.  A missing value is an empty text.  Raises TableError if the file cannot be
    read or lacks a column, for which there is `advice`, a row has another number of columns, or a value is
    neither text nor number.
    """
    read = READERS.get(path.suffix.lower())
    rows = read(path) if read else csv_rows(path, strict=True, separator=separator)
    header = next(rows, Line(str(path), 0, [])).fields
    need_names(names, header, path, advice)
    if others := ", ".join(repr(name) for name in header if name not in names):
        logger.warning("%s: reads %s, not the columns %s", path, ", ".join(names), others)
    columns = [header.index(name) for name in names]
    for line in rows:
        if len(line.fields) != len(header):
            raise TableError(
                f"{line.where}: {len(line.fields)} columns, the header has {len(header)}. Correct the line: "
                'put a text with a separator in quotation marks, and double those within it ("").'
            )
        texts = [_text(line.fields[column], line.where, header[column]) for column in columns]
        yield Line(line.where, line.number - 1, texts)


def with_points(rows: Iterable[Line], column: int) -> list[Line]:
    """Return rows with a decimal point in place of a decimal comma in one column; the log says so."""
    rows = list(rows)
    if commas := [line for line in rows if DECIMAL_COMMA.fullmatch(line.fields[column])]:
        shows = commas[0].fields[column].strip()
        logger.warning("%s: decimal commas, as in %s, are read as points", commas[0].where, shows)
        for line in commas:
            line.fields[column] = line.fields[column].replace(",", ".")
    return rows


def _sheet(path: Path) -> Iterator[Line]:
    """Yield the rows of the first sheet of an Excel file; blank cells at the end of its rows are kept."""
    try:
        sheet = pd.read_excel(path, header=None, dtype=str, na_filter=False, engine="openpyxl")
    except ImportError:
        raise TableError(
            f"{path}: openpyxl, which reads Excel's sheets, is not installed: pip install openpyxl. Or save "
            "the sheet in Excel as 'CSV UTF-8 (comma delimited)'."
        ) from None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise TableError(
            f"{path}: cannot be read as an Excel sheet ({error}). Save it again as .xlsx, or as CSV in UTF-8."
        ) from error
    for number, row in enumerate(sheet.itertuples(index=False, name=None)):
        yield Line(f"{path}, row {number + 1}", number, list(row))


def _old_sheet(path: Path) -> Iterator[Line]:
    raise TableError(f"{path}: {path.suffix} is not read. Save the sheet as .xlsx, or as CSV in UTF-8.")


def _of_objects(rows: Iterator[Row]) -> Iterator[Line]:
    """Yield the values of objects below the keys of the first one."""
    header: list[str] = []
    for number, (where, row) in enumerate(rows):
        if not number:
            header = list(row)
            yield Line(where, 0, header)
        need_names(header, row, where, "All objects need the same keys.")
        yield Line(where, number + 1, [row[name] for name in header])


def _text(value: object, where: str, name: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not is_text(value) and not isinstance(value, int | float):
        raise TableError(f"{where}: {name} is {shown(value)}, expected a text or a number. Correct it.")
    return str(value)


READERS: dict[str, Callable[[Path], Iterator[Line]]] = {
    ".xlsx": _sheet,
    ".xls": _old_sheet,
    ".ods": _old_sheet,
    ".parquet": lambda path: _of_objects(parquet_rows(path)),
    ".jsonl": lambda path: _of_objects(json_rows(path)),
}


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
