"""Chinese sets in the formats in which they are distributed."""

import logging
from pathlib import Path

import pytest

from contrapose.errors import ConfigError, TableError
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles

BOM = "\ufeff"


def read(folder: Path, kind: str, task: str, path: str = "X", **settings):
    source = BenchmarkFiles(kind=kind, task=task, path=path, **settings)
    table, missing = read_benchmarks(folder, {"x": source})
    rows = table[["split", "row", "sentence1", "sentence2", "score"]].values.tolist()
    return rows, missing


@pytest.fixture
def write(tmp_path: Path):
    def written(name: str, content: str, newline: str = "\n") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.replace("\n", newline).encode())
        return tmp_path

    return written


def test_the_bundle_names_its_files_like_the_folder_and_calls_dev_valid(write):
    write("BQ/BQ.valid.data", "怎么 还款？\t 如何还款\u3000\t1\n１２３！\t借,钱\t0\n")
    folder = write("BQ/BQ.test.data", "甲\t乙\t0")
    rows, missing = read(folder, "senteval_cn", "bq", "BQ")
    # White space inside stays, also between characters; full-width marks are what they are.
    assert rows == [
        ["dev", 0, "怎么 还款？", "如何还款", 1.0],
        ["dev", 1, "１２３！", "借,钱", 0.0],
        ["test", 0, "甲", "乙", 0.0],
    ]
    assert missing == {"bq/senteval/train": "BQ/BQ.train.data"}


def test_ant_s_file_has_a_second_byte_order_mark_at_its_first_sentence(write):
    folder = write("X/atec_nlp_sim_train.csv", f"{BOM}1\t{BOM}花呗\t花 呗\t1\n2\t甲\t乙\t0\n", newline="\r\n")
    assert read(folder, "atec", "atec")[0] == [
        ["train", 0, "花呗", "花 呗", 1.0],
        ["train", 1, "甲", "乙", 0.0],
    ]


def test_bank_questions_are_comma_separated_with_quotation_marks(write):
    folder = write("X/dev.csv", f'{BOM}sentence1,sentence2,label\n"甲,""乙""",丙,1\n')
    assert read(folder, "bq", "bq")[0] == [["dev", 0, '甲,"乙"', "丙", 1.0]]
    write("X/dev.csv", "a,b,c\n")
    with pytest.raises(TableError, match="the header is"):
        read(folder, "bq", "bq")


def test_the_translated_sts_b_is_separated_by_two_bars(write):
    folder = write("X/cnsd-sts-test.txt", "2012test-1||甲|乙||丙||3\n")
    assert read(folder, "cnsd", "stsb_zh")[0] == [["test", 0, "甲|乙", "丙", 3.0]]


def test_pairs_without_a_sentence_or_a_label_are_left_out_and_placeholders_counted(write, caplog):
    folder = write(
        "X/test_2k.tsv",
        "id\tsentence1\tsentence2\tlabel\n1\tNS\t甲\t0\n2\t\t乙\t1\n3\t丙\t丁\t-1\n4\t戊\t己\t1\n",
    )
    with caplog.at_level(logging.WARNING):
        rows, _ = read(folder, "pawsx", "pawsx_zh", splits=["test"])
    assert [row[2:] for row in rows] == [["NS", "甲", 0.0], ["戊", "己", 1.0]]
    assert "2 pairs without a label or a sentence left out; 1 sentences are the placeholder NS" in caplog.text


@pytest.mark.parametrize("line", ["甲\t乙", "甲\t乙\t1\t1", "甲\t乙\t2", "甲\t乙\tja"])
def test_a_line_that_is_none_names_file_and_line(write, line):
    folder = write("X/X.test.data", f"甲\t乙\t1\n{line}\n")
    with pytest.raises(TableError, match=r"X\.test\.data, line 2"):
        read(folder, "senteval_cn", "atec")


def test_splits_of_one_task_may_come_from_two_places_but_not_twice(write):
    write("A/A.test.data", "甲\t乙\t1\n")
    folder = write("B/atec_nlp_sim_train.csv", "1\t丙\t丁\t0\n")
    test = BenchmarkFiles(kind="senteval_cn", task="atec", path="A", splits=["dev", "test"])
    train = BenchmarkFiles(kind="atec", task="atec", path="B")
    table, missing = read_benchmarks(folder, {"a": test, "b": train.model_copy(update={"splits": ["train"]})})
    assert table.split.tolist() == ["test", "train"]
    assert list(missing) == ["atec/senteval/dev"]
    with pytest.raises(ConfigError, match="'a' and 'b' are both task atec in form senteval, split dev"):
        read_benchmarks(folder, {"a": test, "b": train})
    with pytest.raises(ConfigError, match="files of kind atec have no split dev"):
        read_benchmarks(folder, {"b": train.model_copy(update={"splits": ["dev"]})})
