from pathlib import Path

import pytest

from contrapose.retrieve.naive import naive_texts
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tables import NAIVE, read_table, write_table

STSB = {"stsb": BenchmarkFiles(kind="stsb", task="stsb", path="stsb")}
YEAR = {"sts13": BenchmarkFiles(kind="sts", task="sts13", path="sts13")}


def rows(table) -> list[tuple]:
    return list(table[["split", "subset", "row", "side", "text"]].itertuples(index=False, name=None))


def write_stsb(folder: Path, *pairs: tuple[str, str]) -> None:
    (folder / "stsb").mkdir()
    lines = [f"g\tf\ty\t{at}\t2.5\t{first}\t{second}\n" for at, (first, second) in enumerate(pairs)]
    (folder / "stsb" / "sts-dev.csv").write_text("".join(lines))


def test_a_lone_quotation_mark_of_stsb_swallows_the_rows_up_to_the_next(tmp_path):
    write_stsb(tmp_path, ("a b", '"c'), ("d", "e"), ('"f', "g"), ("h", "i"))
    found = naive_texts(tmp_path, STSB)
    swallowed = "c\ng\tf\ty\t1\t2.5\td\te\ng\tf\ty\t2\t2.5\tf"
    assert rows(found) == [
        ("dev", "stsb", 0, 1, "a b"),
        ("dev", "stsb", 0, 2, swallowed),
        ("dev", "stsb", 1, 1, "h"),
        ("dev", "stsb", 1, 2, "i"),
    ]
    write_table(found, tmp_path / "n.parquet", NAIVE)
    assert rows(read_table(tmp_path / "n.parquet", NAIVE)) == rows(found)


def test_a_mark_that_is_never_closed_swallows_the_rest_of_the_file(tmp_path):
    write_stsb(tmp_path, ("a", "b"), ('"c', "d"), ("e", "f"))
    assert [(row, side) for _, _, row, side, _ in rows(naive_texts(tmp_path, STSB))] == [
        (0, 1),
        (0, 2),
        (1, 1),
    ]


def test_lines_of_a_year_count_whether_they_are_scored_or_not(tmp_path):
    (tmp_path / "sts13").mkdir()
    for subset in ("FNWN", "headlines", "OnWN"):
        (tmp_path / "sts13" / f"STS.input.{subset}.txt").write_text(f'{subset} one\ttwo\n"three\tfour\n')
    found = naive_texts(tmp_path, YEAR)
    assert len(found) == 3 * 4
    assert rows(found)[2:4] == [("test", "FNWN", 1, 1, '"three'), ("test", "FNWN", 1, 2, "four")]


@pytest.mark.parametrize("data", [None, Path("no/such/folder")])
def test_without_files_nothing_is_misread(data):
    assert naive_texts(data, STSB | YEAR).empty
