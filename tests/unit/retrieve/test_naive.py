from contrapose.retrieve.benchmarks import BenchmarkFiles
from contrapose.retrieve.naive import naive_texts
from contrapose.tables import NAIVE, read_table, write_table

STSB = {"stsb": BenchmarkFiles(kind="stsb", task="stsb", path="stsb")}
YEAR = {"sts13": BenchmarkFiles(kind="sts", task="sts13", path="sts13")}


def rows(table) -> list[tuple]:
    return list(table[["split", "subset", "row", "side", "text"]].itertuples(index=False, name=None))


def write_stsb(write, *pairs: tuple[str, str]) -> None:
    lines = [f"g\tf\ty\t{at}\t2.5\t{first}\t{second}\n" for at, (first, second) in enumerate(pairs)]
    write("stsb/sts-dev.csv", "".join(lines))


def test_a_lone_quotation_mark_of_stsb_swallows_the_rows_up_to_the_next(write, tmp_path):
    write_stsb(write, ("a b", '"c'), ("d", "e"), ('"f', "g"), ("h", "i"))
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
    write_stsb(write, ("a", "b"), ('"c', "d"), ("e", "f"))  # one that is never closed
    assert [row[2:4] for row in rows(naive_texts(tmp_path, STSB))] == [(0, 1), (0, 2), (1, 1)]


def test_lines_of_a_year_count_whether_they_are_scored_or_not(write, tmp_path):
    for subset in ("FNWN", "headlines", "OnWN"):
        write(f"sts13/STS.input.{subset}.txt", f'{subset} one\ttwo\n"three\tfour\n')
    found = naive_texts(tmp_path, YEAR)
    assert len(found) == 3 * 4
    assert rows(found)[2:4] == [("test", "FNWN", 1, 1, '"three'), ("test", "FNWN", 1, 2, "four")]
