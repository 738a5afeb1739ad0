"""Tables of a person's own, whatever program wrote them: CSV, Excel's sheets, Parquet, JSON Lines."""

import csv
import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.base.errors import AGAIN, TableError, cut, shown
from contrapose.retrieve.lines import (
    Line,
    Row,
    csv_file,
    is_text,
    json_rows,
    need_names,
    parquet_rows,
    refuse_nul,
)
from contrapose.retrieve.sheets import NoText, sheet_rows
from contrapose.text.equal_text import equal_text

logger = logging.getLogger(__name__)

ADVICE = "Correct `column` or `documents` of this entry in the catalog."
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")  # as Excel writes it where it separates by semicolons
THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")
SEPARATORS = (";", "\t", "|")  # of CSV, other than the comma: Excel's, depending on the country
SEPARATOR_LINE = re.compile('"?sep=(.)"?')
MOST_WORDS = 5  # of the name of a column; longer ones are sentences, so the header is missing.  Ours
LONGEST = 2**31 - 1  # characters of a cell: the most that Python's csv takes on every system


def user_rows(
    path: Path,
    names: Sequence[str],
    advice: str,
    separator: str | None = ",",
    optional: Sequence[str] = (),
) -> Iterator[Line]:
    r"""Yield columns of a table as texts, its rows numbered from 0; the log says which are not read.

    The suffix says what it is: `.xlsx` (its first visible sheet), `.parquet` or `.jsonl`; else it is CSV with
    this separator, or None: the one with which its first line has the names.  Names are found whatever their
    case and the blanks around them; `optional` ones may be missing.  Blank rows are skipped, a missing value
    is an empty text, and line ends within texts become `\n`.  Raises TableError if the file is empty or
    cannot be read, lacks a column, for which there is `advice`, or has one twice, a row has another number of
    columns, or a value is neither text nor number.
    """
    read = READERS.get(path.suffix.lower())
    rows = (line for line in (read(path) if read else _csv(path, separator, names)) if not _is_blank(line))
    if (first := next(rows, None)) is None:
        noun = "column" if len(names) == 1 else "columns"
        raise TableError(f"{path}: the file is empty. It needs the {noun} {', '.join(names)}.")
    header = [name if is_text(name) else "" for name in first.fields]
    columns = _columns(header, names, optional, path, advice)
    if others := [name for place, name in enumerate(header) if place not in columns.values()]:
        read_names, left = ", ".join(columns), ", ".join(map(repr, others))
        logger.warning("%s: only these columns are read: %s. Others are not: %s", path, read_names, cut(left))
    for number, line in enumerate(rows):
        if len(line.fields) != len(header):
            raise TableError(
                f"{line.where}: the line has {len(line.fields)} columns, but the header has "
                f"{len(header)}. Put a text that contains a separator in quotation marks, and double "
                'quotation marks within it ("").'
            )
        texts = [_text(line.fields[at], line.where, header[at]) for at in columns.values()]
        yield Line(line.where, number, texts)


def _is_blank(line: Line) -> bool:
    return all(value is None or (isinstance(value, str) and not value.strip()) for value in line.fields)


def _columns(
    header: Sequence[str], names: Sequence[str], optional: Sequence[str], path: Path, advice: str
) -> dict[str, int]:
    """Return where the columns of these names are; each may be there once."""
    keys = [_name(name) for name in header]
    found = {
        name: [place for place, key in enumerate(keys) if key == _name(name)] for name in (*names, *optional)
    }
    missing = [name for name in names if not found[name]]
    if not any(found.values()) and any(len(name.split()) > MOST_WORDS for name in header):
        raise TableError(
            f"{path}: the first line must name the columns {', '.join(names)}, but it is "
            f"{shown(', '.join(header))}. Add such a line, or give another file."
        )
    need_names(missing, header, path, advice)
    for name, places in found.items():
        if len(places) > 1:
            said = " and ".join(f"{place + 1} ({header[place]})" for place in places)
            raise TableError(
                f"{path}: the columns {said} have the same name, {name}. Remove or rename one of them."
            )
    return {name: places[0] for name, places in found.items() if places}


def _name(text: str) -> str:
    """Return what names of columns have in common that are the same."""
    return equal_text(text).casefold()


def with_points(rows: Iterable[Line], column: int) -> list[Line]:
    """Return rows with a decimal point in place of a decimal comma in one column; the log says so.

    Raises TableError if commas may as well part thousands: each is before three digits, and others of the
    column's numbers have points.
    """
    rows = list(rows)
    commas = [line for line in rows if DECIMAL_COMMA.fullmatch(line.fields[column])]
    if commas:
        first, value = commas[0], commas[0].fields[column].strip()
        if all(THOUSANDS.fullmatch(line.fields[column]) for line in commas) and any(
            "." in line.fields[column] for line in rows
        ):
            raise TableError(
                f"{first.where}: {value} has a comma, but other numbers of its column have a point. "
                "Write all numbers with a decimal point, and without marks between thousands."
            )
        logger.warning("%s: decimal commas, as in %s, are read as decimal points.", first.where, value)
        for line in commas:
            line.fields[column] = line.fields[column].replace(",", ".")
    return rows


def _csv(path: Path, separator: str | None, names: Sequence[str]) -> Iterator[Line]:
    """Yield the rows of a CSV file in UTF-8, including the header, with texts as they are.

    Quotation marks are those of RFC 4180: they enclose a text with separators, and are doubled within it;
    blanks before one are left out.  A first line `sep=;` names the separator, as Excel reads it.  Raises
    TableError if the file cannot be read, is not in UTF-8, or is quoted or separated in another way.
    """
    csv.field_size_limit(LONGEST)
    with csv_file(path) as file:
        first = file.readline()
        told = SEPARATOR_LINE.fullmatch(first.rstrip("\r\n"))
        if not told:
            file.seek(0)
        delimiter = told[1] if told else separator or _separator_of(first, names)
        taken: list[str] = []  # lines of the row that is read
        rows = csv.reader(_kept(file, taken), strict=True, skipinitialspace=True, delimiter=delimiter)
        try:
            for number, row in enumerate(rows):
                line = rows.line_num + bool(told)
                refuse_nul(row, line)
                if not number and len(row) == 1:
                    _need_separator(path, row[0], delimiter)
                yield Line(f"{path}, line {line}", number, _with_blanks(row, taken, delimiter))
                taken.clear()
        except csv.Error as error:
            where = f"{path}, line {rows.line_num + bool(told) - max(0, len(taken) - 1)}"
            raise TableError(
                f"{where}: the file is not CSV in UTF-8 ({error}). Put a text that contains a "
                "separator or line breaks in quotation marks, and double quotation marks within it "
                '("").'
            ) from error


def _kept(file: Iterable[str], taken: list[str]) -> Iterator[str]:
    for line in file:
        taken.append(line)
        yield line


def _with_blanks(row: list[str], lines: Sequence[str], separator: str) -> list[str]:
    """Return a row of these lines with the blanks that its texts begin with.

    Python's reader leaves out all blanks after separators or none, also before quotation marks, which then
    count as text.
    """
    text = "".join(lines)
    if not text.startswith(" ") and f"{separator} " not in text:
        return row
    plain = next(csv.reader(lines, delimiter=separator), [])
    same = [each.lstrip(" ") for each in plain] == [each.lstrip(" ") for each in row]
    return plain if same else row


def _separator_of(header: str, names: Sequence[str]) -> str:
    """Return the separator with which a first line has these names; a comma if there is none."""
    for separator in (",", *SEPARATORS):
        cells = next(csv.reader([header], skipinitialspace=True, delimiter=separator), [])
        if {*map(_name, names)} <= {*map(_name, cells)}:
            return separator
    return ","


def _need_separator(path: Path, header: str, separator: str) -> None:
    """Refuse a header that holds another separator than the one that it should."""
    if other := next((each for each in (*SEPARATORS, ",") if each in header), None):
        typed, expected = (f"'{each}'".replace("'\t'", "tab") for each in (other, separator))
        raise TableError(
            f"{path}: the columns seem to be separated by {typed}, but {expected} is expected. Save the file "
            f"with {expected} as separator. A new project takes it as it is, by contrapose init with "
            f"--separator {typed}."
        )


def _old_sheet(path: Path) -> Iterator[Line]:
    raise TableError(
        f"{path}: files of type {path.suffix} cannot be read. Save the sheet as .xlsx, or as CSV in UTF-8."
    )


def _of_objects(rows: Iterator[Row]) -> Iterator[Line]:
    """Yield the values of objects below the keys of the first one."""
    header: list[str] = []
    for number, (where, row) in enumerate(rows):
        if not number:
            header = list(row)
            yield Line(where, 0, header)
        need_names(header, row, where, "All objects must have the same keys.")
        yield Line(where, number + 1, [row[name] for name in header])


def _text(value: object, where: str, name: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, NoText):
        raise TableError(f"{where}: {name} {value.says}.")
    if is_text(value) and "\0" not in str(value):
        return str(value).replace("\r\n", "\n").rstrip("\r").replace("\r", "\n")  # line ends of Windows
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise TableError(
            f"{where}: {name} is {shown(value)}, but a text or a number is expected. Correct the file."
        )
    return str(value)


READERS: dict[str, Callable[[Path], Iterator[Line]]] = {
    **dict.fromkeys((".xlsx", ".xlsm"), sheet_rows),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), _old_sheet),
    ".parquet": lambda path: _of_objects(parquet_rows(path)),
    ".jsonl": lambda path: _of_objects(json_rows(path)),
}


def text_columns(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Return columns of a Parquet file (suffix `.parquet`) or of a CSV file with a header.

    A missing text is empty.  Raises TableError as `user_rows` does, or if a column does not hold text without
    NUL.
    """
    if path.suffix == ".parquet":
        columns = parquet_columns(path, names, ADVICE)[1:]
        for name, texts in zip(names, columns, strict=True):
            if any("\0" in text for text in texts):
                raise TableError(
                    f"{path}: the column {name} contains NUL, which is not allowed in text. Remove it."
                )
        return columns
    rows = [line.fields for line in user_rows(path, names, ADVICE)]
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
        raise TableError(f"{path}: cannot be read ({error}). {AGAIN}") from error
    rows = pc.indices_nonzero(reduce(pc.and_, matches, pa.repeat(True, len(table))))
    for name in names:
        kind = table[name].type
        if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
            raise TableError(
                f"{path}: the column {name} is of type {kind}, but text is expected. Name another column."
            )
    columns = (pc.fill_null(table[name].take(rows), "").to_pylist() for name in names)
    return [rows.to_pylist(), *columns]
