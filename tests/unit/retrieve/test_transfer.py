from pathlib import Path

import pytest

from contrapose.errors import ConfigError, TableError
from contrapose.retrieve.transfer import read_task, read_transfer
from contrapose.settings.worlds import TransferFiles
from contrapose.tables import TRANSFER, read_table, write_table

SOURCE = TransferFiles(path="X")
HEADER = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
FILES = {
    "mr": {"rt-polarity.neg": "dull . \n", "rt-polarity.pos": "fine  and\tgood . \nwarm . \n"},
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


def folder(path: Path, task: str, **changed: str | bytes | None) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, content in {**FILES.get(task, {}), **changed}.items():
        if content is not None:
            (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


SUBJ = {"subj.subjective": "i think so . \n", "subj.objective": "it is so . \n"}
SST2 = [("dev", 0, "fine", 1), ("test", 0, "no break", 0)]


def rows(path: Path, task: str):
    frame = read_task(path, task, SOURCE)
    return list(frame[["split", "row", "sentence1", "label"]].itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("task", "changed", "expected"),
    [
        ("mr", {}, [("all", 0, "dull .", 0), ("all", 1, "fine and good .", 1), ("all", 2, "warm .", 1)]),
        # Objective sentences are class 1, as in SentEval.
        ("subj", SUBJ, [("all", 0, "i think so .", 0), ("all", 1, "it is so .", 1)]),
        # An empty line of a class is an item, as the published numbers count it.
        ("mr", {"rt-polarity.neg": "\ndull . \n \n", "rt-polarity.pos": "a\n"},
         [("all", 0, "", 0), ("all", 1, "dull .", 0), ("all", 2, "", 0), ("all", 3, "a", 1)]),
        # Other separators of lines do not end one.
        ("sst2", {}, [("train", 0, 'a " lone mark', 1), ("train", 1, "so so", 0), *SST2]),
    ],
)  # fmt: skip
def test_sentences_of_a_task_have_the_classes_of_its_files(tmp_path, task, changed, expected):
    assert rows(folder(tmp_path, task, **changed), task) == expected


def test_a_question_loses_its_quotes_and_is_latin_1_if_it_is_not_utf_8(tmp_path, caplog):
    caplog.set_level("INFO")
    assert rows(folder(tmp_path, "trec"), "trec") == [
        ("train", 0, "Who wrote Ren\u00e9e s ?", 3),
        ("train", 1, "What does U.S. mean ?", 0),
        ("test", 0, "When was it : at noon ?", 5),
    ]
    assert "train_5500.label: is not UTF-8, read as latin-1" in caplog.text
    assert "TREC_10.label: is not" not in caplog.text


def test_a_pair_has_two_sentences_whatever_quotes_its_line_holds(tmp_path):
    frame = read_task(folder(tmp_path, "mrpc"), "mrpc", SOURCE)
    write_table(frame, tmp_path / "t.parquet", TRANSFER)
    found = read_table(tmp_path / "t.parquet", TRANSFER)
    assert found[["split", "row", "sentence1", "sentence2", "label"]].to_numpy().tolist() == [
        ["train", 0, 'He said " no .', "He said no .", 1],
        ["test", 0, "Caf\u00e9 one .", "Two .", 0],
    ]


@pytest.mark.parametrize(
    ("task", "changed", "message"),
    [
        ("mr", {"rt-polarity.neg": None}, r"lacks rt-polarity\.neg\. Put all files of mr there"),
        ("mr", {"rt-polarity.neg": ""}, r"rt-polarity\.neg: contains no item"),
        ("sst2", {"sentiment-dev": "fine 1\n"}, "line 1: 1 columns, expected 2 between separators: sentence"),
        ("sst2", {"sentiment-dev": "fine\t2\n"}, "line 1: label '2', expected 0 or 1"),
        ("sst2", {"sentiment-dev": " \t1\n"}, "line 1: a sentence is empty"),
        ("trec", {"TREC_10.label": "HUM Who ?\n"}, "line 1: begins with 'HUM', expected a class and a finer"),
        ("trec", {"TREC_10.label": "WHO:ind Who ?\n"}, "begins with 'WHO:ind', expected"),
        ("trec", {"TREC_10.label": "HUM:ind '\n"}, "line 1: a sentence is empty"),
        ("mrpc", {"msr_paraphrase_test.txt": "1\t2\n"}, r"the header is \['1', '2'\], expected Quality"),
        ("mrpc", {"msr_paraphrase_test.txt": HEADER}, "contains no item"),
        ("mrpc", {"msr_paraphrase_test.txt": HEADER + "1\ta\tb\n"}, "line 2: 3 columns, expected 5"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, task, changed, message):
    with pytest.raises(TableError, match=message):
        read_task(folder(tmp_path, task, **changed), task, SOURCE)


def test_a_complete_task_has_the_published_number_of_items(tmp_path):
    complete = TransferFiles(path="X", complete=True)
    with pytest.raises(TableError, match="1 items in split train, but mrpc was published with 4076"):
        read_task(folder(tmp_path, "mrpc"), "mrpc", complete)


def test_what_is_not_there_is_left_out_and_named(tmp_path):
    sources = {"trec": TransferFiles(path="TREC"), "mr": TransferFiles(path="MR")}
    folder(tmp_path / "senteval" / "MR", "mr")
    found, missing = read_transfer(tmp_path, sources)
    assert set(found.task) == {"mr"}
    assert missing == {"trec/senteval/dev": "TREC", "trec/senteval/test": "TREC"}
    with pytest.raises(ConfigError, match=r"no task found .* Expected one of TREC, there or below"):
        read_transfer(tmp_path, {"trec": TransferFiles(path="TREC")})
