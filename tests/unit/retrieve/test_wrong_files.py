"""Damaged and foreign files end in a message that names file and line; nothing of them is taken."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from contrapose.corpus.published import published_lines
from contrapose.errors import ConfigError, TableError
from contrapose.evaluate.word_vectors import read_vectors
from contrapose.generate.endpoint import Endpoint, base_url
from contrapose.report.published import printed_rows, read_published
from contrapose.retrieve.benchmarks import read_benchmark
from contrapose.retrieve.naive import naive_texts
from contrapose.retrieve.pair_tasks import ESCI_FILES
from contrapose.retrieve.triples import simcse_triples
from contrapose.settings.rows import PrintedLayout
from contrapose.settings.worlds import BenchmarkFiles, Connection, SentenceFile

QQP = b"id,qid1,qid2,question1,question2,is_duplicate\n"
BQ = b"sentence1,sentence2,label\n"
LONG = b"x" * 200_000  # more than Python's csv takes in a field


def read(folder: Path, kind: str, task: str, splits: list | None = None) -> pd.DataFrame:
    source = BenchmarkFiles(kind=kind, task=task, path="x", form="raw", splits=splits)
    return read_benchmark(folder, source)[0]


@pytest.mark.parametrize("fault", [b"\xe9", LONG], ids=["latin-1", "long"])
@pytest.mark.parametrize(
    ("kind", "task", "header", "row"),
    [("qqp", "qqp", QQP, b"1,2,3,a %s,b,0\n"), ("bq", "bq", BQ, b"a %s,b,0\n")],
    ids=["qqp", "bq"],
)
def test_a_comma_separated_set_that_cannot_be_read_is_refused(kind, task, header, row, fault, tmp_path):
    (tmp_path / "train.csv").write_bytes(header + row % b"" + row % fault)
    with pytest.raises(TableError, match=r"train\.csv: is no CSV in UTF-8"):
        read(tmp_path, kind, task)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"sentence1": null, "sentence2": "b", "label": 0}', "is no JSON object with the texts"),
        ('{"sentence1": 5, "sentence2": "b", "label": 0}', "is no JSON object with the texts"),
        ('{"sentence1": "\\ud800", "sentence2": "b", "label": 0}', "is no JSON object with the texts"),
        ('{"sentence1": "a", "sentence2": "b"}', "is no JSON object with the texts"),
        ("[" * 100_000, "is no JSON"),
        ('{"a": ' + "1" * 5000 + "}", "is no JSON"),
        ("[]", "is a list, expected one JSON object a line"),
    ],
)
def test_a_line_of_json_that_is_no_pair_is_refused(line, says, tmp_path):
    (tmp_path / "valid-v1.3.json").write_text('{"sentence1": "a", "sentence2": "b", "label": 1}\n' + line)
    with pytest.raises(TableError, match=rf"valid-v1\.3\.json, line 2: {says}"):
        read(tmp_path, "jglue", "jsts")


def test_a_score_of_great_length_is_shown_by_its_beginning(tmp_path):
    line = "g\tf\ty\t1\t" + "9" * 5000 + "\ta\tb\n"
    (tmp_path / "sts-test.csv").write_text(line)
    with pytest.raises(TableError, match=r"line 1: score '9+\.\.\., expected a number from 0 to 5") as raised:
        read(tmp_path, "stsb", "stsb")
    assert len(str(raised.value)) < 600


def test_what_a_lone_quotation_mark_swallows_may_be_long(tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    row = "g\tf\ty\t1\t2.5\ta\tb\n"
    (folder / "sts-test.csv").write_text('g\tf\ty\t0\t2.5\tc\t"d\n' + row * 20_000)
    source = BenchmarkFiles(kind="stsb", task="stsb", path="set")
    assert naive_texts(tmp_path, {"stsb": source}).text.str.len().tolist() == [1, len("d\n" + row * 20_000)]


def esci(folder: Path, **changed) -> None:
    products = pd.DataFrame({"product_id": ["p"], "product_title": ["t"], "product_locale": ["us"]})
    about = {"product_id": ["p"], "product_locale": ["us"], "large_version": [1], "split": ["test"]}
    examples = pd.DataFrame({"query": ["q"], "esci_label": ["E"], **about} | changed)
    examples.to_parquet(folder / ESCI_FILES[0])
    products.to_parquet(folder / ESCI_FILES[1])


def test_parquet_columns_of_another_type_and_cut_files_are_refused(tmp_path):
    esci(tmp_path)
    assert read(tmp_path, "esci", "esci_us", ["test"]).sentence1.tolist() == ["q"]
    esci(tmp_path, query=[5])
    with pytest.raises(TableError, match=r"examples\.parquet: column query is int64, expected text"):
        read(tmp_path, "esci", "esci_us", ["test"])
    esci(tmp_path, large_version=["1"])
    with pytest.raises(TableError, match=r"examples\.parquet: cannot be read"):
        read(tmp_path, "esci", "esci_us", ["test"])
    esci(tmp_path)
    content = (tmp_path / ESCI_FILES[0]).read_bytes()
    (tmp_path / ESCI_FILES[0]).write_bytes(content[:4] + bytes(len(content[4:200])) + content[200:])
    with pytest.raises(TableError, match=r"examples\.parquet: cannot be read"):
        read(tmp_path, "esci", "esci_us", ["test"])


def test_a_query_without_text_is_left_out(tmp_path):
    both = {"product_id": ["p"] * 2, "product_locale": ["us"] * 2, "large_version": [1] * 2}
    esci(tmp_path, query=["q", None], esci_label=["E", "E"], split=["test"] * 2, **both)
    assert read(tmp_path, "esci", "esci_us", ["test"]).sentence1.tolist() == ["q"]


@pytest.mark.parametrize(
    ("content", "says"), [(b"a\0\nb\n", "holds NUL bytes"), (b"a\rb\r", "its lines end in CR alone")]
)
def test_a_file_in_another_form_of_text_is_refused(content, says, tmp_path):
    (tmp_path / "s.txt").write_bytes(content)
    with pytest.raises(TableError, match=rf"s\.txt: {says}"):
        published_lines(SentenceFile(path="s.txt"), tmp_path)


def test_texts_without_words_stay_and_are_counted(tmp_path, caplog):
    (tmp_path / "s.txt").write_text("a\n\nb\n")
    (tmp_path / "t.csv").write_text("sent0,sent1\na,b\n,b\n")
    with caplog.at_level("WARNING"):
        assert published_lines(SentenceFile(path="s.txt"), tmp_path) == ["a", "", "b"]
        assert len(simcse_triples(tmp_path / "t.csv")) == 2
    assert "1 lines are blank" in caplog.text
    assert "1 of them with an empty sent0 or sent1" in caplog.text


@pytest.mark.parametrize("content", ["", "\n", " \n\t\n"])
def test_a_corpus_without_any_sentence_is_refused(content, tmp_path):
    (tmp_path / "s.txt").write_text(content)
    with pytest.raises(TableError, match=r"s\.txt: holds no sentence"):
        published_lines(SentenceFile(path="s.txt"), tmp_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"2 3\ncat 1 2 3\ndog 1 2 3\n", r"line 1: .*word2vec's, take away the first line"),
        (b"cat\ndog\n", r"line 1: .* is no word with its numbers"),
        (b"cat 1 nan 3\n", r"line 1: 'cat' has not as many numbers"),
        (b"dog 1 2 3\ncat 1 2 x\n", r"line 2: 'cat' has not as many numbers"),
    ],
)
def test_word_vectors_in_another_form_are_refused(content, says, tmp_path):
    (tmp_path / "v.txt").write_bytes(content)
    with pytest.raises(TableError, match=rf"v\.txt', {says}"):
        read_vectors(tmp_path / "v.txt", ["cat"])


def test_word_vectors_that_cannot_be_unpacked_are_refused(tmp_path):
    for content in (b"cat 1 2 3\n", gzip.compress(b"dog 1 2 3\n" * 1000)[:-12]):
        (tmp_path / "v.gz").write_bytes(content)
        with pytest.raises(TableError, match=r"v\.gz': cannot be read to its end"):
            read_vectors(tmp_path / "v.gz", ["cat"])


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://host:port/v1", "http://host:99999/v1", "http://", "http://a b/v1", "file:"]
)
def test_an_endpoint_that_is_no_address_is_refused(url):
    with pytest.raises(ConfigError, match=r"llms\.chatgpt\.endpoint: .* is no base URL"):
        base_url(Connection(role="chatgpt", endpoint=url))


@pytest.mark.parametrize("content", [b"\xff\xfe\0", None], ids=["binary", "folder"])
def test_a_file_of_an_endpoint_that_holds_no_text_is_refused(content, tmp_path):
    place = tmp_path / "url"
    place.mkdir() if content is None else place.write_bytes(content)
    with pytest.raises(ConfigError, match=r"llms\.chatgpt\.endpoint: .*url' cannot be read as text"):
        Endpoint(Connection(role="chatgpt", endpoint=f"file:{place}")).locate()


@pytest.mark.parametrize(
    "content", [b"", b"a,\xe9\n", b"a,b\n1,2\n1,2,3\n"], ids=["empty", "latin-1", "ragged"]
)
def test_a_printed_table_that_is_no_csv_is_refused(content, tmp_path):
    (tmp_path / "table1.csv").write_bytes(content)
    with pytest.raises(TableError, match=r"table1\.csv: is no CSV in UTF-8"):
        read_published([tmp_path / "table1.csv"])


@pytest.mark.parametrize("layout", [{"rows": ["modle"]}, {"rows": ["model"], "below": ["modle", "x"]}])
def test_a_layout_that_names_no_column_of_the_printed_table_is_refused(layout):
    printed = pd.DataFrame({"model": ["a"], "x": [1.0]})
    with pytest.raises(ConfigError, match="table1: layout: columns of the paper's file has no entry 'modle'"):
        printed_rows("table1", printed, PrintedLayout(**layout))
