from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError, TableError
from contrapose.retrieve.transfer import TransferFiles, read_task, read_transfer
from contrapose.tables import TRANSFER, read_table, write_table

SOURCE = TransferFiles(path="X")
HEADER = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
FILES = {
    "mr": {"rt-polarity.neg": "dull . \n", "rt-polarity.pos": "fine  and\tgood . \nwarm . \n"},
    "subj": {"subj.subjective": "i think so . \n", "subj.objective": "it is so . \n"},
    "sst2": {
        "sentiment-train": 'a " lone mark \t1\nso so \t0\n',
        "sentiment-dev": "fine \t1\n",
        "sentiment-test": "no\u2028break \t0",
    },
    "trec": {
        "train_5500.label": b"HUM:ind Who wrote `` Ren\xe9e 's '' ?\nABBR:exp What does U.S. mean ?\n",
        "TREC_10.label": "NUM:date When was it : at noon ?\n",
    },
    "mrpc": {
        "msr_paraphrase_train.txt": HEADER + '1\t10\t11\tHe said " no .\tHe said no .\r\n',
        "msr_paraphrase_test.txt": HEADER + "0\t12\t13\tCaf\u00e9 one .\tTwo .\n",
    },
}
BLANK = {"rt-polarity.neg": "\ndull . \n \n", "rt-polarity.pos": "a\n"}


def folder(path: Path, task: str, **changed: str | bytes | None) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, content in {**FILES.get(task, {}), **changed}.items():
        if content is not None:
            (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("task", "changed", "expected"),
    [
        ("mr", {}, {"all": [("dull .", 0), ("fine and good .", 1), ("warm .", 1)]}),
        # Objective sentences are class 1, as in SentEval.
        ("subj", {}, {"all": [("i think so .", 0), ("it is so .", 1)]}),
        # An empty line of a class is an item, as the published numbers count it.
        ("mr", BLANK, {"all": [("", 0), ("dull .", 0), ("", 0), ("a", 1)]}),
        # Other separators of lines do not end one.
        ("sst2", {}, {"train": [('a " lone mark', 1), ("so so", 0)], "dev": [("fine", 1)],
                      "test": [("no break", 0)]}),
        # A question loses its quotes, and is Latin-1 if it is not UTF-8.
        ("trec", {}, {"train": [("Who wrote Ren\u00e9e s ?", 3), ("What does U.S. mean ?", 0)],
                      "test": [("When was it : at noon ?", 5)]}),
        # Of pairs: quotation marks mean nothing.
        ("mrpc", {}, {"train": [('He said " no .', "He said no .", 1)],
                      "test": [("Caf\u00e9 one .", "Two .", 0)]}),
    ],
)  # fmt: skip
def test_items_of_a_task_have_the_classes_of_its_files(tmp_path, caplog, task, changed, expected):
    caplog.set_level("INFO")
    write_table(read_task(folder(tmp_path, task, **changed), task, SOURCE), tmp_path / "t.parquet", TRANSFER)
    found = read_table(tmp_path / "t.parquet", TRANSFER)
    columns = ["sentence1", "sentence2", "label"] if task == "mrpc" else ["sentence1", "label"]
    parts = {split: part[columns] for split, part in found.groupby("split", sort=False)}
    assert {split: [*part.itertuples(index=False, name=None)] for split, part in parts.items()} == expected
    assert found.row.tolist() == [row for rows in expected.values() for row in range(len(rows))]
    latin = [line for line in caplog.messages if "so it is read as Latin-1" in line]
    assert [Path(line.split(":")[0]).name for line in latin] == ["train_5500.label"] * (task == "trec")


@pytest.mark.parametrize(
    ("task", "changed", "message"),
    [
        ("mr", {"rt-polarity.neg": None}, "Put all files of mr there"),
        ("mr", {"rt-polarity.neg": ""}, "contains no item"),
        (
            "sst2",
            {"sentiment-dev": "fine 1\n"},
            ("line is 'fine 1', but a sentence, a tab, 0 or 1 is expected"),
        ),
        (
            "sst2",
            {"sentiment-dev": "fine\t2\n"},
            ("line is 'fine 2', but a sentence, a tab, 0 or 1 is expected"),
        ),
        ("sst2", {"sentiment-dev": " \t1\n"}, "line is '  1', but a sentence"),
        (
            "trec",
            {"TREC_10.label": "HUM Who ?\n"},
            ("1: the line is 'HUM Who .', but a class and a finer one"),
        ),
        ("trec", {"TREC_10.label": "WHO:ind Who ?\n"}, "is 'WHO:ind Who .', but"),
        ("trec", {"TREC_10.label": "HUM:ind '\n"}, "line 1: the line is .HUM:ind '., but a class"),
        ("mrpc", {"msr_paraphrase_test.txt": "1\t2\n"}, r"the header is \['1', '2'\], but Quality"),
        ("mrpc", {"msr_paraphrase_test.txt": HEADER}, "contains no item"),
        (
            "mrpc",
            {"msr_paraphrase_test.txt": HEADER + "1\ta\tb\n"},
            "line is '1 a b', but Quality, #1 ID, #2 ID",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, task, changed, message):
    with pytest.raises(TableError, match=message):
        read_task(folder(tmp_path, task, **changed), task, SOURCE)


def test_what_is_not_there_is_left_out_and_named(tmp_path):
    sources = {"trec": TransferFiles(path="TREC"), "mr": TransferFiles(path="MR")}
    folder(tmp_path / "senteval" / "MR", "mr")
    found, missing = read_transfer(tmp_path, sources)
    assert set(found.task) == {"mr"}
    assert missing == {"trec/senteval/dev": "TREC", "trec/senteval/test": "TREC"}
    with pytest.raises(ConfigError, match=r"' or its folder senteval\. Expected one of TREC"):
        read_transfer(tmp_path, {"trec": TransferFiles(path="TREC")})
