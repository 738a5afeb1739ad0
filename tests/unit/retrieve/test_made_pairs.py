import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.jobs.status import read_status
from contrapose.retrieve import benchmarks
from contrapose.retrieve.made_pairs import MakingPairs, agreement, build, intraclass, neighbour_pairs
from contrapose.tables import BENCHMARK, PAIRS, RELEVANCE, SENTENCES, checked_arrays, empty, write_table

ROWS = [
    (f"d{document}", place, f"{document}.{place}")
    for document in range(12)
    for place in range(6)
    if place != 4
]
DOCUMENTS = pd.DataFrame(ROWS, columns=["article_id", "position", "text"])


def test_neighbours_stand_against_sentences_of_two_documents_each_in_one_pair():
    found, how = neighbour_pairs(DOCUMENTS, 1)
    ends = found.assign(
        one=found.sentence1.str.split("."), other=found.sentence2.str.split("."), documents=lambda each: (
            each.one.str[0] == each.other.str[0]
        )
    )  # fmt: skip
    neighbours = ends[ends.score == 1]
    assert len(neighbours) == 12  # of two pairs a document, half: behind the gap sentence 5 is alone
    assert neighbours.documents.all()
    assert (neighbours.one.str[1].astype(int) + 1 == neighbours.other.str[1].astype(int)).all()
    assert len(ends) == 24
    assert not ends[ends.score == 0].documents.any()
    texts = [*found.sentence1, *found.sentence2]
    assert len(set(texts)) == len(texts)
    assert "of neighbouring sentences (score 1) and 12 pairs of sen" in how
    assert "at most 86.6" in how  # the root of 3/4
    shuffled, _ = neighbour_pairs(DOCUMENTS.sample(frac=1, random_state=1), 1)
    pd.testing.assert_frame_equal(shuffled, found)
    assert not neighbour_pairs(DOCUMENTS, 2)[0].equals(found)


def made(source, sentences=None, pairs=None, relevance=None, grader=""):
    given = ((sentences, SENTENCES), (pairs, PAIRS), (relevance, RELEVANCE))
    tables = [empty(schema) if table is None else table for table, schema in given]
    found = build(MakingPairs(source=source, grader=grader), *tables)
    checked_arrays(found, "found", BENCHMARK)
    return found


BOTH = pd.DataFrame(
    [(slot, *texts[:: 1 - 2 * slot]) for slot in (0, 1) for texts in ("ab", "cd", "ef", "gh")],
    columns=["slot", "anchor", "positive"],
)
GRADED = {"ab": 0, "ba": 1, "cd": 3, "dc": 3, "ef": 5, "fe": 3.5, "gh": 2}
GRADES = pd.DataFrame([(*texts, score) for texts, score in GRADED.items()], columns=RELEVANCE.columns)


def test_a_pair_has_the_mean_of_its_grades_in_both_orders_and_the_table_says_who_gave_them():
    table = made({"kind": "judged", "pairs": "p", "llm": "l"}, pairs=BOTH, relevance=GRADES, grader="Judge")
    assert table[["sentence1", "sentence2", "score"]].to_numpy().tolist() == [
        ["a", "b", 0.5], ["c", "d", 3.0], ["e", "f", 4.25],
    ]  # fmt: skip
    how = read_status(table.attrs).facts["own"]
    assert how.startswith(
        "graded by Judge, 3 pairs from 0 to 5, twice with the order swapped: agreement r 1.00"
    )
    assert "67% within 1 point; 1 pairs without both grades are skipped" in how


def test_agreement_is_that_of_the_textbook():
    # Shrout and Fleiss 1979, table 2: ICC(2,1) of four judges is 0.29, which is ICC(A,1).
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    assert intraclass(np.array(ratings, float)) == pytest.approx(0.29, abs=0.005)
    grades = np.array([[0, 1], [2, 2], [5, 3.5]])
    assert agreement(grades)[2] == pytest.approx(2 / 3)


def test_the_file_of_the_sets_says_what_each_of_ones_own_is(tmp_path):
    source = {"kind": "documents", "corpus": "c"}
    table = made(source, DOCUMENTS)
    write_table(table, tmp_path / "made.parquet", BENCHMARK, table.attrs)
    for name in ("given", "sheet"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test.csv").write_text("sentence1,sentence2,score\na,b,1\nc,d,2\ne,f,3\n")
    given = {"kind": "pairs", "task": "own_2", "path": "given"}
    sheet = {"kind": "graded", "task": "own_3", "path": "sheet"}
    spec = benchmarks.Benchmarks.model_validate({"made": source, "given": given, "sheet": sheet})
    found = benchmarks.build(spec, tmp_path, [str(tmp_path / "made.parquet")])
    assert found.task.value_counts().to_dict() == {"own": 24, "own_2": 3, "own_3": 3}
    facts = read_status(found.attrs).facts
    assert facts["own"].startswith("made from 12 documents that no method is trained on")
    assert (facts["own_2"], facts["own_3"]) == (
        "3 test pairs that you gave",
        "3 test pairs that you graded by hand",
    )


def test_a_sheet_that_is_not_there_yet_is_asked_for(tmp_path):
    source = benchmarks.BenchmarkFiles(kind="graded", task="own", path=".", splits=["test"])
    with pytest.raises(TableError, match="no graded pairs yet"):
        benchmarks.read_benchmark(tmp_path, source)
