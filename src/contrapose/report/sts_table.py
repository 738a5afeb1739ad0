"""A table of scores on evaluation sets or transfer tasks: rows are runs, columns are tasks and metrics."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import cast

import pandas as pd

from contrapose.config.spec import TextForm
from contrapose.errors import TableError
from contrapose.jobs import (
    Candidate,
    GeometryTableJob,
    LengthBiasTableJob,
    LengthsTableJob,
    QuestionLengthsJob,
    ScoreColumn,
    SimilaritiesTableJob,
    STSTableJob,
    TableRow,
)
from contrapose.report.published import printed_rows, published_numbers
from contrapose.tables import PUBLISHABLE
from contrapose.tasks import TASKS, TRANSFER_ITEMS, Task, TransferTask

AVERAGE = "Avg."
BEST_SEED, BEST_ON_DEV = ", best seed", ", best on dev"  # behind the name of an average
DEV = "STS-B dev"  # what English checkpoints and settings are selected on
STSB = ("stsb", "stsb_glue")  # the same pairs in two suites
PERCENT_DECIMALS, FRACTION_DECIMALS = 2, 3  # of numbers x100, and of others
DEV_SETS = "dev sets"  # what settings of encoders of other languages are selected on: the mean over them
# An empty cell.
NOTHING: dict = {"value": None, "n": 0, "low": None, "high": None, "spread": None}
# Columns of PUBLISHABLE that pandas would take for objects where a value is missing.
NUMBERS = {"seed": "Int64", "value": float, "low": float, "high": float, "spread": float, "published": float}


def sts_table(scores: pd.DataFrame, published: pd.DataFrame | None, job: STSTableJob) -> pd.DataFrame:
    """Lay out scores as the cells of a table, tidy.

    Cells are the column's metric x100 with aggregation `all`.  The average of a row is the mean of its cells
    after rounding each to two decimals, as SimCSE's code prints it (methods 2.1); a single column has none.
    Of fine-tuned encoders cells are fractions, and nothing is rounded.
    A column without scores keeps its place without values, and the average is then named by what it is
    over, `Avg. of 4`: it does not compare with a paper's.

    With `best_of_seeds` the mean over seeds has two more columns: the largest average of a seed, which is a
    choice on what is printed, and the average of the seed that is best on the dev sets.

    Parameters
    ----------
    scores : SCORES table of all runs
    published : the paper's printed table, optional
        A name that is none of its columns has no published number.
    job : STSTableJob
        Without candidates: see `selected_rows`.

    Returns
    -------
    PUBLISHABLE table
        For each trained row and column one cell per seed, then their mean without a seed: `spread` is its
        standard deviation over seeds, and its interval is that of the only seed, missing if there are more.
        An encoder as it is has one cell per column, without a seed; a row without runs has empty cells.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    TableError
        A run has no score for a task that another run has.
    """
    found = _found_scores(scores, job)
    return laid_out(lambda run: _run_cells(found, run, job), published, job, _best(found, job))


def laid_out(
    cells_of: Callable[[str], dict[str, dict]],
    published: pd.DataFrame | None,
    job: STSTableJob
    | GeometryTableJob
    | LengthsTableJob
    | LengthBiasTableJob
    | SimilaritiesTableJob
    | QuestionLengthsJob,
    best: Callable[[Sequence[str], list[dict[str, dict]]], dict[str, dict]] | None = None,
) -> pd.DataFrame:
    """Put the cells of runs into the rows of a table.

    Parameters
    ----------
    cells_of : function from a run id to {column: cell}
        A cell is value, n, low, high and spread.  Of the id `""`, which is no run, cells are `NOTHING`.
    published : the paper's printed table, optional
    job : of the table
    best : function from the runs of a row and their cells to more cells of their mean, optional

    Returns
    -------
    PUBLISHABLE table
        See `sts_table`.
    """
    printed = printed_rows(job.table, published, job.layout)
    # Of fine-tuned encoders rows may be named for the claims where the paper prints no table.
    for_claims_alone = published is None and isinstance(job, STSTableJob) and job.fine_tuned
    cells = []
    for number, row in enumerate(job.rows):
        per_run = [cells_of(run) for run in row.runs or [""]]
        shown: list[tuple[str, int | None, dict]] = []
        if row.trained and row.runs:
            shown += zip(row.runs, job.seeds, per_run, strict=True)
        means = mean_cells(per_run) | (best(row.runs, per_run) if best else {})
        shown.append(("" if row.trained or not row.runs else row.runs[0], None, means))
        numbers = {} if for_claims_alone else published_numbers(row.published, row.model, printed)
        for run, seed, values in shown:
            for column, cell in values.items():
                cells.append(
                    {
                        **{"table": job.table, "world": job.world, "row": number},
                        **{"group": row.group, "model": row.model, "run": run, "seed": seed},
                        **{"column": column, **cell},
                        "published": numbers.get(column.removesuffix(BEST_SEED)),
                        "published_row": row.published or "",
                    }
                )
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def selected_rows(
    rows: Sequence[TableRow],
    scores: pd.DataFrame,
    form: TextForm = "senteval",
    columns: Sequence[ScoreColumn] = (),
) -> list[TableRow]:
    """Give every row with candidates the runs of the one that is best on dev, on average over seeds.

    Parameters
    ----------
    rows : sequence of TableRow
    scores : SCORES table of all candidates
    form : TextForm
        Of the dev sets.
    columns : sequence of ScoreColumn
        Whose mean on the dev splits counts; none: Spearman's correlation on the usual dev sets.

    Returns
    -------
    list of TableRow, without candidates
        The first of equally good candidates is taken; which it is stands in the note.

    Raises
    ------
    TableError
        A candidate has no score on a dev set.
    """
    usual = {} if columns else dev_scores(scores, form)
    where = DEV if set(scores.task[scores.split == "dev"]) <= {*STSB} else DEV_SETS
    decimals = FRACTION_DECIMALS if columns else PERCENT_DECIMALS

    def mean(candidate: Candidate, dev: Mapping[str, dict]) -> float:
        lacking = [run for run in candidate.runs if run not in dev]
        if lacking:
            raise TableError(f"{lacking[0]} has no score on {where}, so no setting can be selected.")
        return statistics.fmean(dev[run]["value"] for run in candidate.runs)

    found = []
    for row in rows:
        if row.candidates:
            dev = column_means(scores, form, of_group(columns, row.group)) if columns else usual
            best = max(row.candidates, key=partial(mean, dev=dev))
            among, score = f"best of {len(row.candidates)} settings", f"{mean(best, dev):.{decimals}f}"
            told = f"{best.setting}, {among} on {where} ({score})"
            note = "; ".join(filter(None, [row.note, told]))
            row = row.model_copy(update={"runs": best.runs, "candidates": [], "note": note})
        found.append(row)
    return found


def dev_scores(scores: pd.DataFrame, form: TextForm) -> dict[str, dict]:
    """Return {run: cell} of the Spearman scores on dev, x100: on STS-B, or the mean of a suite's dev sets."""
    cells: dict[str, list[dict]] = {}
    for (run, _), cell in _cells(scores[(scores.split == "dev") & (scores.form == form)], "spearman").items():
        cells.setdefault(run, []).append(cell)
    return {run: own[0] if len(own) == 1 else _average_cell(own) for run, own in cells.items()}


def of_group(columns: Sequence[ScoreColumn], group: str) -> list[ScoreColumn]:
    """Return the columns that the rows of a group have."""
    return [column for column in columns if column.group in (None, group)]


def column_means(scores: pd.DataFrame, form: TextForm, columns: Sequence[ScoreColumn]) -> dict[str, dict]:
    """Return {run: cell} of the mean of some columns on dev, of those that there are, as fractions."""
    dev = scores[(scores.split == "dev") & (scores.form == form)]
    cells: dict[str, list[dict]] = {}
    for column in columns:
        for (run, _), cell in _cells(dev[dev.task == column.task], column.metric, 1).items():
            cells.setdefault(run, []).append(cell)
    most = max(map(len, cells.values()), default=0)
    return {run: _average_cell(own, None) for run, own in cells.items() if len(own) == most}


def _cells(scores: pd.DataFrame, metric: str, factor: int = 100) -> dict[tuple[str, str], dict]:
    """Return {(run, task): cell} of a metric over all subsets, x100 or another factor."""
    wanted = scores[(scores.metric == metric) & (scores.aggregation == "all")]
    return {
        (score["run"], score["task"]): {
            **{name: factor * score[name] for name in ("value", "low", "high")},
            **{"n": score["n"], "spread": None},
        }
        for score in wanted.to_dict("records")
    }


def average_name(columns: int, of: int, name: str = AVERAGE) -> str:
    """Name the average over `columns` of the table's `of` tasks."""
    return name if columns == of else f"{name} of {columns}"


def average(values: list[float], decimals: int | None = PERCENT_DECIMALS) -> float:
    """Return the mean of values after rounding each to two decimals.  SimCSE, `evaluation.py`.

    With `decimals` None nothing is rounded.
    """
    return statistics.fmean(values if decimals is None else (round(value, decimals) for value in values))


def _found_scores(scores: pd.DataFrame, job: STSTableJob) -> dict[tuple[str, str], dict]:
    """Return {(run, column): cell} of what the table shows."""
    wanted = scores[(scores.split == job.split) & (scores.form == job.form)]
    found: dict[tuple[str, str], dict] = {}
    for column in job.columns:
        cells = _cells(wanted[wanted.task == column.task], column.metric, 1 if job.fine_tuned else 100)
        found |= {(run, column.name): cell for (run, _), cell in cells.items()}
    lacking = []
    for column in job.columns:
        absent = [run for run in _runs(job, column) if (run, column.name) not in found]
        if len(absent) < len(_runs(job, column)):
            lacking += [f"{run} on {column.task}" for run in absent]
    if lacking:
        raise TableError(
            f"{job.table}: no score of {lacking[0]} ({len(lacking)} missing), but other runs have one. "
            "Score all runs on the same sets: snakemake --forcerun "
            f"{_scoring_rule(job)}"
        )
    dev = dev_scores(scores, job.form) if job.choose_among or job.best_of_seeds else {}
    return {**found, **{(run, dev_column(job)): cell for run, cell in dev.items()}}


def _runs(job: STSTableJob, column: ScoreColumn) -> list[str]:
    """Return the runs of the rows that a column is about."""
    return [run for row in job.rows if column.group in (None, row.group) for run in row.runs]


def column_names(job: STSTableJob) -> list[str]:
    """Return the printed names of the columns, each once."""
    return list(dict.fromkeys(column.name for column in job.columns))


def _scoring_rule(job: STSTableJob) -> str:
    if job.fine_tuned:
        return "evaluate_fine_tuned"
    return "evaluate_transfer" if job.transfer else "evaluate_run"


def decimals_of(job: STSTableJob) -> int:
    """Return how many decimals a table is printed with: papers print fractions with three."""
    return FRACTION_DECIMALS if job.fine_tuned else PERCENT_DECIMALS


def dev_column(job: STSTableJob) -> str:
    """Name the column of what settings are chosen on."""
    first = cast(Task, job.columns[0].task)  # nothing is chosen among rows of transfer tasks
    return DEV if TASKS[first].suite in ("english", "paraphrase") else DEV_SETS


def _run_cells(found: dict, run: str, job: STSTableJob) -> dict[str, dict]:
    """Return the cells of one run, empty ones for none; the average comes behind the columns."""
    names = column_names(job)
    cells = {name: found.get((run, name), NOTHING) for name in names}
    if has_average(job):
        assert job.average is not None
        over = [cell for cell in cells.values() if cell["n"]]
        # All runs of a column have a score or none has; of no run it is the number of any other's.
        most = max((sum((each, name) in found for name in names) for each, _ in found), default=0)
        number = len(over) if run and over else most
        cells[average_name(number, len(names), job.average)] = _average_cell(
            over, None if job.fine_tuned else PERCENT_DECIMALS
        )
    if job.choose_among or job.best_of_seeds:
        cells[dev_column(job)] = found.get((run, dev_column(job)), NOTHING)
    return cells


def _average_cell(cells: list[dict], decimals: int | None = PERCENT_DECIMALS) -> dict:
    """Return the average of cells that have values; an empty one of none."""
    value = average([cell["value"] for cell in cells], decimals) if cells else None
    return {**NOTHING, "value": value, "n": sum(cell["n"] for cell in cells)}


def _best(
    found: dict, job: STSTableJob
) -> Callable[[Sequence[str], list[dict[str, dict]]], dict[str, dict]] | None:
    """Return a function for `laid_out` that adds the best seeds of a row; None where nobody asks for them."""
    if not job.best_of_seeds:
        return None

    def best(runs: Sequence[str], per_run: list[dict[str, dict]]) -> dict[str, dict]:
        name = printed_average(per_run[0], job)
        by_average = max((cells[name] for cells in per_run), key=lambda cell: cell["value"] or -math.inf)
        scores = [found.get((run, dev_column(job)), NOTHING)["value"] for run in runs or [""]]
        by_dev = max(zip(scores, per_run, strict=True), key=lambda pair: pair[0] or -math.inf)[1][name]
        chosen = by_dev if any(score is not None for score in scores) else NOTHING
        return {name + BEST_SEED: by_average, name + BEST_ON_DEV: chosen}

    return best


def has_average(job: STSTableJob) -> bool:
    """Tell whether a table has a column of averages."""
    return job.average is not None and len(column_names(job)) > 1


def printed_average(cells: Iterable[str], job: STSTableJob) -> str:
    """Return which column of a table holds averages: the only one if there is one task."""
    name = job.columns[0].name
    return next((each for each in cells if each.startswith(str(job.average))), name)


def mean_cells(per_seed: list[dict[str, dict]]) -> dict[str, dict]:
    """Return the mean over seeds of each cell, and its spread; the cells themselves if there is one seed.

    Parameters
    ----------
    per_seed : list of {column: cell}
        A cell is value, n, low, high and spread; None stands for a number that is not there.
    """
    if len(per_seed) == 1:
        return per_seed[0]
    means = {}
    for column, first in per_seed[0].items():
        values = [cells[column]["value"] for cells in per_seed]
        there = first["value"] is not None
        mean, spread = (statistics.fmean(values), statistics.stdev(values)) if there else (None, None)
        means[column] = {**NOTHING, "value": mean, "n": first["n"], "spread": spread}
    return means


def left_out(job: STSTableJob, missing: Mapping[str, str]) -> dict[str, str]:
    """Return {printed name: expected file or folder} of the columns whose set is not there.

    Parameters
    ----------
    job : STSTableJob
    missing : mapping of `task/form/split`: file below the data folder
        From the metadata of the BENCHMARK or TRANSFER table.
    """
    wanted = {_label(column): f"{column.task}/{job.form}/{job.split}" for column in job.columns}
    return {name: missing[what] for name, what in wanted.items() if what in missing}


def size_note(n: int, task: Task, split: str = "test") -> str:
    """Say that a set has another number of scored pairs than published; empty if it has not."""
    published = TASKS[task].pairs[split]
    return "" if published in (n, 0) else f"{n} pairs, {published} as published"


def items_note(n: int, task: TransferTask, split: str = "test") -> str:
    """Say the same of the items of a transfer task."""
    # Without a dev part the train part chooses the penalty; without given splits all there is.
    sizes = TRANSFER_ITEMS[task]
    published = next(sizes[name] for name in (split, "train", "all") if name in sizes)
    return "" if n == published else f"{n} items, {published} as published"


def size_notes(tidy: pd.DataFrame, job: STSTableJob) -> list[str]:
    """Return the note on the size of every column, named; of none in a world that makes its own text."""
    found = tidy[tidy.n > 0].groupby(["group", "column"]).n.first()
    note: Callable = items_note if job.transfer else size_note
    notes = {}
    for (group, name), n in () if job.generated else found.items():
        column = next((each for each in of_group(job.columns, group) if each.name == name), None)
        if column is not None:  # else an average
            notes[_label(column)] = note(int(n), column.task, job.split)
    labels = [_label(column) for column in job.columns]
    return [f"{label}: {notes[label]}" for label in labels if notes.get(label)]


def _label(column: ScoreColumn) -> str:
    """Name a column, with the group of rows if it is about these alone."""
    return column.name if column.group is None else f"{column.name}, {column.group}"


def printed_table(tidy: pd.DataFrame, decimals: int = 2, intervals: bool = False) -> pd.DataFrame:
    """Return the table as it is printed: group, model and a text per column, so many decimals.

    `mean ± standard deviation` where there are two seeds or more, empty where there is no value; for one
    seed with its interval if `intervals` are wanted.  Holds means over seeds alone and no published number.
    """
    means = tidy[tidy.seed.isna()]
    names = list(dict.fromkeys(means.column))
    rows = []
    for _, cells in means.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {cell["column"]: _printed(cell, decimals, intervals) for cell in cells.to_dict("records")}
        rows.append({"group": first["group"], "model": first["model"], **texts})
    return pd.DataFrame(rows, columns=["group", "model", *names])


def _printed(cell: Mapping, decimals: int, intervals: bool) -> str:
    text = {
        name: f"{cell[name]:.{decimals}f}"
        for name in ("value", "spread", "low", "high")
        if pd.notna(cell[name])
    }
    if intervals and "low" in text:
        return f"{text['value']} [{text['low']}, {text['high']}]"
    return " ± ".join(text[name] for name in ("value", "spread") if name in text)
