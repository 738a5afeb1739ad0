"""Pairs of one's own as an evaluation set."""

import pytest
from pydantic import ValidationError

from contrapose.errors import TableError
from contrapose.report.scores import size_note
from contrapose.retrieve.benchmarks import read_benchmark
from contrapose.settings.worlds import BenchmarkFiles

OWN = BenchmarkFiles(kind="pairs", task="own", path="test_pairs")
HEADER = "sentence1,sentence2,score\n"


def test_every_row_is_a_pair(tmp_path):
    (tmp_path / "test.csv").write_text(
        f'\ufeff{HEADER}"Ja, ja.", Doch. ,-7.5\r\n"Er sagte ""so""",Zwei\u2028Zeilen,1e2\r\n', "utf-8"
    )
    (tmp_path / "dev.csv").write_text(f"{HEADER}a,b,1\n")
    found, missing = read_benchmark(tmp_path, OWN)
    assert found[["split", "row", "sentence1", "sentence2", "score"]].to_numpy().tolist() == [
        ["dev", 0, "a", "b", 1.0],
        ["test", 0, "Ja, ja.", "Doch.", -7.5],
        ["test", 1, 'Er sagte "so"', "Zwei\u2028Zeilen", 100.0],
    ]
    assert set(found.task) == set(found.subset) == {"own"}
    assert missing == {}
    (tmp_path / "dev.csv").unlink()
    assert read_benchmark(tmp_path, OWN)[1] == {"own/senteval/dev": "test_pairs/dev.csv"}
    both = OWN.model_copy(update={"splits": ["dev", "test"]})
    with pytest.raises(
        TableError, match=r"dev.csv is missing. Put it there, or remove dev from `splits` of own"
    ):
        read_benchmark(tmp_path, both)


def test_a_set_of_ones_own_has_files_of_its_own_kind_and_no_published_size():
    for wrong in ({"kind": "sick"}, {"task": "stsb"}, {"complete": True}):
        with pytest.raises(ValidationError, match=r"kind pairs (are|or)|no number of pairs is published"):
            BenchmarkFiles(**{**OWN.model_dump(), **wrong})
    assert size_note(7, "own") == ""
    assert size_note(7, "stsb") == "7 pairs, 1379 as published"


def test_what_can_be_no_text_and_a_dev_set_that_is_the_test_set_are_refused(tmp_path):
    (tmp_path / "test.csv").write_text(f"{HEADER}a,b,1\nc,d,2\n")
    (tmp_path / "dev.csv").write_text(f"{HEADER}c,d,2\na,b,1\n")
    with pytest.raises(TableError, match=r"dev.csv and test.csv hold the same pairs"):
        read_benchmark(tmp_path, OWN)
    (tmp_path / "dev.csv").write_text(f"{HEADER}a,b,1\n")
    assert len(read_benchmark(tmp_path, OWN)[0]) == 3
    (tmp_path / "test.csv").write_text(f"{HEADER}a\0,b,1\n")
    with pytest.raises(TableError, match="a NUL byte in line 2"):
        read_benchmark(tmp_path, OWN)
