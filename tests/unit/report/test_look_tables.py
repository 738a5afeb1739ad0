"""Tables to look at the data: pairs of each row, and the test pairs that rows judge most differently."""

import pandas as pd
import pytest

from contrapose.report.kinds.disagreements import DisagreementsAbout
from contrapose.report.web import html_of
from contrapose.tables import BENCHMARK, CELLS, COSINES, DISAGREEMENTS, HISTORY, PAIR_SAMPLES, empty
from contrapose.tools.publish.leaks import SENTENCES
from tests.kinds import about, cells, file, report
from tests.unit.report.test_page import Read

ROWS = [
    {"model": "None", "runs": ["released/bert/auto"], "trained": False, "encoder": "bert"},
    {"model": "A", "runs": ["a/simcse/seed42"], "encoder": "bert"},
    {"model": "B", "runs": [], "note": "skipped: no file"},
]
COMPARED = {
    **{"baseline": "None", "difference": 2.0, "difference_low": -1.0, "difference_high": 5.0},
    **{"in_best_set": True, "value": 72.0},
}
SCORED = cells(
    {"row": 0, "model": "None", "run": "released/bert/auto", "value": 70.0},
    {"row": 1, "model": "A", "run": "a/simcse/seed42", "seed": 42, "value": 72.0},
    {"row": 1, "model": "A", **COMPARED},
    {"row": 2, "model": "B", "value": None},
)
FACTS = {"ranking column": "A"}  # of the table of scores
PAYLOAD = "</details><script>alert(1)</script> *b* | c"


def sample(*rows: dict) -> pd.DataFrame:
    fixed = {"id": "1", "anchor": "a", "positive": "b", "negative": None, "label": None, "cosine": 0.5}
    return pd.DataFrame(
        [{**fixed, "negative_cosine": None, **row} for row in rows], columns=PAIR_SAMPLES.columns
    )


@pytest.fixture
def samples():
    made = {"wildcards": {"pairs": "a", "scorer": "bert"}, "settings": {}}
    rows = sample({"anchor": PAYLOAD, "cosine": 0.25}, {"id": "2", "positive": "x" * 400, "cosine": 0.75})
    rows = rows.astype({"negative": "str", "label": "float32", "negative_cosine": float})
    counts = {"rows": 8, "copies": 2, "duplicates": 1}
    log = {"wildcards": {"pairs": "a", "recipe": "simcse", "seed": "42"}, "settings": {}}
    history = file(empty(HISTORY), HISTORY, **log, counts={"texts": 4, "cut": 1})
    facts = about(rows=ROWS)
    return report(
        "samples",
        {"of": "t"},
        facts,
        [file(SCORED, CELLS, facts=FACTS)],
        [file(rows, PAIR_SAMPLES, **made, counts=counts)],
        histories=[history],
    )


def test_a_row_has_what_its_pairs_are_like_beside_its_score(samples):
    assert samples.csv.to_dict("records") == [
        {
            **{
                "catalog": "w",
                "model": "A",
                "score": "72.00 †, +2.00 [-1.00, +5.00] vs. None",
                "pairs": "8",
            },
            **{"copies %": "25.0", "duplicates %": "12.5", "cut %": "25.0"},
            **{"cosine": "0.500", "cosine of negatives": "–", "note": ""},
        }
    ]
    assert samples.tidy[["row", "model", "number", "id", "cosine", "cut"]].values.tolist() == [
        [1, "A", 0, "1", 0.25, 0.25],
        [1, "A", 1, "2", 0.75, 0.25],
    ]


def test_tables_with_texts_are_not_published(samples):
    assert SENTENCES & set(samples.tidy)
    assert SENTENCES & set(DISAGREEMENTS.columns)


def test_pairs_are_folded_below_it_and_their_texts_are_only_text(samples):
    html = html_of(samples.markdown, "t", {})
    read = Read(html)
    assert read.tags.count("details") == read.tags.count("summary") == 1
    assert "<summary>A: 72.00 †, +2.00" in html
    assert "script" not in read.tags
    assert PAYLOAD in read.text
    assert f"{'x' * 300}…" in read.text
    assert "x" * 301 not in read.text


def test_test_pairs_are_those_whose_place_differs_most_and_say_which_row_is_nearer_to_gold():
    names = {"task": "own", "form": "senteval", "split": "test", "subset": "own"}
    texts = pd.DataFrame(
        {"sentence1": list("abcd"), "sentence2": list("efgh"), "score": [1.0, 2.0, 3.0, 4.0]}
    )
    gold = texts.assign(**names, row=range(4)).astype({"row": "int32"})[BENCHMARK.columns]
    others = gold.assign(split="dev", score=0.0)
    cosines = {"released/bert/auto": [0.4, 0.1, 0.2, 0.3], "a/simcse/seed42": [0.1, 0.2, 0.4, 0.3]}
    files = []
    for run, values in cosines.items():
        table = gold.assign(cosine=values)[COSINES.columns]
        files.append(file(table, COSINES, wildcards={"suite": "own", "run": run}, settings={"run": run}))
    facts = about(DisagreementsAbout, rows=ROWS, tasks=["own"], form="senteval", split="test")
    sets = [
        file(pd.concat([gold, others], ignore_index=True), BENCHMARK, wildcards={}, settings={"task": ""})
    ]
    made = report(
        "disagreements", {"of": "t", "pairs": 2}, facts, [file(SCORED, CELLS, facts=FACTS)], files, sets
    )
    # By the baseline their places are 100, 25, 50, 75, by A 25, 50, 100, 75, by gold 25, 50, 75, 100.
    assert made.tidy[
        ["model", "baseline", "pair", "place", "baseline_place", "gold_place"]
    ].values.tolist() == [
        ["A", "None", 0, 25, 100, 25],
        ["A", "None", 2, 100, 50, 75],
    ]
    assert "| A | 72.00 †, +2.00 [-1.00, +5.00] vs. None | 4 | 2 | 0 |" in made.markdown
    assert "### A and None\n\n| sentence 1 | sentence 2 | gold |" in made.markdown
    assert "| a | e | 1 | 0.40 | 0.10 | 25 | 100 | 25 |" in made.markdown
    assert made.csv.sentence1.tolist() == ["a", "c"]
