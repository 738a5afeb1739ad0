"""No name of a test set meets a name of ours: each has its scores under its header, in every file."""

import json
import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contrapose.report import row_costs
from contrapose.report.about import TableRow
from contrapose.report.findings import ranked
from contrapose.report.headers import ROW, SCORE, TABLE, apart, headed
from contrapose.report.results import Result
from contrapose.report.row_costs import Costs, Expenses
from contrapose.report.web import html_of
from contrapose.tables import BENCHMARK, CELLS, COSTS, HISTORY, SCORES, empty
from tests.kinds import FOLDER, about, file, report
from tests.unit.report.test_sts_table import score, scores

SEEDS, TASKS = (42, 43, 44), ("own", "own_2", "own_5")
RUNS = [f"p/r/seed{seed}" for seed in SEEDS]
ROWS = [
    TableRow(model="No training", runs=["released/e/mean"], trained=False),
    TableRow(model="Dropout", runs=RUNS),
    TableRow(model="Absent", note="left out"),
]
NAMES = ("first test", "second test", "general test")  # that nobody would take for ours
QUESTION = ("corpus", "llm", "1")


@cache
def inputs():
    """Return the files of scores of three sets by four runs, and of what three trainings took."""
    took = Path(FOLDER.name) / "took.json"
    took.write_text(json.dumps(dict.fromkeys(COSTS[:3], 1000000000.0) | {"work": "", "finished": True}))
    values = [
        score(run, task, 0.3 + 0.07 * place + 0.01 * number, n=50)
        for number, run in enumerate([*ROWS[0].runs, *RUNS])
        for place, task in enumerate(TASKS)
    ]
    step = pd.DataFrame([(1, 0, 1.0, 0.1, None, False, 8, 80)], columns=HISTORY.columns)
    logs = [
        file(
            step, HISTORY, wildcards={"pairs": "p", "recipe": "r", "seed": str(seed)}, settings={},
            counts={"pairs": 40, "pairs_used": 20},
        )
        for seed in SEEDS
    ]  # fmt: skip
    spent = Costs(runs={run: Expenses(jobs=[str(took)], questions=[QUESTION]) for run in RUNS})
    given = {"scores": [file(scores(*values), SCORES)], "sets": [file(empty(BENCHMARK), BENCHMARK)]}
    return {**given, "costs": spent, "histories": logs}


@pytest.fixture(scope="module")
def asked():
    with pytest.MonkeyPatch.context() as patch:
        amounts = {QUESTION: dict(zip(COSTS[3:], (9.0, 90.0, 0.9), strict=True))}
        patch.setattr(row_costs, "_request_costs", lambda costs: amounts)
        yield


def made(first, second, general):
    """Return a table of two test sets and a general one, with all columns that we add."""
    chosen = {
        "columns": {first: TASKS[0], second: TASKS[1]},
        "general": {general: TASKS[2]},
        "rows": [{"model": row.model, "encoder": "e"} for row in ROWS],
        "baseline": ["No training", "Dropout"],
        "costs": True,
    }
    return report("sts", chosen, about(rows=ROWS, seeds=list(SEEDS)), **inputs())


def tables_in(markdown):
    """Return the tables of a page, each as a list of lines of cells."""
    blocks = [block.splitlines() for block in markdown.split("\n\n") if block.startswith("|")]
    cells = [[re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in block] for block in blocks]
    return [
        [[cell.replace("\\|", "|") for cell in line] for line in (block[0], *block[2:])] for block in cells
    ]


@cache
def ours():
    """Return all names of columns of ours in CSV, Markdown and Parquet."""
    plain = made(*NAMES)
    in_pages = [name for table in tables_in(plain.markdown) for name in table[0]]
    names = {*plain.csv, *in_pages, *plain.tidy.column, *CELLS.columns} - {*NAMES}
    assert {"method", "steps", "compute", "Avg.", "vs. No training", "rank", "usd", "note", "group"} <= names
    return sorted(names)


def like(name):
    """Give a name of ours, or what one becomes beside such a name."""
    parts = st.sampled_from(
        ["", f" ({ROW})", f" ({TABLE})", " (cost)", " (training)", " (comparison)", " (mean)"]
    )
    return parts.map(lambda part: name + part)


def result(table):
    provenance = {"settings": {"spec": {"kind": "sts"}}, **table.tidy.attrs}
    return Result("tables", "t", "", "", table.tidy, provenance, "", {})


def test_a_test_set_may_have_any_name_of_ours(asked):
    plain = made(*NAMES)

    @settings(max_examples=15)
    @given(st.lists(st.sampled_from(ours()).flatmap(like), min_size=3, max_size=3, unique=True))
    def check(names):
        table = made(*names)
        headers = dict(zip(NAMES, names, strict=True))
        pages = [(table.csv.columns, plain.csv.columns)]
        assert table.csv.to_numpy().tolist() == plain.csv.to_numpy().tolist()
        for page, before in zip(tables_in(table.markdown), tables_in(plain.markdown), strict=True):
            assert page[1:] == before[1:]
            pages.append((page[0], before[0]))
        for found, expected in pages:
            assert len({*found}) == len(found)
            for header, other in zip(found, expected, strict=True):
                assert header == headers.get(other, header)
                assert (other in headers) or header.startswith(other)
        column, rows = ranked(result(table))
        assert column not in names
        assert rows.value.tolist() == ranked(result(plain))[1].value.tolist()
        assert str(html_of(table.markdown, "t", {"t.png": "data:"})).count("<table") == len(pages) - 1

    check()


def test_a_column_of_ours_has_its_part_behind_its_name_where_a_score_has_the_name():
    parts = {ROW: ["model", "x"], SCORE: ["model", "model (row)"], TABLE: ["note", "x"]}
    table = pd.concat({part: pd.DataFrame([[1] * len(n)], columns=n) for part, n in parts.items()}, axis=1)
    expected = ["model (row) (row)", "x", "model", "model (row)", "note", "x (table)"]
    assert list(headed(table)) == expected
    assert list(headed(headed(table))) == expected
    assert apart("a", ["b"], "c") == "a"
