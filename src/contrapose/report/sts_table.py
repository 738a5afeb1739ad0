"""A table of correlations on evaluation sets: rows are runs, columns are tasks."""

import statistics
from collections.abc import Mapping

import pandas as pd

from contrapose.config import Task
from contrapose.errors import TableError, unknown
from contrapose.jobs import STSTableJob, TableRow
from contrapose.retrieve.benchmarks import PUBLISHED_PAIRS
from contrapose.tables import PUBLISHABLE

AVERAGE = "Avg."


def sts_table(scores: pd.DataFrame, published: pd.DataFrame | None, job: STSTableJob) -> pd.DataFrame:
    """Lay out scores as the cells of a table, tidy.

    Cells are Spearman x100 with aggregation `all`.  The average of a row is the mean of its cells after
    rounding each to two decimals, as SimCSE's code prints it (methods 2.1).  A column without scores keeps
    its place without values, and the average is then named by what it is over, `Avg. of 4`: it does not
    compare with a paper's.

    Parameters
    ----------
    scores : SCORES table of all runs
    published : table with columns group, model and the printed names, optional
        The paper's printed table; a name that is none of its columns has no published number.
    job : STSTableJob

    Returns
    -------
    PUBLISHABLE table
        For each row and column one cell per seed, then their mean without a seed: `spread` is its standard
        deviation over seeds, and its interval is that of the only seed, missing if there are more.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    TableError
        A run has no score for a task that another run has.
    """
    found = _found_scores(scores, job)
    printed = _published_rows(published)
    cells = []
    for number, row in enumerate(job.rows):
        per_seed = [_run_cells(found, run, dict(job.columns)) for run in row.runs]
        shown: list[tuple[str, int | None, dict]] = list(zip(row.runs, job.seeds, per_seed, strict=True))
        shown.append(("", None, _mean_cells(per_seed)))
        numbers = _published_numbers(row, printed)
        for run, seed, values in shown:
            for column, cell in values.items():
                cells.append(
                    {
                        **{"table": job.table, "world": job.world, "row": number},
                        **{"group": row.group, "model": row.model, "run": run, "seed": seed},
                        **{"column": column, **cell},
                        "published": numbers.get(column),
                        "published_row": row.published or "",
                    }
                )
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype({"seed": "Int64", "published": float})


def average_name(columns: int, of: int) -> str:
    """Name the average over `columns` of the table's `of` tasks."""
    return AVERAGE if columns == of else f"{AVERAGE} of {columns}"


def average(values: list[float]) -> float:
    """Return the mean of values after rounding each to two decimals.  SimCSE, `evaluation.py`."""
    return statistics.fmean(round(value, 2) for value in values)


def _found_scores(scores: pd.DataFrame, job: STSTableJob) -> dict[tuple[str, Task], dict]:
    """Return {(run, task): value, n, low, high} of what the table shows, x100."""
    wanted = scores[
        (scores.metric == "spearman")
        & (scores.aggregation == "all")
        & (scores.split == "test")
        & (scores.form == job.form)
    ]
    found: dict[tuple[str, Task], dict] = {}
    for score in wanted.to_dict("records"):
        cell = {name: 100 * score[name] for name in ("value", "low", "high")}
        found[score["run"], score["task"]] = {**cell, "n": score["n"], "spread": None}
    runs = [run for row in job.rows for run in row.runs]
    tasks = {task for _, task in found}
    lacking = [f"{run} on {task}" for run in runs for task in sorted(tasks) if (run, task) not in found]
    if lacking:
        raise TableError(
            f"{job.table}: no score of {lacking[0]} ({len(lacking)} missing), but other runs have one. "
            "Score all runs on the same benchmarks: snakemake --forcerun evaluate_run"
        )
    return found


def _run_cells(found: dict, run: str, columns: Mapping[str, Task]) -> dict[str, dict]:
    """Return the cells of one run; the average comes last."""
    nothing = {"value": None, "n": 0, "low": None, "high": None, "spread": None}
    cells = {name: found.get((run, task), nothing) for name, task in columns.items()}
    there = [cell for cell in cells.values() if cell["n"]]
    value = average([cell["value"] for cell in there]) if there else None
    n = sum(cell["n"] for cell in there)
    return {**cells, average_name(len(there), len(columns)): {**nothing, "value": value, "n": n}}


def _mean_cells(per_seed: list[dict[str, dict]]) -> dict[str, dict]:
    """Return the mean over seeds of each cell, and its spread."""
    if len(per_seed) == 1:
        return per_seed[0]
    means = {}
    for column, first in per_seed[0].items():
        values = [cells[column]["value"] for cells in per_seed]
        there = first["value"] is not None
        means[column] = {
            "value": statistics.fmean(values) if there else None,
            "n": first["n"],
            "low": None,
            "high": None,
            "spread": statistics.stdev(values) if there else None,
        }
    return means


def _published_rows(published: pd.DataFrame | None) -> dict[str, dict[str, float]]:
    """Return {`group: model`: printed numbers by column} of a paper's table."""
    if published is None:
        return {}
    labels = published["group"] + ": " + published["model"]
    numbers = published.drop(columns=["group", "model"]).astype(float)
    return {label: dict(numbers.iloc[at].dropna()) for at, label in enumerate(labels)}


def _published_numbers(row: TableRow, printed: dict[str, dict[str, float]]) -> dict[str, float]:
    if row.published is None:
        return {}
    if row.published not in printed:
        raise unknown(f"row '{row.model}': the paper's table", row.published, printed)
    return printed[row.published]


def left_out(job: STSTableJob, missing: Mapping[str, str]) -> dict[str, str]:
    """Return {printed name: expected file} of the columns whose benchmark is not there.

    Parameters
    ----------
    job : STSTableJob
    missing : mapping of `task/form/split`: file below the data folder
        From the metadata of the BENCHMARK table.
    """
    wanted = {name: f"{task}/{job.form}/test" for name, task in job.columns}
    return {name: missing[what] for name, what in wanted.items() if what in missing}


def size_note(n: int, task: Task) -> str:
    """Say that a test set has another number of scored pairs than the published one; empty if it has not."""
    published = PUBLISHED_PAIRS[task]["test"]
    return "" if n == published else f"{n} pairs, {published} as published"


def size_notes(tidy: pd.DataFrame, job: STSTableJob) -> list[str]:
    """Return `size_note` of every column, named; of none in a world that makes its own text."""
    found = tidy[tidy.n > 0].groupby("column").n.first()
    tasks = {} if job.generated else {name: task for name, task in job.columns if name in found.index}
    notes = {name: size_note(int(found[name]), task) for name, task in tasks.items()}
    return [f"{name}: {note}" for name, note in notes.items() if note]


def printed_table(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the table as it is printed: group, model and a text per column, two decimals.

    `mean ± standard deviation` where there are two seeds or more, empty where there is no value.  Holds
    means over seeds alone and no published number.
    """
    means = tidy[tidy.seed.isna()]
    names = list(dict.fromkeys(means.column))
    rows = []
    for _, cells in means.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {cell["column"]: _printed(cell["value"], cell["spread"]) for cell in cells.to_dict("records")}
        rows.append({"group": first["group"], "model": first["model"], **texts})
    return pd.DataFrame(rows, columns=["group", "model", *names])


def _printed(value: float | None, spread: float | None) -> str:
    if value is None or pd.isna(value):
        return ""
    return f"{value:.2f}" if spread is None or pd.isna(spread) else f"{value:.2f} ± {spread:.2f}"


def published_table(published: pd.DataFrame, job: STSTableJob) -> pd.DataFrame:
    """Return the rows of the paper's table that this table has, with all their numbers, two decimals."""
    printed = _published_rows(published)
    rows = []
    for label in dict.fromkeys(row.published for row in job.rows if row.published):
        group, model = label.split(": ", 1)
        texts = {name: f"{number:.2f}" for name, number in printed[label].items()}
        rows.append({"group": group, "model": model, **texts})
    return pd.DataFrame(rows).fillna("")
