"""Lines, rows and objects of the text files in which evaluation sets are distributed, and rows of Parquet."""

import csv
import json
import logging
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeGuard

import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.base.errors import AGAIN, TO_UTF8, TableError, are_missing, cut, shown

logger = logging.getLogger(__name__)

ENDS = " \t\r\n\u3000\ufeff"  # stripped from texts without blanks between words; U+3000: full-width space
MRPC_HEADER = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]
BOM = b"\xef\xbb\xbf"
FROM_UTF16 = "Convert the file from UTF-16 to UTF-8: iconv -f utf-16 -t utf-8 OLD > NEW."
BEGINNINGS = {  # of files that are not text in UTF-8, with what to do
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), FROM_UTF16),  # byte order marks
    b"PK\3\4": (
        "The file is a zip archive. If a spreadsheet program wrote it, rename it to .xlsx; otherwise "
        "unpack it."
    ),
    b"\xd0\xcf\x11\xe0": "The file is an old or encrypted workbook. Save it as .xlsx, without a password.",
    b"PAR1": "The file is in Parquet format. Rename it to .parquet.",
    b"\x1f\x8b": "The file is compressed with gzip. Unpack it with gunzip.",
}
# As Apache POI's ZipSecureFile: a part of an archive may be so many times as large as it is packed, and any
# part has so many bytes.
MOST_UNPACKED, ALWAYS_UNPACKED = 100, 100 * 1024
ROWS_AT_ONCE = 1000  # of Parquet, as Python objects

Row = tuple[str, dict[str, Any]]  # its location, for messages, and its values by name


class Line(NamedTuple):
    """A line of a file, split at its separators."""

    where: str  # file and line, for messages
    number: int  # from 0
    fields: list[str]


Fields = tuple[Line, str, str, str]  # sentence 1, sentence 2, label
Pair = tuple[int, str, str, float]  # row, sentence 1, sentence 2, score


def whole_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[str, int, str]]:
    r"""Yield the lines of a text file, each with its location and its number, from 0.

    Lines end at `\n` or `\r\n` only: other Unicode separators occur inside sentences.  Raises TableError if
    the file cannot be read, is not a regular file, is not in the encoding, holds NUL, or has lines that end
    in `\r`.
    """
    need_file(path)
    try:
        with path.open("rb") as file:
            head = file.peek()
            # A file of zeros alone, such as a sparse one, may be one line of any size.
            lines = [head] if head and not head.strip(b"\0") else file
            for number, line in enumerate(lines):
                where = f"{path}, line {number + 1}"
                if b"\0" in line:
                    advice = advice_for(head, FROM_UTF16)
                    raise TableError(
                        f"{where}: the line contains NUL bytes, which are not allowed in text. {advice}"
                    )
                if not number and b"\r" in line and not line.endswith(b"\n"):
                    raise TableError(f"{path}: the lines end only in CR. Convert the line ends to LF.")
                line = line.removesuffix(b"\n").removesuffix(b"\r")
                try:
                    yield where, number, line.removeprefix(BOM if not number else b"").decode(encoding)
                except UnicodeDecodeError as error:
                    advice = advice_for(head, TO_UTF8)
                    raise TableError(
                        f"{where}: the text is not in UTF-8 ({error.reason}). {advice}"
                    ) from error
    except OSError as error:
        raise TableError(f"{path}: the file cannot be read ({error.strerror}). Check access.") from error


def advice_for(head: bytes, otherwise: str) -> str:
    """Return what to do with a file that begins in this way and is not what it should be."""
    return next((says for begins, says in BEGINNINGS.items() if head.startswith(begins)), otherwise)


def too_large(unpacked: int, packed: int) -> bool:
    """Whether a part of a file has more bytes, or rows, than programs pack: it may fill memory or disk."""
    return unpacked > max(MOST_UNPACKED * packed, ALWAYS_UNPACKED)


def need_file(path: Path) -> None:
    """Refuse a folder, a pipe, a socket or a device in the place of a file: some are read without an end."""
    kinds = {
        "a folder": path.is_dir(),
        "a pipe": path.is_fifo(),
        "a socket": path.is_socket(),
        "a device": path.is_char_device() or path.is_block_device(),
    }
    if what := next((name for name, is_one in kinds.items() if is_one), ""):
        raise TableError(f"{path} is {what}, not a file. Name a file, or copy the content into one.")


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
            value = json.loads(text, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            what = str(error)
            if isinstance(error, json.JSONDecodeError):
                what = f"wrong at character {error.colno}"
            raise TableError(
                f"{where}: the line is not valid JSON ({what}). Each line must be one JSON object. {AGAIN}"
            ) from error
        if not isinstance(value, dict):
            raise TableError(
                f"{where}: the line is a {type(value).__name__}, but one JSON object per line is expected."
            )
        yield where, value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return row


def parquet_rows(path: Path, names: Collection[str] = ()) -> Iterator[Row]:
    """Yield the rows of a Parquet file; only the columns `names` are read if it has all of them."""
    number = 0
    need_file(path)
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            known = file.schema_arrow.names
            if twice := next((name for name in known if known.count(name) > 1), ""):
                raise TableError(f"{path}: the column {twice!r} occurs twice. Remove or rename one of them.")
            if too_large(file.metadata.num_rows, size := path.stat().st_size):
                raise TableError(
                    f"{path}: the file has only {size:,} bytes, but {file.metadata.num_rows:,} rows, "
                    "so most rows must be equal. Give each different row once."
                )
            columns = list(names) if names and {*names} <= {*known} else None
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}, row {number}", row
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{path}: the file cannot be read as Parquet after row {number} ({error}). Download "
            "it again, or correct its format in the catalog."
        ) from error


def need_names(names: Sequence[str], known: Collection[str], where: object, advice: str) -> None:
    """Refuse a file or row that lacks columns or keys."""
    if missing := [name for name in names if name not in known]:
        columns = (
            f"The columns are {cut(', '.join(known)).rstrip('.')}."
            if [*filter(None, known)]
            else "It has no columns."
        )
        raise TableError(f"{where}: {are_missing('column', map(repr, missing))}. {columns} {advice}")


def csv_rows(path: Path) -> Iterator[Line]:
    """Yield the rows of a published CSV file in UTF-8, including the header; texts are not changed.

    Quotation marks are those of RFC 4180: they enclose a text with commas, and are doubled within it.
    Raises TableError if it cannot be read or is not in UTF-8.
    """
    with csv_file(path) as file:
        rows = csv.reader(file)
        for number, row in enumerate(rows):
            refuse_nul(row, rows.line_num)
            yield Line(f"{path}, line {rows.line_num}", number, row)


@contextmanager
def csv_file(path: Path) -> Iterator[TextIO]:
    """Open a CSV file; what cannot be read of it becomes a TableError."""
    need_file(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.buffer.peek()  # type: ignore[attr-defined]
            if head.startswith((*BEGINNINGS, b"\0")):
                _refuse_bytes(path)
            yield file
    except UnicodeDecodeError as error:
        _refuse_bytes(path)
        raise AssertionError(path) from error
    except (OSError, csv.Error) as error:
        raise TableError(
            f"{path}: the file is not CSV in UTF-8 ({error}). Correct it, or download it again."
        ) from error


def refuse_nul(row: Sequence[str], number: int) -> None:
    """Raise a csv.Error for a row with a NUL byte, which Python's reader takes."""
    if any("\0" in field for field in row):
        raise csv.Error(f"a NUL byte in line {number}")


def _refuse_bytes(path: Path) -> None:
    """Refuse a file with the first of its lines that is not text in UTF-8, and say what to do."""
    for _ in whole_lines(path):
        pass


def need_header(path: Path, lines: Iterator[Line], *headers: list[str]) -> list[str]:
    """Read the first line; refuse it if it is none of the headers."""
    header = next(lines, Line(str(path), 0, [])).fields
    if header not in headers:
        allowed = " or ".join(", ".join(each) for each in headers)
        raise TableError(f"{path}: the header is {shown(header)}, but {allowed} is expected. {AGAIN}")
    return header


def below_header(path: Path, lines: Iterator[Line], *headers: list[str]) -> Iterator[Line]:
    """Yield the lines below a header, numbered as in the file; refuse a wrong header or number of columns."""
    header = need_header(path, lines, *headers)
    for line in lines:
        need_columns(line, (len(header),), ", ".join(header))
        yield line


def parallel_lines(paths: Sequence[Path]) -> Iterator[tuple[Line, ...]]:
    """Yield the lines of files that belong together, line by line."""
    parts = [list(text_lines(path)) for path in paths]
    counts = [len(part) for part in parts]
    if len(set(counts)) > 1:
        raise TableError(
            f"{', '.join(map(str, paths))}: the files have {counts} lines, but the same number is "
            "expected. Download all of them again from one source."
        )
    yield from zip(*parts, strict=True)


def is_text(value: object) -> TypeGuard[str]:
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
            f"{line.where}: the line has {len(line.fields)} columns, but {counts} are expected "
            f"between separators: {names}. Correct the line, or download the file again."
        )


def spaced(text: str) -> str:
    """Return a text with one space for any white space between words.  SentEval, `sts.py`."""
    return " ".join(text.split())


def number_in(text: str) -> float:
    """Read a number; NaN if it is none, such as `1_0`, which Python takes for 10."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
