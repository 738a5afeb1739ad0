"""Chinese sets in the formats in which they are distributed."""

import logging

import pytest

from contrapose.errors import ConfigError
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles

BOM = "\ufeff"


def test_the_bundle_names_its_files_like_the_folder_and_calls_dev_valid(write, read):
    write("BQ/BQ.valid.data", "怎么 还款？\t 如何还款\u3000\t1\n１２３！\t借,钱\t0\n")
    write("BQ/BQ.test.data", "甲\t乙\t0")
    found = read("senteval_cn", "bq", path="BQ")
    # White space inside stays, also between characters; full-width marks are what they are.
    assert found["dev"] == [[0, "怎么 还款？", "如何还款", 1.0], [1, "１２３！", "借,钱", 0.0]]
    assert found["test"] == [[0, "甲", "乙", 0.0]]
    assert found.missing == {"bq/raw/train": "BQ/BQ.train.data"}


def test_ant_s_file_has_a_second_byte_order_mark_at_its_first_sentence(write, read):
    write("X/atec_nlp_sim_train.csv", f"{BOM}1\t{BOM}花呗\t花 呗\t1\r\n2\t甲\t乙\t0\r\n")
    assert read("atec", "atec")["train"] == [[0, "花呗", "花 呗", 1.0], [1, "甲", "乙", 0.0]]


def test_bank_questions_are_comma_separated_with_quotation_marks(write, read):
    write("X/dev.csv", f'{BOM}sentence1,sentence2,label\n"甲,""乙""",丙,1\n')
    assert read("bq", "bq")["dev"] == [[0, '甲,"乙"', "丙", 1.0]]


def test_the_translated_sts_b_is_separated_by_two_bars(write, read):
    write("X/cnsd-sts-test.txt", "2012test-1||甲|乙||丙||3\n")
    assert read("cnsd", "stsb_zh")["test"] == [[0, "甲|乙", "丙", 3.0]]


def test_pairs_without_a_sentence_or_a_label_are_left_out_and_placeholders_counted(write, read, caplog):
    lines = "1\tNS\t甲\t0\n2\t\t乙\t1\n3\t丙\t丁\t-1\n4\t戊\t己\t1\n"
    write("X/test_2k.tsv", f"id\tsentence1\tsentence2\tlabel\n{lines}")
    with caplog.at_level(logging.WARNING):
        found = read("pawsx", "pawsx_zh", splits=["test"])
    assert [row[1:] for row in found["test"]] == [["NS", "甲", 0.0], ["戊", "己", 1.0]]
    assert "2 pairs without a label or a text left out" in caplog.text
    assert "1 sentences are the placeholder NS" in caplog.text


def test_splits_of_one_task_may_come_from_two_places_but_not_twice(write, read):
    write("A/A.test.data", "甲\t乙\t1\n")
    write("A/A.valid.data", "戊\t己\t1\n")
    folder = write("B/atec_nlp_sim_train.csv", "1\t丙\t丁\t0\n")
    test = BenchmarkFiles(kind="senteval_cn", task="atec", path="A", splits=["dev", "test"])
    train = BenchmarkFiles(kind="atec", task="atec", path="B")
    table, missing = read_benchmarks(folder, {"a": test, "b": train.model_copy(update={"splits": ["train"]})})
    assert table.split.tolist() == ["dev", "test", "train"]
    assert not missing
    with pytest.raises(ConfigError, match="'a' and 'b' are both task atec in form senteval, split dev"):
        read_benchmarks(folder, {"a": test, "b": train})
    with pytest.raises(ConfigError, match="files of kind atec have no split dev"):
        read_benchmarks(folder, {"b": train.model_copy(update={"splits": ["dev"]})})
