"""Tables of a person's own, whatever program wrote them: CSV, Excel's sheets, Parquet, JSON Lines."""

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from zipfile import BadZipFile

import pandas as pd

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


def _parquet(path: Path) -> Iterator[Line]:
    return _of_objects(parquet_rows(path))


def _json_lines(path: Path) -> Iterator[Line]:
    return _of_objects(json_rows(path))


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
    ".parquet": _parquet,
    ".jsonl": _json_lines,
}
