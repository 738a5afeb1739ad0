"""MRPC, QQP and PAWS-QQP in the formats in which they were released, and their splits."""

import logging
from pathlib import Path

from contrapose.retrieve.benchmarks import found_benchmarks
from contrapose.settings.worlds import BenchmarkFiles

BOM = "\ufeff"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
QQP = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
PAWS = "id\tsentence1\tsentence2\tlabel\n"


def test_mrpc_has_a_byte_order_mark_and_quotation_marks_that_mean_nothing(write, read):
    write("X/msr_paraphrase_test.txt", f'{BOM}{MRPC}1\t1\t2\t"A  b\tC.\r\n0\t3\t4\tD "e"\tF\r\n')
    found = read("mrpc", "mrpc")
    assert found["test"] == [[1, '"A b', "C.", 1.0], [2, 'D "e"', "F", 0.0]]
    assert found.missing == dict.fromkeys(["mrpc/raw/train", "mrpc/raw/dev"], "X/msr_paraphrase_train.txt")


def test_a_tenth_of_mrpc_s_train_pairs_are_dev_and_every_pair_is_somewhere(write, read):
    rows = [f"{number % 2}\t0\t0\ta{number}\tb\n" for number in range(4076)]
    write("X/msr_paraphrase_train.txt", MRPC + "".join(rows))
    found = read("mrpc", "mrpc")
    dev, train = ({row for row, *_ in found[split]} for split in ("dev", "train"))
    assert (len(dev), len(train), dev | train) == (408, 3668, set(range(1, 4077)))  # as many as GLUE's
    assert max(dev) > 3668  # not the first ones
    only_dev = read("mrpc", "mrpc", splits=["dev"])
    assert only_dev["dev"] == found["dev"]  # the rest is train, asked for or not


def test_glue_s_questions_are_read_without_quoting_and_broken_lines_are_counted(write, read, caplog):
    lines = [f'{n}\t1\t2\tIs "{n} so?\tWhy?\t{n % 2}\n' for n in range(40)]
    write("X/train.tsv", QQP + "7\t1\t2\tHalf a\n" + "".join(lines) + "8\t1\t2\t\tWhy?\t1\n")
    write("X/dev.tsv", QQP + "0\t1\t2\tA?\tB?\t0\n")
    with caplog.at_level(logging.WARNING):
        found = read("qqp", "qqp")
    assert found.missing == {}
    assert "1 lines with another number of columns left out" in caplog.text
    assert "1 pairs without a label or a text left out" in caplog.text
    # The first 5 % of 40 are dev, GLUE's dev is test.
    assert found["dev"] == [[2, 'Is "0 so?', "Why?", 0.0], [3, 'Is "1 so?', "Why?", 1.0]]
    assert [row[0] for row in found["train"]] == list(range(4, 42))
    assert found["test"] == [[1, "A?", "B?", 0.0]]


def test_kaggle_s_questions_are_comma_separated_with_quoting_and_have_no_test_split(write, read):
    header = QQP.replace("\t", ",")
    write("X/train.csv", header + '1,1,2,"What, ""this""?","A\nb?",1\n' * 20)
    found = read("qqp", "qqp")
    assert found["dev"] == [[1, 'What, "this"?', "A b?", 1.0]]
    assert len(found["train"]) == 19
    assert found.missing == {"qqp/raw/test": "X/dev.tsv"}


def test_paws_qqp_is_unwrapped_from_bytes_and_each_label_halved(write, read):
    said = "b'caf\\xc3\\xa9 ?'\tb\"I 'm\"", "plain\ttext"
    rows = [f"{number}\t{said[number % 2]}\t{int(number % 3 == 0)}\n" for number in range(1, 678)]
    write("X/dev_and_test.tsv", PAWS + "".join(rows))
    table = read("paws_qqp", "paws_qqp", complete=True).table
    assert set(table.sentence1) == {"café ?", "plain"}
    assert set(table.sentence2) == {"I 'm", "text"}
    labels = table.groupby(["split", "score"]).size().to_dict()
    assert labels == {("dev", 0.0): 226, ("dev", 1.0): 112, ("test", 0.0): 226, ("test", 1.0): 113}
    assert table.row.is_unique


def test_a_folder_of_the_project_is_found_where_the_data_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = BenchmarkFiles(kind="paws_qqp", task="paws_qqp", path="./own", form="raw")
    assert found_benchmarks(tmp_path / "made", {"x": source}) == ({}, {"x": "./own"})
    (tmp_path / "own").mkdir()
    assert found_benchmarks(tmp_path / "made", {"x": source}) == ({"x": Path("own")}, {})
