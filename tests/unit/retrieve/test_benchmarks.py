from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError, TableError
from contrapose.retrieve.benchmarks import SUBSETS, BenchmarkFiles, read_benchmark, read_benchmarks
from contrapose.tables import BENCHMARK, read_table, write_table

STS13 = BenchmarkFiles(kind="sts", task="sts13", path="STS/STS13-en-test")
STSB = BenchmarkFiles(kind="stsb", task="stsb", path="STS/STSBenchmark")
SICK = BenchmarkFiles(kind="sick", task="sickr", path="SICK")
STSB_LINE = "main-captions\tMSRvid\t2012test\t0001\t2.5\tA cat.\tA dog.\n"


@pytest.fixture
def year(write, tmp_path):
    """Give a function that writes three scored pairs and an unscored one per subset and reads them."""

    def found(**changed):
        files = {f"STS.input.{name}.txt": f"a {name}\tb\nc\td\ne\tf\ng\th\n" for name in SUBSETS["sts13"]}
        files |= {f"STS.gs.{name}.txt": "5.0\n\n2.25\n0\n" for name in SUBSETS["sts13"]}
        for name, content in (files | changed).items():
            if content is not None:
                write(f"{STS13.path}/{name}", content)
        return rows(tmp_path / STS13.path, STS13)

    return found


def rows(folder: Path, source):
    frame, _ = read_benchmark(folder, source)
    columns = ["split", "subset", "row", "sentence1", "sentence2", "score"]
    return list(frame[columns].itertuples(index=False, name=None))


def test_a_year_keeps_the_order_of_subsets_and_leaves_unscored_lines_out(year):
    # Scores without sentences are not read.
    found = year(**{"STS.gs.SMT.txt": "1.0\n", "STS.gs.ALL.txt": "nonsense\n"})
    assert [row[1:3] for row in found] == [
        (name, row) for name in ("FNWN", "headlines", "OnWN") for row in (0, 2, 3)
    ]
    assert found[:2] == [("test", "FNWN", 0, "a FNWN", "b", 5.0), ("test", "FNWN", 2, "e", "f", 2.25)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gs.headlines": "5.0\n\n2\n"},
         r"have \[4, 3\] lines"),
        (dict.fromkeys(["gs.OnWN", "input.OnWN"]),
         "FNWN, headlines, OnWN"),
        ({"gs.FNWN": "5.0\n\nfive\n0\n"}, ("line 3: the score is 'five', but "
            "a number from 0 to 5 is expected")),
        ({"gs.FNWN": "5.0\n\nnan\n0\n"}, "line 3: the score is 'nan'"),
        ({"gs.FNWN": "5.0\n\n5.5\n0\n"}, (r"line 3: the score is '5\.5', but "
            "a number from 0 to 5 is expected")),
        ({"gs.FNWN": "5.0\n\n1\t2\n0\n"}, r"line 3: the score is '1\\t2'"),
        ({"gs.FNWN": "\n\n\n\n"}, "contains no scored pair"),
        ({"input.FNWN": "a\tb\nc\td\ne f\ng\th\n"}, ("3: the line has 1 columns, but 2 "
            "or 4 are expected between separators")),
        ({"input.FNWN": "a\tb\nc\td\ne\t \ng\th\n"}, "line 3: a sentence is empty"),
        ({"input.FNWN": b"a\tb\nc\td\ne\t\xff\ng\th\n"}, ("line 3: the text is not in "
            r"UTF-8 \(invalid start byte\)")),
    ],
)  # fmt: skip
def test_a_malformed_year_is_refused_with_file_and_line(year, changed, message):
    with pytest.raises(TableError, match=message):
        year(**{f"STS.{name}.txt": content for name, content in changed.items()})


def test_a_complete_set_must_have_the_published_number_of_pairs(write):
    complete = STSB.model_copy(update={"complete": True})
    with pytest.raises(TableError, match="split test has 1 scored pairs, but stsb was published with 1379"):
        read_benchmark(write("sts-test.csv", STSB_LINE), complete)


@pytest.mark.parametrize(("kind", "task"), [("pawsx_dev", "pawsx_zh"), ("sick_train", "sickr")])
def test_pairs_that_stand_in_for_a_set_do_not_pass_for_its_own(kind, task):
    with pytest.raises(ValueError, match=rf"files of kind {kind} are of task \w+, not {task}"):
        BenchmarkFiles(kind=kind, task=task, path="x")


def test_what_is_there_is_read_and_the_rest_named(year, write, tmp_path, caplog):
    year()
    raw = STSB.model_copy(update={"form": "raw", "path": "sts_raw/stsbenchmark"})
    write("STS/STSBenchmark/sts-test.csv", STSB_LINE)
    frame, missing = read_benchmarks(tmp_path, {"sts13": STS13, "stsb": STSB, "stsb_raw": raw, "sickr": SICK})
    write_table(frame, tmp_path / "b.parquet", BENCHMARK)
    written = read_table(tmp_path / "b.parquet", BENCHMARK)
    assert written.task.value_counts().to_dict() == {"sts13": 9, "stsb": 1}
    assert missing == {
        **{f"sickr/senteval/{split}": "SICK" for split in ("train", "dev", "test")},
        **{f"stsb/raw/{split}": "sts_raw/stsbenchmark" for split in ("train", "dev", "test")},
        "stsb/senteval/dev": "STS/STSBenchmark/sts-dev.csv",
        "stsb/senteval/train": "STS/STSBenchmark/sts-train.csv",
    }
    assert "sickr/senteval/test is skipped, because SICK is missing" in caplog.text


def test_splits_of_one_task_may_come_from_two_places_but_not_twice(write):
    write("A/A.test.data", "甲\t乙\t1\n")
    write("A/A.valid.data", "戊\t己\t1\n")
    folder = write("B/atec_nlp_sim_train.csv", "1\t丙\t丁\t0\n")
    test = BenchmarkFiles(kind="senteval_cn", task="atec", path="A", splits=["dev", "test"])
    train = BenchmarkFiles(kind="atec", task="atec", path="B")
    table, missing = read_benchmarks(folder, {"a": test, "b": train.model_copy(update={"splits": ["train"]})})
    assert table.split.tolist() == ["dev", "test", "train"]
    assert not missing
    with pytest.raises(ConfigError, match="'a' and 'b' are both of task atec, form senteval and split dev"):
        read_benchmarks(folder, {"a": test, "b": train})
    with pytest.raises(ConfigError, match="files of kind atec have no split dev"):
        read_benchmarks(folder, {"b": train.model_copy(update={"splits": ["dev"]})})
    with pytest.raises(
        TableError, match="Put it there, or remove train from `splits` of atec in the catalog"
    ):
        read_benchmarks(folder, {"a": test.model_copy(update={"splits": ["dev", "train"]})})
