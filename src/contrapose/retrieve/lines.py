"""Lines, rows and objects of the text files in which evaluation sets are distributed, and rows of Parquet."""

import csv
import json
import logging
import math
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.errors import TableError, shown

logger = logging.getLogger(__name__)

ENDS = " \t\r\n\u3000\ufeff"  # stripped from texts without blanks between words; U+3000: full-width space
MRPC_HEADER = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]
BOM = b"\xef\xbb\xbf"
SEPARATORS = (";", "\t", "|")  # of CSV, other than the comma: Excel's, depending on the country
TO_UTF8 = "Convert it to UTF-8; from Latin-1, say: iconv -f latin1 -t utf-8 OLD > NEW."
ROWS_AT_ONCE = 1000  # of Parquet, as Python objects

Row = tuple[str, dict[str, Any]]  # its location, for messages, and its values by name


class Line(NamedTuple):
    """A line of a file, split at its separators."""

    where: str  # file and line, for messages
    number: int  # from 0
    fields: list[str]


def whole_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[str, int, str]]:
    r"""Yield the lines of a text file, each with its location and its number, from 0.

    Lines end at `\n` or `\r\n` only: other Unicode separators occur inside sentences.  Raises TableError if
    the file cannot be read, is not in the encoding, holds NUL, or has lines that end in `\r`.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                where = f"{path}, line {number + 1}"
                if b"\0" in line:
                    raise TableError(
                        f"{where}: contains NUL bytes, which text cannot have. Convert UTF-16 to UTF-8: "
                        "iconv -f utf-16 -t utf-8 OLD > NEW."
                    )
                if not number and b"\r" in line and not line.endswith(b"\n"):
                    raise TableError(f"{path}: its lines end in CR only. Convert the line ends to LF.")
                line = line.removesuffix(b"\n").removesuffix(b"\r")
                try:
                    yield where, number, line.removeprefix(BOM if not number else b"").decode(encoding)
                except UnicodeDecodeError as error:
                    raise TableError(f"{where}: not UTF-8 ({error.reason}). {TO_UTF8}") from error
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror}). Check the file.") from error


def text_lines(path: Path, separator: str = "\t", encoding: str = "utf-8") -> Iterator[Line]:
    """Yield the lines of a text file, split at a separator; errors as of `whole_lines`."""
    for where, number, text in whole_lines(path, encoding):
        yield Line(where, number, text.split(separator))


def json_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file; blank lines are skipped."""
    for where, _, text in whole_lines(path):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{where}: is not valid JSON ({error}). Fetch the file again.") from error
        if not isinstance(value, dict):
            raise TableError(f"{where}: is a {type(value).__name__}, expected one JSON object a line.")
        yield where, value


def parquet_rows(path: Path, names: Collection[str] = ()) -> Iterator[Row]:
    """Yield the rows of a Parquet file; only the columns `names` are read if it has all of them."""
    number = 0
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            columns = list(names) if names and {*names} <= {*file.schema_arrow.names} else None
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}, row {number}", row
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path}: cannot be read as Parquet after row {number} ({error}). Fetch the file again, or "
            "correct its format in the world."
        ) from error


def need_names(names: Sequence[str], known: Collection[str], where: object, advice: str) -> None:
    """Refuse a file or row that lacks columns or keys."""
    if missing := [name for name in names if name not in known]:
        names = ", ".join(map(repr, missing))
        raise TableError(f"{where}: has no column {names}, but {', '.join(known) or 'none'}. {advice}")


def csv_rows(path: Path, strict: bool = False, separator: str = ",") -> Iterator[Line]:
    """Yield the rows of a CSV file in UTF-8, including the header; texts are not changed.

    Quotation marks are those of RFC 4180: they enclose a text with commas, and are doubled within it.
    Raises TableError if it cannot be read, is not in UTF-8, or, if `strict`, is quoted or separated in
    another way.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=strict, delimiter=separator)
            for number, row in enumerate(rows):
                if any("\0" in field for field in row):
                    raise csv.Error(f"a NUL byte in line {rows.line_num}")
                if strict and not number and len(row) == 1:
                    _need_separator(path, row[0], separator)
                yield Line(f"{path}, line {rows.line_num}", number, row)
    except UnicodeDecodeError as error:
        for _ in whole_lines(path):  # finds the line, and says what to do
            pass
        raise AssertionError(path) from error
    except (OSError, csv.Error) as error:
        raise TableError(
            f"{path}: is not a CSV file in UTF-8 ({error}). Correct it, or fetch it again."
        ) from error


def shell_name(separator: str) -> str:
    """Return a separator as one types it in a shell."""
    return "tab" if separator == "\t" else f"'{separator}'"


def _need_separator(path: Path, header: str, separator: str) -> None:
    """Refuse a header that holds another separator than the one that it should."""
    if other := next((each for each in (*SEPARATORS, ",") if each in header), None):
        raise TableError(
            f"{path}: its separator is {other!r}, expected {separator!r}. Save it with that one, or, if it "
            f"has test pairs or sentences, name it: contrapose new --separator {shell_name(other)}."
        )


def need_header(path: Path, lines: Iterator[Line], *headers: list[str]) -> list[str]:
    """Read the first line; refuse it if it is none of the headers."""
    header = next(lines, Line(str(path), 0, [])).fields
    if header not in headers:
        allowed = " or ".join(", ".join(each) for each in headers)
        raise TableError(f"{path}: the header is {shown(header)}, expected {allowed}. Fetch the file again.")
    return header


def below_header(path: Path, lines: Iterator[Line], *headers: list[str]) -> Iterator[Line]:
    """Yield the lines below a header, numbered as in the file; refuse a wrong header or number of columns."""
    header = need_header(path, lines, *headers)
    for line in lines:
        need_columns(line, (len(header),), ", ".join(header))
        yield line


def table_rows(path: Path, *headers: list[str]) -> Iterator[Line]:
    """Yield the rows of a strict CSV file below its header, numbered from 0; errors as of `csv_rows`."""
    for line in below_header(path, csv_rows(path, strict=True), *headers):
        yield line._replace(number=line.number - 1)


def parallel_lines(paths: Sequence[Path]) -> Iterator[tuple[Line, ...]]:
    """Yield the lines of files that belong together, line by line."""
    parts = [list(text_lines(path)) for path in paths]
    counts = [len(part) for part in parts]
    if len(set(counts)) > 1:
        raise TableError(
            f"{', '.join(map(str, paths))}: have {counts} lines, expected the same number. "
            "Fetch all of them again from one source."
        )
    yield from zip(*parts, strict=True)


def is_text(value: object) -> bool:
    """Return whether a JSON value is a text that UTF-8 can encode: JSON allows half a surrogate pair."""
    try:
        return isinstance(value, str) and bool(value.isascii() or value.encode() or True)
    except UnicodeEncodeError:
        return False


def need_columns(line: Line, allowed: tuple[int, ...], names: str) -> None:
    """Refuse a line whose number of columns is not allowed."""
    if len(line.fields) not in allowed:
        counts = " or ".join(map(str, allowed))
        raise TableError(
            f"{line.where}: {len(line.fields)} columns, expected {counts} between separators: {names}. "
            f"Correct the line or fetch the file again."
        )


def spaced(text: str) -> str:
    """Return a text with one space for any white space between words.  SentEval, `sts.py`."""
    return " ".join(text.split())


def number_in(text: str) -> float:
    """Read a number; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
