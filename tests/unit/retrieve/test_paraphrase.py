"""MRPC, QQP and PAWS-QQP in the formats in which they were released, and their splits."""

import logging
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from datasets import Dataset

from contrapose.errors import ConfigError, TableError
from contrapose.retrieve.benchmarks import found_benchmarks, read_benchmarks
from contrapose.retrieve.hub_benchmarks import hub_benchmark
from contrapose.settings.worlds import BenchmarkFiles, BenchmarkHub
from contrapose.tasks import TASKS

BOM = "\ufeff"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
PAWS = "id\tsentence1\tsentence2\tlabel\n"


@pytest.fixture
def write(tmp_path: Path):
    def written(name: str, content: str) -> Path:
        (tmp_path / "X").mkdir(exist_ok=True)
        (tmp_path / "X" / name).write_bytes(content.encode())
        return tmp_path

    return written


def read(folder: Path, kind: str, **settings):
    source = BenchmarkFiles(kind=kind, task=kind, path="X", form="raw", **settings)
    return read_benchmarks(folder, {"x": source})


def texts(table: pd.DataFrame, split: str):
    rows = table[table.split == split]
    return rows[["row", "sentence1", "sentence2", "score"]].values.tolist()


def test_mrpc_has_a_byte_order_mark_and_quotation_marks_that_mean_nothing(write):
    folder = write("msr_paraphrase_test.txt", f'{BOM}{MRPC}1\t1\t2\t"A  b\tC.\r\n0\t3\t4\tD "e"\tF\r\n')
    table, missing = read(folder, "mrpc")
    assert texts(table, "test") == [[1, '"A b', "C.", 1.0], [2, 'D "e"', "F", 0.0]]
    assert set(missing) == {"mrpc/raw/train", "mrpc/raw/dev"}
    assert set(missing.values()) == {"X/msr_paraphrase_train.txt"}


def test_a_tenth_of_mrpc_s_train_pairs_are_dev_and_every_pair_is_somewhere(write):
    rows = [f"{number % 2}\t0\t0\ta{number}\tb\n" for number in range(4076)]
    folder = write("msr_paraphrase_train.txt", MRPC + "".join(rows))
    table, _ = read(folder, "mrpc")
    dev, train = (set(table.row[table.split == split]) for split in ("dev", "train"))
    assert (len(dev), len(train), dev | train) == (408, 3668, set(range(1, 4077)))  # as many as GLUE's
    assert max(dev) > 3668  # not the first ones
    assert read(folder, "mrpc")[0].equals(table)
    only_dev, _ = read(folder, "mrpc", splits=["dev"])
    assert set(only_dev.row) == dev  # the rest is train, asked for or not


def test_glue_s_questions_are_read_without_quoting_and_broken_lines_are_counted(write, caplog):
    lines = [f'{n}\t1\t2\tIs "{n} so?\tWhy?\t{n % 2}\n' for n in range(40)]
    folder = write("train.tsv", QQP + "7\t1\t2\tHalf a\n" + "".join(lines) + "8\t1\t2\t\tWhy?\t1\n")
    write("dev.tsv", QQP + "0\t1\t2\tA?\tB?\t0\n")
    with caplog.at_level(logging.WARNING):
        table, missing = read(folder, "qqp")
    assert missing == {}
    assert "1 lines with another number of columns left out" in caplog.text
    assert "1 pairs without one of the texts left out" in caplog.text
    # The first 5 % of 40 are dev, GLUE's dev is test.
    assert texts(table, "dev") == [[2, 'Is "0 so?', "Why?", 0.0], [3, 'Is "1 so?', "Why?", 1.0]]
    assert [row[0] for row in texts(table, "train")] == list(range(4, 42))
    assert texts(table, "test") == [[1, "A?", "B?", 0.0]]


def test_kaggle_s_questions_are_comma_separated_with_quoting_and_have_no_test_split(write):
    header = QQP.replace("\t", ",")
    folder = write("train.csv", header + '1,1,2,"What, ""this""?","A\nb?",1\n' * 20)
    table, missing = read(folder, "qqp")
    assert texts(table, "dev") == [[1, 'What, "this"?', "A b?", 1.0]]
    assert len(texts(table, "train")) == 19
    assert missing == {"qqp/raw/test": "X/dev.tsv"}


def test_paws_qqp_is_unwrapped_from_bytes_and_each_label_halved(write):
    said = "b'caf\\xc3\\xa9 ?'\tb\"I 'm\"", "plain\ttext"
    rows = [f"{number}\t{said[number % 2]}\t{int(number % 3 == 0)}\n" for number in range(1, 678)]
    table, _ = read(write("dev_and_test.tsv", PAWS + "".join(rows)), "paws_qqp", complete=True)
    assert set(table.sentence1) == {"café ?", "plain"}
    assert set(table.sentence2) == {"I 'm", "text"}
    labels = table.groupby(["split", "score"]).size().to_dict()
    assert labels == {("dev", 0.0): 226, ("dev", 1.0): 112, ("test", 0.0): 226, ("test", 1.0): 113}
    assert table.row.is_unique


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("msr_paraphrase_test.txt", "Quality\tA\tB\tC\tD\n", "the header is .*expected Quality, #1 ID"),
        ("msr_paraphrase_test.txt", MRPC + "1\t1\t2\tA\n", "line 2: 4 columns, expected 5"),
        ("msr_paraphrase_test.txt", MRPC + "2\t1\t2\tA\tB\n", "line 2: score '2', expected .* 0 to 1"),
        ("train.tsv", "a\tb\n", "the header is .*expected id, qid1"),
        ("dev_and_test.tsv", PAWS + "1\tb'\\xff'\tb'a'\t0\n", "line 2: .* is no text as Python writes bytes"),
    ],
)
def test_a_file_of_another_format_is_refused_with_file_and_line(write, name, content, message):
    kind = {"m": "mrpc", "t": "qqp", "d": "paws_qqp"}[name[0]]
    with pytest.raises(TableError, match=message):
        read(write(name, content), kind)


def test_a_folder_of_the_project_is_found_where_the_data_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = BenchmarkFiles(kind="paws_qqp", task="paws_qqp", path="./own", form="raw")
    assert found_benchmarks(tmp_path / "made", {"x": source}) == ({}, {"x": "./own"})
    (tmp_path / "own").mkdir()
    assert found_benchmarks(tmp_path / "made", {"x": source}) == ({"x": Path("own")}, {})


def test_two_splits_may_be_parts_of_one_of_the_hub(monkeypatch):
    monkeypatch.setitem(TASKS, "qqp", replace(TASKS["qqp"], pairs={"train": 38, "dev": 2, "test": 1}))
    asked = []

    def load_dataset(dataset, name, split, revision):
        asked.append((dataset, name, split, revision))
        rows = range(40) if split == "train" else range(1)
        return Dataset.from_list([{"question1": f"q{n} ", "question2": "why?", "label": n % 2} for n in rows])

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    source = BenchmarkHub(
        **{"task": "qqp", "dataset": "some/glue", "name": "qqp", "revision": "0abc", "form": "raw"},
        splits={"train": "train", "dev": "train", "test": "validation"},
        columns={"sentence1": "question1", "sentence2": "question2", "score": "label"},
    )
    table = hub_benchmark(source)
    assert asked == [("some/glue", "qqp", split, "0abc") for split in ("train", "validation")]
    assert table.split.value_counts().to_dict() == {"train": 38, "dev": 2, "test": 1}
    assert texts(table, "dev") == [[0, "q0", "why?", 0.0], [1, "q1", "why?", 1.0]]
    monkeypatch.setitem(TASKS, "qqp", replace(TASKS["qqp"], pairs={"train": 39, "dev": 2, "test": 1}))
    with pytest.raises(TableError, match="split train: 40 pairs, qqp train and dev has 41 as published"):
        hub_benchmark(source)


def test_splits_of_a_set_that_has_its_own_are_not_parts_of_one():
    with pytest.raises(ValueError, match="two splits of sickr are one of the hub"):
        BenchmarkHub(task="sickr", dataset="a", revision="b", splits={"dev": "x", "test": "x"})
    with pytest.raises(ConfigError, match="files of kind paws_qqp have no split train"):
        read_benchmarks(
            Path(__file__).parent.parent,
            {"x": BenchmarkFiles(kind="paws_qqp", task="paws_qqp", path="retrieve", splits=["train"])},
        )
