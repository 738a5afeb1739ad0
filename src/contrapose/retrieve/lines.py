"""Lines of the text files in which evaluation sets are distributed."""

import csv
import json
import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from contrapose.errors import TableError, shown
from contrapose.tasks import ESCI_CLASSES, LANGUAGES, NLI_CLASSES, TASKS, Task

logger = logging.getLogger(__name__)

PROJECT = "./"  # in front of a path below the project instead of the data folder
ENDS = " \t\r\n\u3000\ufeff"  # stripped from texts without blanks between words; U+3000: full-width space
UNLABELLED = ("", "-1", "-")  # some pairs of PAWS-X and SNLI came without a label
CLASS_NAMES = {len(names): names for names in (NLI_CLASSES, ESCI_CLASSES)}

Pair = tuple[int, str, str, float]  # row, sentence 1, sentence 2, score
MRPC_HEADER = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]


class Place(NamedTuple):
    """Where a split is in a distribution."""

    file: str
    part: str = ""  # what marks its rows in the file; empty: all of them


class Line(NamedTuple):
    """A line of a file, split at its separators."""

    where: str  # file and line, for messages
    number: int  # from 0
    fields: list[str]


Fields = tuple[Line, str, str, str]  # sentence 1, sentence 2, label


def text_lines(path: Path, separator: str = "\t", otherwise: str = "") -> Iterator[Line]:
    """Yield the lines of a UTF-8 file; the last line needs no line break.

    `otherwise` is the encoding of a file that is not UTF-8; without one such a file is refused.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror}). Check the file.") from error
    if b"\0" in content:
        raise TableError(f"{path}: contains NUL bytes, which text cannot have. Convert the file to UTF-8.")
    if b"\r" in content and b"\n" not in content:
        raise TableError(f"{path}: its lines end in CR only. Convert the line ends to LF.")
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    encoding = "utf-8"
    try:
        if otherwise:
            content.decode()
    except UnicodeDecodeError:
        encoding = otherwise
        logger.info("%s: is not UTF-8, read as %s", path, otherwise)
    for number, line in enumerate(lines):
        where = f"{path}, line {number + 1}"
        try:
            text = line.removesuffix(b"\r").decode(encoding)
        except UnicodeDecodeError as error:
            raise TableError(f"{where}: not UTF-8 ({error.reason}). Convert the file.") from error
        yield Line(where, number, text.split(separator))


def csv_rows(path: Path, strict: bool = False) -> Iterator[Line]:
    """Yield the rows of a CSV file in UTF-8, including the header; texts are not changed.

    Quotation marks are those of RFC 4180: they enclose a text with commas, and are doubled within it.
    Raises TableError if it cannot be read, is not in UTF-8, or, if `strict`, is quoted in another way.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=strict)
            for number, row in enumerate(rows):
                if any("\0" in field for field in row):
                    raise csv.Error(f"a NUL byte in line {rows.line_num}")
                yield Line(f"{path}, line {rows.line_num}", number, row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: is not a CSV file in UTF-8 ({error}). Fetch the file again.") from error


def table_rows(path: Path, headers: Sequence[list[str]]) -> Iterator[Line]:
    """Yield the rows of a strict CSV file below its header, numbered from 0.

    Raises TableError if the first line is none of the `headers`, a row has a different number of columns, or
    as `csv_rows` does.
    """
    rows = csv_rows(path, strict=True)
    header = next((line.fields for line in rows), [])
    if header not in headers:
        allowed = " or ".join(map(str, headers))
        raise TableError(
            f"{path}: the header is {shown(header)}, expected {allowed}. Correct the first line."
        )
    for line in rows:
        if len(line.fields) != len(header):
            raise TableError(
                f"{line.where}: {len(line.fields)} columns, expected {header}. Correct the line or fetch the "
                "file again."
            )
        yield line._replace(number=line.number - 1)


def need_header(path: Path, lines: Iterator[Line], header: list[str]) -> None:
    """Read the first line and refuse it if it is not the header."""
    found = next(lines, Line(str(path), 0, [])).fields
    if found != header:
        raise TableError(
            f"{path}: the header is {shown(found)}, expected {', '.join(header)}. Fetch the file again."
        )


def below_header(path: Path, lines: Iterator[Line], header: list[str]) -> Iterator[Line]:
    """Yield the lines below a header, numbered as in the file; refuse a wrong header or number of columns."""
    need_header(path, lines, header)
    for line in lines:
        need_columns(line, (len(header),), ", ".join(header))
        yield line


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


def json_object(line: Line) -> dict:
    """Return the JSON object in a line; tabs do not separate its fields."""
    text = "\t".join(line.fields)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{line.where}: is not valid JSON ({error}). Fetch the file again.") from error
    if not isinstance(value, dict):
        raise TableError(f"{line.where}: is a {type(value).__name__}, expected one JSON object a line.")
    return value


def is_text(value: object) -> bool:
    """Tell whether a JSON value is a text that UTF-8 can encode: JSON allows half a surrogate pair."""
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


def score_of(text: str, line: Line, task: Task) -> float:
    """Read a gold score and refuse one that is off the scale of its set.

    A class is a whole number or a name, `entailment` or `ENTAILMENT`.
    """
    about = TASKS[task]
    names = CLASS_NAMES.get(about.classes, ())
    if text.strip().lower() in names:
        return float(names.index(text.strip().lower()))
    value = number_in(text)
    if not about.low <= value <= about.high or (about.classes and value % 1):
        allowed = f"a {'whole ' * bool(about.classes)}number from {about.low:g} to {about.high:g}"
        raise TableError(
            f"{line.where}: score {shown(text)}, expected {', '.join((*names, allowed))}. "
            f"Correct the line or fetch the file again."
        )
    return value


def stripped(first: str, second: str) -> tuple[str, str]:
    """Return both sentences without white space and byte order marks at their ends."""
    return first.strip(ENDS), second.strip(ENDS)


def text_pair(fields: Sequence[str], line: Line) -> tuple[str, str]:
    """Return both sentences `spaced`, and refuse an empty one."""
    first, second = map(spaced, fields)
    if not first or not second:
        raise TableError(f"{line.where}: a sentence is empty. Correct the line or fetch the file again.")
    return first, second


def usable_texts(
    texts: tuple[str, str], label: str, line: Line, task: Task, every_pair: bool
) -> tuple[str, str] | None:
    """Return both sentences of a pair: `stripped` if they are Chinese or Japanese, else `spaced`.

    Return None if one is empty, or the pair has no label; refuse an empty one if `every_pair` has both.
    """
    about = TASKS[task]
    if every_pair:
        return text_pair(texts, line)
    if LANGUAGES.get(about.suite, "en") == "en":
        first, second = map(spaced, texts)
    else:
        first, second = stripped(*texts)
    unlabelled = label.strip() in UNLABELLED and not about.labels
    return None if unlabelled or not first or not second else (first, second)
