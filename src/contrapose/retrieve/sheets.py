"""The rows of Excel's sheets (.xlsx), as ECMA-376 part 1, chapter 18, describes them.

Only cells that are there are read: no size that a file claims costs time or memory.  pandas and openpyxl
make a cell of every place up to the last one; openpyxl tells neither an escape from a text that looks like
one, nor a formula without a value from an empty cell.
"""

import logging
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError, iterparse
from zipfile import BadZipFile, ZipFile
from zlib import error as zlib_error

from contrapose.base.errors import TableError
from contrapose.retrieve.lines import Line, advice_for, need_file, too_large

logger = logging.getLogger(__name__)

EAST_ASIAN_DATES = {*range(27, 37), *range(50, 59)}  # numbers of formats of dates, section 18.8.30
COLUMN = re.compile("[A-Z]+")
TRUE = ("1", "true")  # as XML Schema writes it
# What a damaged, encrypted or incomplete archive raises, and a number that is none.
UNREADABLE = (OSError, EOFError, BadZipFile, zlib_error, ParseError, RuntimeError, LookupError, ValueError)


class NoText(NamedTuple):
    """What a cell holds that is neither text nor number, and what to do, after the name of its column."""

    says: str


Cell = str | NoText
NO_VALUE = NoText("is a formula without a value. Open the file in a spreadsheet program and save it there")
DATE = NoText("is a date, which spreadsheet programs make of texts such as 2.5. Format the column as text")
TRUTH = NoText("is a truth value, expected a text or a number. Format the column as text")


def sheet_rows(path: Path) -> Iterator[Line]:
    """Yield the rows of the first visible sheet that are not blank; the first one names the columns.

    A row has a field below each cell of the first one: a text, a number as text, or a `NoText`, such as a
    date.  Other cells are left out.  Raises TableError if the file cannot be read as a sheet.
    """
    need_file(path)
    columns: list[int] = []
    try:
        with ZipFile(path) as archive:
            book = _Workbook(archive, path)
            for number, (place, cells) in enumerate(book.rows()):
                columns = columns or sorted(cells)
                fields = [cells.get(column, "") for column in columns]
                yield Line(f"{path}, row {place}", number, fields)  # type: ignore[arg-type]
            if book.hidden:
                logger.warning(
                    "%s: %d of the rows are hidden, for example by a filter, but are read", path, book.hidden
                )
    except UNREADABLE as error:
        with path.open("rb") as file:
            head = file.read(8).removeprefix(b"PK\3\4")
        advice = advice_for(head, "Save it again as .xlsx, or as CSV in UTF-8.")
        raise TableError(f"{path}: the file cannot be read as an Excel sheet ({error}). {advice}") from error


class _Workbook:
    """The parts of a workbook that a sheet is read with."""

    def __init__(self, archive: ZipFile, path: Path) -> None:
        from openpyxl.utils.escape import unescape

        self.archive, self.unescape, self.hidden = archive, unescape, 0
        (workbook,) = (target for kind, target in self._related("").values() if kind == "officeDocument")
        related = self._related(workbook)
        self.sheet = self._visible(workbook, related, path)
        of_kind = {kind: target for kind, target in related.values() if kind in ("sharedStrings", "styles")}
        self.strings = [self._text(each) for each in self._elements(of_kind.get("sharedStrings"), "si")]
        self.dates = set(self._date_styles(of_kind.get("styles")))

    def rows(self) -> Iterator[tuple[str, dict[int, Cell]]]:
        """Yield the number of each row that is not blank, and its cells by the numbers of their columns."""
        from openpyxl.utils import column_index_from_string

        for count, row in enumerate(self._elements(self.sheet, "row"), 1):
            cells: dict[int, Cell] = {}
            column = 0
            for cell in row.iterfind("{*}c"):
                named = COLUMN.match(cell.get("r", ""))
                column = column_index_from_string(named[0]) if named else column + 1
                cells[column] = self._value(cell)
            if any(isinstance(each, NoText) or each.strip() for each in cells.values()):
                self.hidden += row.get("hidden") in TRUE
                yield row.get("r", str(count)), cells

    def _value(self, cell: Element) -> Cell:
        kind, value = cell.get("t", "n"), cell.findtext("{*}v") or ""
        if kind == "inlineStr":
            return "".join(map(self._text, cell.iterfind("{*}is")))
        if kind == "str":
            return self.unescape(value)
        if not value:
            return "" if cell.find("{*}f") is None else NO_VALUE
        if kind == "s":
            if not 0 <= int(value) < len(self.strings):
                raise ValueError(f"cell {cell.get('r')} has text {value} of {len(self.strings)}")
            return self.strings[int(value)]
        if kind == "e":
            return NoText(f"is the error {value}. Correct the cell, or delete its row")
        if kind == "b":
            return TRUTH
        if kind == "d" or int(cell.get("s", 0)) in self.dates:
            return DATE
        number = float(value)
        return str(int(number)) if number.is_integer() else str(number)

    def _text(self, element: Element) -> str:
        """Return a text and those of its parts, without the pronunciation that Japanese texts have beside."""
        parts = [element, *element.iterfind("{*}r")]
        return self.unescape("".join(part.findtext("{*}t") or "" for part in parts))

    def _date_styles(self, name: str | None) -> Iterator[int]:
        """Yield the numbers of the styles that show a number as a date or a time."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

        if name is None:
            return
        formats = dict.fromkeys(EAST_ASIAN_DATES, "yy") | BUILTIN_FORMATS
        for element in self._elements(name, "numFmt"):
            formats[int(element.get("numFmtId", 0))] = element.get("formatCode", "")
        for styles in self._elements(name, "cellXfs"):
            for number, style in enumerate(styles):
                if is_date_format(formats.get(int(style.get("numFmtId", 0)), "")):
                    yield number

    def _visible(self, workbook: str, related: dict[str, tuple[str, str]], path: Path) -> str:
        """Return the part with the first visible sheet; the log says which sheets are not read."""
        sheets: dict[str, str] = {}
        others = []
        for sheet in self._elements(workbook, "sheet"):
            number = next(value for name, value in sheet.items() if name.endswith("}id"))
            kind, target = related[number]
            name = sheet.get("name", "")
            if kind == "worksheet" and sheet.get("state", "visible") == "visible" and not sheets:
                sheets[name] = target
            else:
                others.append(name)
        if not sheets:
            raise ValueError(f"none of its {len(others)} sheets is visible and a table")
        if others:
            logger.warning(
                "%s: only the sheet %r is read, not %s", path, *sheets, ", ".join(map(repr, others))
            )
        return next(iter(sheets.values()))

    def _related(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the kind and the name of the parts that a part, or the whole file, refers to, by id."""
        folder, name = posixpath.split(part)
        file = posixpath.join(folder, "_rels", f"{name}.rels")
        return {
            each.get("Id", ""): (
                each.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, each.get("Target", ""))).lstrip("/"),
            )
            for each in self._elements(file, "Relationship")
        }

    def _elements(self, part: str | None, name: str) -> Iterator[Element]:
        """Yield the XML elements of a part that have a name, each whole; none without a part."""
        if part is None:
            return
        about = self.archive.getinfo(part)
        if about.flag_bits & 1:  # as the zip format marks it
            raise ValueError(f"{part} is encrypted")
        if too_large(about.file_size, about.compress_size):
            raise ValueError(
                f"{part} is too large: it has {about.file_size:,} bytes, packed as {about.compress_size:,}"
            )
        with self.archive.open(about) as file:
            for _, element in iterparse(file):
                if element.tag.rpartition("}")[2] == name:
                    yield element
                    element.clear()
