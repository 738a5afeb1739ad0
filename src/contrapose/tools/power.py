"""What planned tables of scores could tell apart: the least difference that their tests find."""

import math
from collections import Counter
from typing import Any

import pandas as pd

from contrapose.report.comparison import baseline_rows
from contrapose.report.inference import FEWEST_ROWS, Difference, least_difference
from contrapose.tools.workload import Call

# Typical of Spearman x100, from examples/wiki/reference: differences to no training have a standard error of
# 0.08 to 0.12 over the 1,379 pairs of STS-B's test, which falls with the square root of their number (LLM
# negatives 0.27; to dropout 0.02 to 0.1); rows have a median standard deviation of 0.15 over seeds.
ERROR_OF_ONE_PAIR, SPREAD = 0.10 * math.sqrt(1379), 0.15
TITLE = "Least difference to the baseline, in points of Spearman x100, that tests find with 80 %"


def power(call: Call) -> str:
    """Return a line for each column of the planned tables of scored pairs that compare rows; else nothing.

    Nothing of a made-up world, either: what is typical of real text is not of it, nor are published sizes.
    """
    if call.project.world.mini:
        return ""
    lines = [line for job in call.of("report_sts_table") for line in _of_table(call, job["table"])]
    if lines and len(call.project.seeds) == 1:
        return f"{TITLE}\nnone: every row is trained once, which tests nothing. --config seeds=5 does."
    return f"{TITLE}\n{pd.DataFrame(lines).fillna('?').to_string(index=False)}" if lines else ""


def _of_table(call: Call, name: str) -> list[dict[str, object]]:
    spec: Any = call.project.reports.of_kind(name, "sts")
    rows = [row for row in call.project.reports.about_of(name).rows if row.runs or row.candidates]
    others = baseline_rows(rows, next(iter(spec.baseline), None))
    families = Counter(other for row, other in enumerate(others) if other not in (None, row))
    if (
        not families or spec.split == "dev"
    ):  # dev pairs choose checkpoints, so differences on them are not tested
        return []
    (baseline, tests), seeds = families.most_common(1)[0], len(call.project.seeds)
    trained = 1 + rows[baseline].trained
    columns = {column: each.task for column, each in spec.columns.items() if each.metric == "spearman"}
    sets = {column: call.scored_pairs(task, spec.form, spec.split) for column, task in columns.items()}
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
