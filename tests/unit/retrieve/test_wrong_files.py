import csv
import re

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.corpus.published_lines import SentenceFile, published_lines
from contrapose.report.published import read_published
from contrapose.retrieve.formats import ESCI_FILES

STSB = "main-captions\tMSRvid\t2012test\t0001\t2.5\tA cat.\tA dog.\n"
SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
PAWS = "id\tsentence1\tsentence2\tlabel\n"
OWN = "sentence1,sentence2,score\n"
JSTS = '{"sentence1": "a", "sentence2": "b", "label": 1}\n'
FIELD = 131_072  # characters that Python's csv takes in a field
LONG = b"x" * (FIELD + 1)
FILES = {
    "stsb": "sts-test.csv", "sick": "SICK_train.txt", "mrpc": "msr_paraphrase_test.txt", "qqp": "train.tsv",
    "paws": "train.tsv", "paws_qqp": "dev_and_test.tsv", "bq": "train.csv", "jglue": "valid-v1.3.json",
    "senteval_cn": "X.test.data", "pairs": "test.csv",
}  # fmt: skip
TASKS = {"sick": "sickr", "jglue": "jsts", "senteval_cn": "atec", "pairs": "own"}
NO_TEXTS = "2: the line is not a JSON object with the texts sentence1 and sentence2"


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("stsb", STSB + STSB.replace("\n", "\tsource\n"), "2: the line has 8 columns, but 7 or 9 are"),
        ("stsb", STSB.replace("2.5", "9" * 5000), r"a number from 0 to 5 is expected\. Correct the line"),
        ("stsb", STSB.replace("A dog.", ""), "line 1: a sentence is empty"),
        ("sick", f"{SICK}1\tA\tB\t0.5\tN\n", r"line 2: the score is '0\.5', but a number from 1 to 5 is"),
        ("sick", "pair_ID\tsentence_A\n",
            r"line 1, the header: the columns 'sentence_B', 'relatedness_score' are missing\. The"),
        ("sick", SICK, "contains no scored pair"),
        ("mrpc", "Quality\tA\tB\tC\tD\n", r"the header is \['Quality', 'A', 'B', 'C', 'D'\], but Quality"),
        ("mrpc", MRPC + "1\t1\t2\tA\n", "2: the line has 4 columns, but 5 are expected between separators"),
        ("mrpc", MRPC + "2\t1\t2\tA\tB\n", "line 2: the score is '2', but a number from 0 to 1 is expected"),
        ("mrpc", MRPC + "-1\t1\t2\tA\tB\n", "line 2: the score is '-1', but a number from 0 to 1 is"),
        ("qqp", "a\tb\n", r"the header is \['a', 'b'\], but id, qid1"),
        ("paws", "sentence1\tsentence2\tlabel\tid\n", "the header is"),
        ("paws_qqp", PAWS + "1\tb'\\xff'\tb'a'\t0\n", r"line 2: \"b'\\\\xff'\" is not a text in the form"),
        ("paws_qqp", PAWS + f"1\tb'{'-' * 300_000}\tb'a'\t0\n", "is not a text"),
        ("paws_qqp", PAWS + f"1\tb'a'{'-' * 300_000}1\tb'a'\t0\n", "is not a text"),
        ("bq", "a,b,c\n", "the header is"),
        *(("bq", b"sentence1,sentence2,label\na,b,0\na" + fault + b",b,0\n", says) for fault, says
          in ((b"\xe9", "line 3: the text is not in UTF-8 .*iconv -f latin1"),
              (LONG, "file is not CSV in UTF-8"))),
        *(("senteval_cn", f"甲\t乙\t1\n{line}\n", "line 2")
          for line in ("甲\t乙", "甲\t乙\t1\t1", "甲\t乙\t2", "甲\t乙\tja")),
        *(("jglue", JSTS + f'{{"sentence1": {text}, "sentence2": "b", "label": 0}}', NO_TEXTS)
          for text in ("null", "5", '"\\ud800"')),
        ("jglue", JSTS + '{"sentence1": "a", "sentence2": "b"}', NO_TEXTS),
        *(("jglue", JSTS + text, "2: the line is not valid JSON")
          for text in ("no object\n", "[" * 100_000, '{"a": ' + "1" * 5000 + "}")),
        ("jglue", JSTS + "[]", "2: the line is a list, but one JSON object per line is expected"),
        ("pairs", "sentence1,sentence2\na,b\n", r"column 'score' is missing\. The columns are sentence1"),
        ("pairs", "", r"the file is empty\. It needs the columns sentence1, sentence2, score\."),
        ("pairs", f"{OWN}a,b,1\na,b\n", "3: the line has 2 columns, but the header has 3"),
        *(("pairs", OWN.replace(",", each), f"separated by {typed}, but .*--separator {typed}")
          for each, shown, typed in ((";", ";", "';'"), ("\t", r"\\t", "tab"))),
        ("pairs", OWN.encode("utf-16"), r"line contains NUL bytes, which are not allowed in text\. Convert"),
        ("pairs", f"{OWN}a,b,1e308\n", r"line 2: the score is '1e308', but a number from -9\.0072e\+15 to"),
        ("pairs", f"{OWN}a, ,1\n", "line 2: a sentence is empty"),
        *(("pairs", f"{OWN}a,b,{score}\n", f"is '{score}', but a number is expected. Correct the line.$")
          for score in ("high", "nan", "inf")),
        ("pairs", f'{OWN}"a,b,1\n', r"file is not CSV in UTF-8 \(unexpected end of data\)"),
        ("pairs", f"{OWN}a\0,b,1\n", "a NUL byte in line 2"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_set_of_pairs_that_cannot_be_read_is_refused(read, kind, content, message):
    csv.field_size_limit(FIELD)  # frictionless, which publishing uses, sets another one
    with pytest.raises(TableError, match=rf"{re.escape(FILES[kind])}.*{message}") as raised:
        read(kind, TASKS.get(kind, kind), {FILES[kind]: content})
    assert len(str(raised.value)) < 600


def test_parquet_columns_of_another_type_and_cut_files_are_refused(write, read):
    def sentences(**changed):
        about = {"product_id": "p", "product_locale": "us"}
        asked = {"query": ["q", None], "esci_label": "E", **about, "large_version": 1, "split": "test"}
        pd.DataFrame(asked | changed).to_parquet(path)
        pd.DataFrame([{"product_title": "t", **about}]).to_parquet(path.with_name(ESCI_FILES[1]))
        return read("esci", "esci_us", splits=["test"]).table.sentence1.tolist()

    path = write(f"X/{ESCI_FILES[0]}", "") / "X" / ESCI_FILES[0]
    assert sentences() == ["q"]
    with pytest.raises(TableError, match="column query is of type int64, but text is expected"):
        sentences(query=[5, 6])
    with pytest.raises(TableError, match=r"examples\.parquet: cannot be read"):
        sentences(large_version="1")
    sentences()
    content = path.read_bytes()
    path.write_bytes(content[:4] + bytes(len(content[4:200])) + content[200:])
    with pytest.raises(TableError, match=r"examples\.parquet: cannot be read"):
        read("esci", "esci_us", splits=["test"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a\0\nb\n", ", line 1: the line contains NUL bytes"),
        ("a\rb\r", ": the lines end only in CR"),
        *((blank, ": the file contains no sentence") for blank in ("", "\n", " \n\t\n")),
    ],
)
def test_a_file_that_holds_no_lines_of_text_is_refused(write, content, says):
    with pytest.raises(TableError, match=rf"s\.txt{says}"):
        published_lines(SentenceFile(path="s.txt"), write("s.txt", content))


@pytest.mark.parametrize(
    "content", ["", b"a,\xe9\n", "a,b\n1,2\n1,2,3\n"], ids=["empty", "latin-1", "ragged"]
)
def test_a_printed_table_that_is_no_csv_is_refused(write, content):
    with pytest.raises(TableError, match=r"table1\.csv: the file is not CSV in UTF-8"):
        read_published([write("table1.csv", content) / "table1.csv"])
