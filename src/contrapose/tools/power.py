"""What planned tables of scores could tell apart: the least difference that their tests find."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple

import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.tasks import TASKS, Suite, Task
from contrapose.evaluate.sharing import Sharing
from contrapose.report.about import TableRow
from contrapose.report.comparison import baseline_rows
from contrapose.report.inference import FEWEST_PAIRS, FEWEST_ROWS, Difference, least_difference
from contrapose.tools.variation import (
    KNOWS,
    UNLEARNED,
    ScoredRun,
    Variation,
    of_scores,
    of_table,
    of_trainings,
    typical_row,
)
from contrapose.tools.workload import Call

Scores = Callable[[Suite], dict[tuple[str, str], ScoredRun]]
TITLE = "Smallest detectable difference from {}, in points of Spearman x100, with 80 % power"
BEFORE = ("already good at similarity", "a raw encoder such as BERT")
FEW = "too few seeds"
FEW_PAIRS = f"fewer than {FEWEST_PAIRS} independent pairs"
KIND = "sts"  # of tables of scored pairs
NOTES = {
    BEFORE[0]: (
        "A smaller gain over the baseline will probably not be significant. The difference is a range, "
        "because nothing has scores here yet. It comes from comparisons that Contrapose made itself."
    ),
    FEW: (
        f"{FEW}: five seeds, or five trained methods, are needed for a difference that is found with 80 % "
        "power."
    ),
}


class Compared(NamedTuple):
    """The rows of a planned table that are compared with one baseline."""

    name: str
    baseline: TableRow
    rows: list[TableRow]
    seeds: int
    trained: int  # rows whose variances over seeds are moderated together

    def least(self, variation: Variation, pairs: float, effective: float) -> float:
        """Return the least difference that is found with 80 %, the first of all tests; nan if too few seeds.

        Variances over seeds are taken as one from `FEWEST_ROWS` trained rows on, as where rows differ little
        in them.
        """
        over_pairs, over_seeds = variation.pairs**2 / pairs, variation.seeds**2 / self.seeds
        freedom = (self.seeds - 1) * (self.trained if self.trained >= FEWEST_ROWS else 1)
        error = math.sqrt(over_pairs + over_seeds)
        parts = Difference(0, 0, 0, 1, error, over_pairs, (max(effective - 1, 1), freedom))
        return least_difference(parts, len(self.rows))


class PlannedColumn(NamedTuple):
    """A column of a planned table, and what is known of its test pairs."""

    name: str
    task: Task
    pairs: int  # 0: not known
    sharing: Sharing | None  # None: not known

    @property
    def effective(self) -> float:
        return self.sharing.effective if self.sharing else float(self.pairs)


def power(call: Call) -> str:
    """Return a line for each column of the planned tables of scored pairs that compare rows; else nothing.

    Nothing of a made-up world, either: what is typical of real text is not of it, nor are published sizes.
    """
    if call.project.catalog.mini:
        return ""
    tables = _planned(call)
    lines = [line for table in tables for line in _lines(call, table)]
    if not lines:
        return ""
    title = TITLE.format(" or ".join(dict.fromkeys(table.baseline.label for table in tables)))
    if len(call.project.seeds) == 1:
        return (
            f"{title}\nnone, because every method is trained once, which allows no test. Train more "
            "seeds: --config seeds=5."
        )
    notes = [note for name, note in NOTES.items() if any(line["basis"] == name for line in lines)]
    if any(line["independent"] not in (line["pairs"], "?") for line in lines):
        notes.append("Test pairs that share sentences count as fewer independent pairs.")
    table = pd.DataFrame(lines)
    if set(table["basis"]) <= {*BEFORE}:
        table = table.rename(columns={"basis": "if your encoder is"})
    return "\n".join([title, table.to_string(index=False), *notes])


def few_pairs(call: Call) -> Iterator[tuple[str, str]]:
    """Yield the name of each column whose test pairs are too few for a test, and sentences on them."""
    if call.project.catalog.mini:
        return
    columns = {column.name: column for table in _planned(call) for column in _columns(call, table)}
    for column in columns.values():
        if column.pairs and column.effective < FEWEST_PAIRS:
            shared = f" share sentences and count as {int(column.effective)} independent pairs"
            yield (
                column.name,
                f"{column.pairs} pairs{shared * (column.effective < column.pairs)}. With fewer than "
                f"{FEWEST_PAIRS}, the table tests no difference on them and recommends no method by them.",
            )


def _planned(call: Call) -> list[Compared]:
    """Return the tables of scored pairs that a call builds and that compare methods with a baseline."""
    return [table for job in call.of(f"report_{KIND}_table") if (table := _compared(call, job["table"]))]


def _compared(call: Call, name: str) -> Compared | None:
    spec: Any = call.project.shown(name, KIND).spec
    rows = [row for row in call.project.about(name).rows if row.runs or row.candidates]
    others = baseline_rows(rows, next(iter(spec.baseline), None))
    families = Counter(other for row, other in enumerate(others) if other not in (None, row))
    if (
        not families or spec.split == "dev"
    ):  # dev pairs choose checkpoints: differences on them are not tested
        return None
    baseline = families.most_common(1)[0][0]
    compared = [rows[row] for row, other in enumerate(others) if other == baseline != row]
    by_encoder = any(each.by == "encoder" for each in spec.baseline)
    alike = [row for row in rows if row.encoder == rows[baseline].encoder or not by_encoder]
    return Compared(
        name, rows[baseline], compared, len(call.project.seeds), sum(row.trained for row in alike)
    )


def _columns(call: Call, table: Compared) -> Iterator[PlannedColumn]:
    spec: Any = call.project.shown(table.name, KIND).spec
    for name, each in spec.columns.items():
        if each.metric == "spearman":
            pairs = call.scored_pairs(each.task, spec.form, spec.split)
            yield PlannedColumn(name, each.task, pairs or 0, call.sharing(each.task, spec.form, spec.split))


def _lines(call: Call, table: Compared) -> Iterator[dict[str, object]]:
    spec: Any = call.project.shown(table.name, KIND).spec
    scores = cache(partial(_scores, call, table, spec))  # of a suite, which several columns are of
    for column in _columns(call, table):
        for least, source in _least(call, table, column, scores) if column.pairs else [("?", "")]:
            yield {
                "table": table.name,
                "column": column.name,
                "pairs": f"{column.pairs:,}" if column.pairs else "?",
                "independent": f"{int(column.effective):,}" if column.sharing else "?",
                "comparisons": len(table.rows),
                "seeds": table.seeds,
                "difference": least,
                "basis": source,
            }


def _scores(call: Call, table: Compared, spec: Any, suite: Suite) -> dict[tuple[str, str], ScoredRun]:
    """Return the scores that runs of a table have already, by run and task.

    Those of the baseline have to be up to date, so that the encoder and the test pairs are those of the plan;
    the other trainings may have had other steps.
    """
    files = {run: call.made(call.project.paths.evaluated(suite, run)) for run in table.baseline.runs}
    runs = [run for row in table.rows for run in row.runs]
    files |= {run: call.existing(call.project.paths.evaluated(suite, run)) for run in runs}
    known = {run: file for run, file in files.items() if file}
    return of_scores(known, spec.form, spec.split) if any(map(files.get, table.baseline.runs)) else {}


def _least(call: Call, table: Compared, column: PlannedColumn, scores: Scores) -> list[tuple[str, str]]:
    """Return the least difference of a column as text, and where it is from; two before there are scores."""
    if column.effective < FEWEST_PAIRS:
        return [("not tested", FEW_PAIRS)]
    measured, source = _measured(call, table, column, scores)
    if measured is not None:
        least = table.least(measured, column.pairs, column.effective)
        return [("?", FEW) if math.isnan(least) else (f"{least:.2f}", source)]
    both = math.sqrt(1 + table.baseline.trained)  # trainings of two rows

    def typical(each: Variation) -> float:
        return table.least(each._replace(seeds=both * each.seeds), column.effective, column.effective)

    if math.isnan(typical(KNOWS[0])):
        return [("?", FEW)]
    ranges = [f"{typical(low):.1f} to {typical(high):.1f}" for low, high in (KNOWS, UNLEARNED)]
    return list(zip(ranges, BEFORE, strict=True))


def _measured(
    call: Call, table: Compared, column: PlannedColumn, scores: Scores
) -> tuple[Variation | None, str]:
    """Return what differences vary by, and where that is from: a finished table, or trainings with scores."""
    project = call.project
    finished, file = [], call.existing(project.paths.table(table.name))
    with suppress(TableError):  # a table of another version says nothing
        if file:
            finished = of_table(file, project.catalog_name, column.name, table.baseline.label)
    if found := typical_row(finished):
        return found, f"table {table.name}"
    of_runs = {
        run: score
        for (run, task), score in scores(TASKS[column.task].suite).items()
        if task == column.task and len(score.influence) == column.pairs
    }
    rows = []
    for row in table.rows:
        others = table.baseline.runs * (1 if table.baseline.trained else len(row.runs))
        known = [pair for pair in zip(row.runs, others, strict=False) if {*pair} <= of_runs.keys()]
        if row.trained and known:
            of_row, of_other = ([of_runs[run] for run in each] for each in zip(*known, strict=True))
            rows.append(of_trainings(of_row, of_other, column.sharing))
    number = sum(row.freedom + 1 for row in rows)
    return typical_row(rows), f"{number} training{'s' * (number > 1)} so far"
