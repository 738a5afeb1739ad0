"""What planned tables of scores could tell apart: the least difference that their tests find."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.errors import ContraposeError
from contrapose.report.comparison import baseline_rows
from contrapose.report.inference import FEWEST_ROWS, Difference, least_difference
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.tables import BENCHMARK, read_table
from contrapose.tasks import TASKS, Task
from contrapose.tools.workload import Call

# Typical of Spearman x100, from examples/wiki: the standard error over test pairs of a difference between
# trained encoders is 0.10 at the 1,379 pairs of STS-B's test, and falls with the square root of their number;
# the standard deviation of a row over seeds is 0.15.
ERROR_OF_ONE_PAIR, SPREAD = 0.10 * math.sqrt(1379), 0.15
TITLE = "Least difference to the baseline, in points of Spearman x100, that tests find with 80 %"


def power(call: Call) -> str:
    """Return a line for each column of the planned tables of scored pairs that compare rows; else nothing."""
    lines = [line for job in call.of("report_sts_table") for line in _of_table(call, job["table"])]
    if lines and len(call.project.seeds) == 1:
        return f"{TITLE}\nnone: every row is trained once, which tests nothing. --config seeds=5 does."
    return f"{TITLE}\n{pd.DataFrame(lines).fillna('?').to_string(index=False)}" if lines else ""


def _of_table(call: Call, name: str) -> list[dict[str, object]]:
    spec: Any = call.project.reports.of_kind(name, "sts")
    rows = [row for row in call.project.reports.about_of(name).rows if row.runs or row.candidates]
    others = baseline_rows(rows, next(iter(spec.baseline), None))
    families = Counter(other for row, other in enumerate(others) if other not in (None, row))
    if not families:
        return []
    (baseline, tests), seeds = families.most_common(1)[0], len(call.project.seeds)
    trained = 1 + rows[baseline].trained
    sets = {column: scored_pairs(call, scored.task, spec.split) for column, scored in spec.columns.items()}
    return [
        {
            **{"table": name, "column": column, "pairs": pairs, "comparisons": tests, "seeds": seeds},
            "difference": f"{typical_least(pairs, seeds, tests, trained):.2f}"
            if pairs and seeds > 1
            else None,
        }
        for column, pairs in sets.items()
    ]


def typical_least(pairs: int, seeds: int, tests: int, trained: int) -> float:
    """Return the least difference that is found with 80 %, the first of some tests against one row.

    One or two of the rows are `trained`.  From `FEWEST_ROWS` rows on, their spreads over seeds are taken as
    one, as where rows differ little in them.
    """
    over_pairs, over_seeds = ERROR_OF_ONE_PAIR**2 / pairs, trained * SPREAD**2 / seeds
    freedom = (seeds - 1) * (tests + 1 if tests + 1 >= FEWEST_ROWS else 1)
    error = math.sqrt(over_pairs + over_seeds)
    return least_difference(Difference(0, 0, 0, 1, error, over_pairs, (pairs - 1, freedom)), tests)


def scored_pairs(call: Call, task: Task, split: str) -> int | None:
    """Return the pairs of a set: as published, or counted in its file; None if there is no file yet."""
    if published := TASKS[task].pairs.get(split):
        return published
    sources = {name: each for name, each in call.project.world.benchmarks.items() if each.task == task}
    try:
        if path := call.made(call.project.places.benchmarks(TASKS[task].suite)):
            table = read_table(path, BENCHMARK)
        else:
            table, _ = read_benchmarks(call.project.data and Path(call.project.data), sources)
    except ContraposeError:  # `check` says what is missing
        return None
    return len(table[(table.task == task) & (table.split == split)]) or None
