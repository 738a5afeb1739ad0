from pathlib import Path

import pytest

from contrapose.errors import ConfigError, TableError
from contrapose.retrieve.benchmarks import SUBSETS, found_benchmarks, read_benchmark, read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tables import BENCHMARK, read_table, write_table

STS13 = BenchmarkFiles(kind="sts", task="sts13", path="STS/STS13-en-test")
STSB = BenchmarkFiles(kind="stsb", task="stsb", path="STS/STSBenchmark")
SICK = BenchmarkFiles(kind="sick", task="sickr", path="SICK")
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def year(folder: Path, task="sts13", **changed):
    """Write a year of three scored pairs and an unscored one per subset; `changed` replaces files."""
    folder.mkdir(parents=True)
    files = {}
    for name in SUBSETS[task]:
        files[f"STS.input.{name}.txt"] = f"a {name}\tb\nc\td\ne\tf\ng\th\n"
        files[f"STS.gs.{name}.txt"] = "5.0\n\n2.25\n0\n"
    for name, content in {**files, **changed}.items():
        if content is not None:
            data = content if isinstance(content, bytes) else content.encode()
            (folder / name).write_bytes(data)
    return folder


def stsb_line(score="2.5", one="A cat.", two="A dog.", extra=""):
    return f"main-captions\tMSRvid\t2012test\t0001\t{score}\t{one}\t{two}{extra}\n"


def stsb(folder: Path, *lines: str, name="sts-test.csv"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes("".join(lines).encode())
    return folder


def sick(folder: Path, *lines: str, name="SICK_train.txt", header=SICK_HEADER):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes((header + "".join(lines)).encode())
    return folder


def rows(folder, source):
    frame, _ = read_benchmark(folder, source)
    return list(
        frame[["split", "subset", "row", "sentence1", "sentence2", "score"]].itertuples(
            index=False, name=None
        )
    )


def test_a_year_keeps_the_order_of_subsets_and_leaves_unscored_lines_out(tmp_path):
    # Scores without sentences are not read.
    found = rows(year(tmp_path / "x", **{"STS.gs.SMT.txt": "1.0\n", "STS.gs.ALL.txt": "nonsense\n"}), STS13)
    assert [row[1:3] for row in found] == [
        (name, row) for name in ("FNWN", "headlines", "OnWN") for row in (0, 2, 3)
    ]
    assert found[0] == ("test", "FNWN", 0, "a FNWN", "b", 5.0)
    assert found[1] == ("test", "FNWN", 2, "e", "f", 2.25)


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        ("\ufeffa FNWN\tb\r\nc\td\r\ne\tf\r\ng\th\r\n", ("a FNWN", "b")),
        ("a\u2028b \x0b c\x85d\te\x1cf\nc\td\ne\tf\ng\th\n", ("a b c d", "e f")),
        ("a\tb\tsource\tsource\nc\td\ts\ts\ne\tf\ts\ts\ng\th\ts\ts\n", ("a", "b")),
        ("a\tb\nno tab here\ne\tf\ng\th\n", ("a", "b")),
    ],
    ids=["DOS line ends, byte order mark", "exotic separators", "files of 2016", "line without a score"],
)
def test_variants_of_a_year_give_the_same_rows(tmp_path, lines, first):
    scores = "5.0\r\n\r\n2.25\r\n0" if "\r" in lines else "5.0\n\n2.25\n0\n"
    found = rows(year(tmp_path / "x", **{"STS.input.FNWN.txt": lines, "STS.gs.FNWN.txt": scores}), STS13)
    assert [row[1:3] for row in found[:3]] == [("FNWN", row) for row in (0, 2, 3)]
    assert (found[0][3:5], len(found)) == (first, 9)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"STS.gs.headlines.txt": "5.0\n\n2\n"},
            r"input\.headlines\.txt has 4 lines and .*gs\.headlines\.txt has 3, .*Fetch both again",
        ),
        (
            {"STS.gs.OnWN.txt": None, "STS.input.OnWN.txt": None},
            r"lacks STS\.input\.OnWN\.txt, STS\.gs\.OnWN\.txt.*FNWN, headlines, OnWN",
        ),
    ],
)
def test_parts_of_a_year_that_do_not_fit_are_refused(tmp_path, changed, message):
    with pytest.raises(TableError, match=message):
        read_benchmark(year(tmp_path / "x", **changed), STS13)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "STS.gs.FNWN.txt",
            "5.0\n\nfive\n0\n",
            r"STS\.gs\.FNWN\.txt, line 3: score 'five', expected .* 0 to 5",
        ),
        ("STS.gs.FNWN.txt", "5.0\n\nnan\n0\n", r"line 3: score 'nan'"),
        ("STS.gs.FNWN.txt", "5.0\n\n5.5\n0\n", r"line 3: score '5\.5'"),
        ("STS.gs.FNWN.txt", "5.0\n\n1\t2\n0\n", r"line 3: score '1\\t2'"),
        ("STS.gs.FNWN.txt", "\n\n\n\n", r"holds no scored pair"),
        (
            "STS.input.FNWN.txt",
            "a\tb\nc\td\ne f\ng\th\n",
            r"input\.FNWN\.txt, line 3: 1 columns, expected 2 or 4",
        ),
        ("STS.input.FNWN.txt", "a\tb\nc\td\ne\t \ng\th\n", r"line 3: a sentence is empty"),
        ("STS.input.FNWN.txt", b"a\tb\nc\td\ne\t\xff\ng\th\n", r"line 3: not UTF-8"),
    ],
)
def test_a_malformed_line_is_refused_with_file_and_line(tmp_path, name, content, message):
    with pytest.raises(TableError, match=message):
        read_benchmark(year(tmp_path / "x", **{name: content}), STS13)


def test_lone_quotation_marks_do_not_merge_rows(tmp_path):
    folder = stsb(
        tmp_path / "x",
        stsb_line(one='"  A   cat . ', two="A\u00a0dog."),
        stsb_line(two='A 12" dog .', extra="\tsource\tsource"),
        stsb_line(),
    )
    assert [row[3:5] for row in rows(folder, STSB)] == [
        ('" A cat .', "A dog."),
        ("A cat.", 'A 12" dog .'),
        ("A cat.", "A dog."),
    ]


def test_sick_reads_its_columns_by_name_and_trial_is_dev(tmp_path):
    folder = sick(tmp_path / "x", "1\tA\tB\t4.5\tNEUTRAL\n", name="SICK_trial.txt")
    other = "pair_ID\trelatedness_score\tsentence_B\tsentence_A\n"
    sick(folder, "9\t1\tB\tA\n", name="SICK_test_annotated.txt", header=other)
    assert rows(folder, SICK) == [("dev", "sickr", 0, "A", "B", 4.5), ("test", "sickr", 0, "A", "B", 1.0)]


@pytest.mark.parametrize(
    ("name", "source", "content", "message"),
    [
        (
            "sts-test.csv",
            STSB,
            stsb_line() + stsb_line(extra="\tsource"),
            "line 2: 8 columns, expected 7 or 9 ",
        ),
        (
            "SICK_train.txt",
            SICK,
            f"{SICK_HEADER}1\tA\tB\t0.5\tN\n",
            "line 2: score '0.5', expected .* 1 to 5",
        ),
        ("SICK_train.txt", SICK, "pair_ID\tsentence_A\n", r"line 1: the header lacks \['sentence_B'"),
        ("SICK_train.txt", SICK, SICK_HEADER, "holds no scored pair"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path, name, source, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError, match=f"{name}.*{message}"):
        read_benchmark(tmp_path, source)


def test_a_split_that_is_not_there_is_reported(tmp_path):
    frame, missing = read_benchmark(sick(tmp_path / "x", "1\tA\tB\t4.5\tN\n"), SICK)
    assert set(frame.split) == {"train"}
    assert missing == {
        "sickr/senteval/dev": "SICK/SICK_trial.txt",
        "sickr/senteval/test": "SICK/SICK_test_annotated.txt",
    }


@pytest.mark.parametrize("source", [STS13, STSB, SICK])
def test_an_empty_folder_is_refused(tmp_path, source):
    with pytest.raises(TableError, match="remove the folder to leave the set out"):
        read_benchmark(tmp_path, source)


def test_a_complete_set_must_have_the_published_number_of_pairs(tmp_path):
    complete = STSB.model_copy(update={"complete": True})
    with pytest.raises(TableError, match="1 scored pairs in split test, published are 1379 of stsb"):
        read_benchmark(stsb(tmp_path / "x", stsb_line()), complete)


def test_only_years_have_the_format_of_years(tmp_path):
    with pytest.raises(ConfigError, match=r"task stsb is no year of STS"):
        read_benchmark(tmp_path, BenchmarkFiles(kind="sts", task="stsb", path="x"))


def test_folders_are_found_below_the_data_folder_and_below_its_senteval(tmp_path):
    (tmp_path / "senteval" / "SICK").mkdir(parents=True)
    (tmp_path / "STS" / "STSBenchmark").mkdir(parents=True)
    sources = {"sick": SICK, "stsb": STSB, "sts13": STS13}
    assert found_benchmarks(tmp_path, sources) == (
        {"sick": tmp_path / "senteval" / "SICK", "stsb": tmp_path / "STS" / "STSBenchmark"},
        {"sts13": "STS/STS13-en-test"},
    )


def test_what_is_there_is_read_and_the_rest_named(tmp_path, caplog):
    year(tmp_path / "STS" / "STS13-en-test")
    raw = STSB.model_copy(update={"form": "raw", "path": "sts_raw/stsbenchmark"})
    stsb(tmp_path / "STS" / "STSBenchmark", stsb_line())
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
    assert "left out: sickr/senteval/test, because SICK is not there" in caplog.text


def test_a_data_folder_without_any_benchmark_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"none found below .*Expected one of SICK, STS/STSBenchmark"):
        read_benchmarks(tmp_path, {"stsb": STSB, "sickr": SICK})


def test_two_sources_of_one_task_and_form_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="'a' and 'b' are both task sickr in form senteval"):
        read_benchmarks(tmp_path, {"a": SICK, "b": SICK})
