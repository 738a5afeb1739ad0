"""Tables of a person's own: what other programs write is read as they read it, or refused in a sentence."""

import csv
import os
import re
import socket

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.base.errors import TableError
from contrapose.retrieve.user_tables import user_rows, with_points
from tests.workbooks import workbook

NAMES = ["text", "second", "n"]
# Cells with everything that quoting is about, and escapes of Excel's.
CELLS = st.text(st.sampled_from("ab1 é\u00a0\u2028,;\t|\"'\n_x000D=") | st.sampled_from("'-+@"), max_size=8)
TABLES = st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=4)


def read(path, names=NAMES, **options):
    return [line.fields for line in user_rows(path, names, "Advice.", **options)]


def not_blank(rows):
    return [row for row in rows if any(cell.strip() for cell in row)]


@given(
    rows=TABLES,
    separator=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    told=st.booleans(),
)
def test_every_dialect_of_csv_is_read_as_pandas_reads_it(
    tmp_path_factory, rows, separator, quoting, end, encoding, told
):
    path = tmp_path_factory.getbasetemp() / "dialects.csv"
    options = {"sep": separator, "quoting": quoting, "lineterminator": end, "index": False}
    text = pd.DataFrame(rows, columns=NAMES).to_csv(**options)
    path.write_bytes((f"sep={separator}{end}" * told + text).encode(encoding))
    theirs = pd.read_csv(
        path, sep=separator, skiprows=int(told), dtype=str, keep_default_na=False, skip_blank_lines=True
    )
    expected = not_blank(theirs.to_numpy().tolist())
    assert read(path, separator=separator) == expected == not_blank(rows)
    assert read(path, separator=None) == expected


@given(TABLES, st.integers(1, 3), st.sampled_from(["\n", "\r\n", "\r"]))
def test_blanks_before_quotation_marks_and_blank_lines_between_rows_are_not_read(
    tmp_path_factory, rows, blanks, end
):
    path = tmp_path_factory.getbasetemp() / "blanks.csv"
    quoted = [[f'"{cell}"'.replace('"', '""')[1:-1] for cell in row] for row in (NAMES, *rows)]
    text = (end * blanks).join(f",{' ' * blanks}".join(row) for row in quoted)
    path.write_bytes(f"{end}{text}{end}{',' * 2}{end}".encode())
    theirs = pd.read_csv(path, skipinitialspace=True, dtype=str, keep_default_na=False)
    expected = not_blank(theirs.to_numpy().tolist())
    assert read(path) == expected == not_blank(rows)


@given(st.lists(st.lists(CELLS | st.integers(-9, 9) | st.floats(-9, 9), min_size=3, max_size=3), max_size=4))
def test_a_sheet_has_the_cells_that_openpyxl_reads(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "cells.xlsx"
    book = openpyxl.Workbook()
    for place, row in enumerate([NAMES, *rows], 1):
        for column, value in enumerate(row, 2):  # the first column is empty
            cell = book.active.cell(2 * place, column, value)  # and so is every second row
            cell.data_type = "s" if isinstance(value, str) else "n"
    book.save(path)
    theirs = openpyxl.load_workbook(path, data_only=True).active.iter_rows(
        min_row=3, min_col=2, values_only=True
    )
    ours = read(path)
    expected = [[unescaped(cell) for cell in row] for row in theirs]
    assert ours == [[str(cell) for cell in row] for row in expected if any(str(cell).strip() for cell in row)]


def unescaped(cell):
    if not isinstance(cell, str):
        return "" if cell is None else cell
    return re.sub("\r\n?", "\n", cell.replace("_x000D_", "\r").replace("\r\n", "\n").rstrip("\r"))


@given(TABLES, st.sampled_from(["parquet", "jsonl"]))
def test_parquet_and_json_lines_have_the_cells_that_pandas_wrote(tmp_path_factory, rows, kind):
    path = tmp_path_factory.getbasetemp() / f"p.{kind}"
    table = pd.DataFrame(rows, columns=NAMES)
    table.to_parquet(path) if kind == "parquet" else table.to_json(path, orient="records", lines=True)
    assert read(path) == not_blank(rows)


def test_the_escapes_of_excel_are_characters_and_escaped_escapes_are_text(tmp_path):
    path = tmp_path / "t.xlsx"
    strings = ["text", "One._x000D_\nTwo._x000D_", "a_x005F_x000D_", "_x0009_b", "<r><t>c</t></r>"]
    shared = [f"<si><t>{each}</t></si>" for each in strings[:-1]]
    shared.append("<si><r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh></si>")
    workbook(path, "".join(f'<row><c t="s"><v>{n}</v></c></row>' for n in range(len(shared))), shared)
    assert read(path, ["text"]) == [["One.\nTwo."], ["a_x000D_"], ["\tb"], ["東京"]]


def test_a_cell_may_have_any_size_and_a_first_line_may_name_the_separator(tmp_path):
    long = "word " * 100_000
    (tmp_path / "t.csv").write_text(f"sep=;\ntext;n\n{long};1\n")
    assert read(tmp_path / "t.csv", ["text"], separator=",") == [[long]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "text,n,text\na,1,b\n",
            r"columns 1 \(text\) and 3 \(text\) have the same name, text\. Remove or rename one of them",
        ),
        ("Text ,n,text\na,1,b\n", r"columns 1 \(Text \) and 3 \(text\) have the same name"),
        (
            'text,n\n"a" b,1\n',
            r"line 2: the file is not CSV in UTF-8 \(',' expected after '\"'\)\. Put a text",
        ),
        (
            'text,n\na,1\n"b\n\nc\n',
            r"line 3: the file is not CSV in UTF-8 \(unexpected end of data\)",
        ),  # where the text begins
        ("text,n\na,1,2\n", "2: the line has 3 columns, but the header has 2"),
        ("文\r\n中\r\n".encode("utf-16"), "iconv -f utf-16"),
        (
            "text\ncaf\x93\n".encode("cp1252", "replace") + b"\x93\n",
            r"line 3: the text is not in UTF-8 \(invalid start byte\)",
        ),
        (b"PK\3\4\0\0", "is a zip archive"),
        (b"PAR1\0\0", r"file is in Parquet format\. Rename it to \.parquet"),
        (b"\0" * 9000, "1: the line contains NUL bytes"),
    ],
)
def test_a_csv_file_that_is_none_or_ambiguous_is_refused(tmp_path, content, says):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TableError, match=rf"t\.csv.*{says}"):
        read(path, ["text"])


CELL = '<c r="A{0}" t="inlineStr"><is><t>{1}</t></is></c>'
HEADER = f"<row>{CELL.format(1, 'text')}</row>"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("<c><f>1+1</f><v/></c>", "row 2: text is a formula without a value. Open the file"),
        ('<c t="e"><v>#N/A</v></c>', "row 2: text is the error #N/A"),
        ('<c t="b"><v>1</v></c>', "row 2: text is a truth value"),
        ('<c s="1"><v>46000</v></c>', "row 2: text is a date, .* Format the column as text"),
        ('<c t="d"><v>2026-05-02</v></c>', "row 2: text is a date"),
        ('<c t="str"><v>a_x0000_b</v></c>', r"row 2: text is 'a.x00b', but a text or a number"),
        ('<c r="A2" t="s"><v>7</v></c>', "cell A2 has text 7 of 0"),
        ('<c r="A2" t="s"><v>-1</v></c>', "cell A2 has text -1 of 0"),
        ("<c><v>one</v></c>", "could not convert string to float"),
        ("<c>", "mismatched tag"),
        ("<c/>" + "<!-- -->" * 2_000_000, "has 16,.* bytes, packed as"),
    ],
)
def test_a_cell_that_is_neither_text_nor_number_is_refused(tmp_path, cell, says):
    workbook(tmp_path / "t.xlsx", f"{HEADER}<row>{cell}</row>")
    with pytest.raises(TableError, match=rf"t\.xlsx.*{says}"):
        read(tmp_path / "t.xlsx", ["text"])


def test_values_in_columns_that_are_not_read_may_be_anything(tmp_path, caplog):
    header = f"<row>{CELL.format(1, 'text')}<c><v>2.50</v></c></row>"
    rows = f'<row>{CELL.format(2, "a")}<c s="1"><v>1</v></c></row><row><c><f>1+1</f><v>2.0</v></c></row>'
    workbook(tmp_path / "t.xlsx", header + rows)
    assert read(tmp_path / "t.xlsx", ["text"]) == [["a"], ["2"]]  # what a formula gave when it was saved
    assert "these columns are read: text. Others are not: '2.5'" in caplog.text


@pytest.mark.parametrize(
    "far", ['<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', '<row r="99999999999"/>']
)
def test_rows_and_columns_are_those_that_are_there_not_those_that_a_sheet_claims(tmp_path, far):
    rows = f'<row r="2">{CELL.format(2, "a")}<c r="XFD2"><v>1</v></c></row>'
    workbook(tmp_path / "t.xlsx", HEADER + rows + far * 1000)
    assert read(tmp_path / "t.xlsx", ["text"]) == [["a"]]


def test_the_first_visible_sheet_is_read_and_the_log_names_the_others(tmp_path, caplog):
    book = openpyxl.Workbook()
    book.active.sheet_state = "hidden"
    for name in ("pairs", "more"):
        book.create_sheet(name).append(["text"])
        book[name].append([name])
    book.active = 1
    book.save(tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx", ["text"]) == [["pairs"]]
    assert "sheet 'pairs' is read, not 'Sheet', 'more'" in caplog.text


def test_rows_that_a_filter_hides_are_read_and_counted_in_the_log(tmp_path, caplog):
    book = openpyxl.Workbook()
    for text in ("text", "seen", "hidden"):
        book.active.append([text])
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx", ["text"]) == [["seen"], ["hidden"]]
    assert "1 of the rows are hidden, for example by a filter, but are read" in caplog.text


def test_an_encrypted_sheet_is_refused_and_a_column_of_objects_is_there_once(tmp_path):
    workbook(tmp_path / "t.xlsx", HEADER)
    content = bytearray((tmp_path / "t.xlsx").read_bytes())
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # the flag in both headers of each part
        for place in [each.start() for each in re.finditer(re.escape(mark), bytes(content))]:
            content[place + at] |= 1
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(TableError, match=r"\(_rels/.rels is encrypted\)"):
        read(tmp_path / "t.xlsx", ["text"])
    (tmp_path / "t.jsonl").write_text('{"text": "a", "text": "b"}\n')
    with pytest.raises(TableError, match=r"1: the line is not valid JSON \(key 'text' occurs twice\)"):
        read(tmp_path / "t.jsonl", ["text"])


def test_a_parquet_file_of_few_bytes_and_millions_of_rows_is_refused(tmp_path):
    pd.DataFrame({"text": ["a"] * 3_000_000}).to_parquet(tmp_path / "t.parquet", compression="zstd")
    with pytest.raises(TableError, match="has only 9,832 bytes, but 3,000,000 rows"):
        read(tmp_path / "t.parquet", ["text"])
    twice = pa.table([["a"], ["b"]], names=["text", "text"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(TableError, match=r"twice\.parquet: the column .text. occurs twice"):
        read(tmp_path / "twice.parquet", ["text"])


def test_what_has_no_end_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    (tmp_path / "folder.xlsx").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.parquet"))
        for name, what in [
            ("pipe.csv", "a pipe"),
            ("zero.jsonl", "a device"),
            ("folder.xlsx", "a folder"),
            ("socket.parquet", "a socket"),
        ]:
            with pytest.raises(TableError, match=f"{name} is {what}, not a file"):
                read(tmp_path / name, ["text"])


def test_commas_are_decimal_points_unless_they_may_part_thousands(tmp_path):
    def points(*numbers):
        (tmp_path / "t.csv").write_text("n\n" + "".join(f'"{each}"\n' for each in numbers))
        return [line.fields[0] for line in with_points(user_rows(tmp_path / "t.csv", ["n"], ""), 0)]

    assert points("2,5", "1,125", "3", "0.5") == ["2.5", "1.125", "3", "0.5"]
    assert points("0,125", "1.5") == ["0.125", "1.5"]
    with pytest.raises(
        TableError, match="line 2: 1,234 has a comma, but other numbers of its column have a point"
    ):
        points("1,234", "0.5")
