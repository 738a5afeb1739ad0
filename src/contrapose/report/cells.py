"""The cells of a table: a row per value, with its interval, its std over seeds and the paper's number."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.report.about import About, TableRow
from contrapose.report.headers import COST, TRAINING, part_of
from contrapose.report.inference import Score
from contrapose.report.sentences import COLUMN_NOTES, notes_from
from contrapose.settings.ids import named
from contrapose.tables import CELLS, COMPARED, COSTS, HISTORY, count_rows, read_provenance

BEST_SEED, BEST_ON_DEV = ", best seed", ", best on dev"  # appended to the name of an average
EMPTY_CELL: dict = {"value": None, "n": 0}
UNKNOWN = "?"  # a cost
COMPUTE = "compute"  # at the start of the name of a column
KEYS = ("column", "variant", "slot")
# Training budgets, and how they are printed.
BUDGET = {"training_pairs": "{:.0f}", "steps": "{:.0f}", "fraction_seen": "{:.2f}"}
# Columns of CELLS for which pandas would infer another type if values are missing.
TYPES = {
    **{"seed": "Int64", "slot": "Int16", "training_pairs": "Int64", "steps": "Int64", "fraction_seen": float},
    **dict.fromkeys(("value", "ci_low", "ci_high", "std", "error", "published", *COMPARED, *COSTS), float),
    **{"in_best_set": "boolean", "rank_low": "Int16", "rank_high": "Int16", "resampled": object},
    **dict.fromkeys(("variant", "baseline", "fair_for"), "str"),
}
# By column, or by column, variant and slot: `value` and `n`, perhaps `ci_low`, `ci_high`, `std`, `resampled`.
Cells = dict


class RowCells(NamedTuple):
    """The cells of a row of the printed table, of one training or over all."""

    model: str
    cells: Cells
    group: str = ""
    published: str | None = None  # the paper's label of the row
    fair_for: str | None = None  # that of a row whose place it takes
    run: str = ""
    seed: int | None = None
    row: int | None = None  # place in the printed table; None: as they come


def cell_table(about: About, rows: Iterable[RowCells]) -> pd.DataFrame:
    """Return rows as a CELLS table, with the numbers of the paper's printed rows, and budgets of trainings.

    Raises a ConfigError if the paper has no row of the name given by a row; without a printed table, names
    are for the claims only.
    """
    cells = []
    for place, row in enumerate(rows):
        labels = row._asdict() | {
            "table": about.name,
            "catalog": about.catalog,
            "variant": "",
            "baseline": "",
        }
        labels |= {"row": place if row.row is None else row.row, "published_row": row.published or ""}
        labels["fair_for"] = row.fair_for or ""
        numbers: Mapping[str, float] = {}
        if row.published is not None and about.published:
            numbers = named(about.published, row.published, f"method '{row.model}': the paper's table")
        for key, cell in row.cells.items():
            column, *variant = (key,) if isinstance(key, str) else key
            of_paper = (
                None if any(each != "" for each in variant) else numbers.get(column.removesuffix(BEST_SEED))
            )
            names = dict(zip(KEYS, (column, *variant), strict=False))
            cells.append({**labels, **names, **cell, "published": of_paper})
    tidy = pd.DataFrame(cells, columns=CELLS.columns).astype(TYPES)
    return _with_budgets(tidy, about.histories) if about.histories else tidy


def encoder_cells(
    about: About,
    cells_of: Callable[[str], Cells],
    rows: Sequence[TableRow] | None = None,
    best: Callable[[Sequence[str], list[Cells]], Cells] | None = None,
) -> Iterator[RowCells]:
    """Yield the cells of encoders, by default of all rows of a table, which have no candidates.

    `cells_of` a run; those of `""`, which is no run, are empty.  `best` adds cells to the mean of a row.

    For each trained row there are the cells of each seed, then their mean, without a seed: `std` is the
    standard deviation over seeds; the interval is that of a single seed, missing if there are more.  A
    pretrained encoder has one cell per column, without a seed; a row without runs has empty cells.
    """
    for number, row in enumerate(about.rows if rows is None else rows):
        per_run = [cells_of(run) for run in row.runs or [""]]
        row_cells = RowCells(row.model, {}, row.group, row.published, row.fair_for, row=number)
        if row.trained and row.runs:
            for run, seed, cells in zip(row.runs, about.seeds, per_run, strict=True):
                yield row_cells._replace(cells=cells, run=run, seed=seed)
        means = mean_cells(per_run) | (best(row.runs, per_run) if best else {})
        yield row_cells._replace(cells=means, run="" if row.trained or not row.runs else row.runs[0])


def mean_cells(per_seed: list[Cells]) -> Cells:
    """Return mean and standard deviation over seeds of each cell; the cells themselves of one seed."""
    if len(per_seed) == 1:
        return per_seed[0]
    means = {}
    for column, first in per_seed[0].items():
        values = [cells[column]["value"] for cells in per_seed]
        numbers = {"n": first["n"], "value": None}
        if None not in values:
            numbers |= {"value": statistics.fmean(values), "std": statistics.stdev(values)}
        means[column] = numbers
    return means


def _with_budgets(tidy: pd.DataFrame, histories: Sequence[str]) -> pd.DataFrame:
    """Add training budgets to the cells of each seed, and to the means of a row those that all seeds share.

    `histories` are files; one without a number of pairs, because there were too few, is ignored.
    """
    budgets = pd.DataFrame([_budget(path) for path in histories], columns=["run", *BUDGET]).set_index("run")
    of_runs = tidy[["run"]].join(budgets.astype(float), on="run")[list(BUDGET)]
    low, high = (of_runs.groupby(tidy["row"]).transform(which) for which in ("min", "max"))
    beside = of_runs.where(tidy.seed.notna(), low.where(low == high))
    return tidy.assign(**{name: beside[name].astype(tidy[name].dtype) for name in BUDGET})


def _budget(path: str) -> tuple[str, int | None, int | None, float | None]:
    made = read_provenance(path)
    counts = read_status(made).counts
    pairs, used = counts.get("pairs"), counts.get("pairs_used")
    steps = count_rows(path, HISTORY) if pairs else None
    return run_of(made), pairs, steps, used / pairs if pairs and used else None


def printed_budgets(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the budgets as texts, by row, `lowest–highest` where seeds differ; no column is empty."""
    names = [name for name in BUDGET if tidy[name].notna().any()]
    texts = {row: [_range(cells[name], BUDGET[name]) for name in names] for row, cells in tidy.groupby("row")}
    return pd.DataFrame.from_dict(texts, orient="index", columns=names)


def scores_of_rows(cells: pd.DataFrame, rows: Sequence[TableRow] = ()) -> dict[int, Score]:
    """Return what is known of the score of each row in one column; rows without resamples have none.

    `rows` are those of the table, of which some average the weights of others.  Pairs that share sentences
    count one by one here, which changes the degrees of freedom alone.
    """
    averaged = {number: row.averaged for number, row in enumerate(rows) if row.averaged}
    single = cells[(cells.variant == "") & cells.resampled.notna()]
    scores = {}
    for row, of_row in single.groupby("row"):
        trained = bool(of_row.seed.notna().any())
        of_seeds = of_row[of_row.seed.notna()] if trained else of_row
        values, resampled = of_seeds.value.to_numpy(float), np.array([*of_seeds.resampled], float)
        behind = cells.value[cells.run.isin(averaged.get(row, [])) & (cells.variant == "")].to_numpy(float)
        score = Score(values, resampled, float(of_seeds.n.iloc[0]) - 1, trained)
        scores[row] = score._replace(averaged=behind) if len(behind) else score
    return scores


def _range(values: pd.Series, form: str) -> str:
    ends = (values.min(), values.max()) if values.notna().any() else ()
    return "–".join(dict.fromkeys(map(form.format, ends)))


def column_notes(shown: pd.DataFrame) -> list[str]:
    """Explain the columns of a printed table that hold budgets or costs; empty if it has none.

    In a table without parts, names that are ours are those columns.
    """
    by_part = shown.columns.nlevels > 1
    budgets, costs = (part_of(shown, part) if by_part else shown for part in (TRAINING, COST))
    return notes_from(
        COLUMN_NOTES,
        budgets=list(budgets),
        compute=COMPUTE,
        has_compute=any(name.startswith(COMPUTE) for name in costs),
        amounts=[name for name in COSTS if name in costs],
        unknown=UNKNOWN,
    )


def column_names(tidy: pd.DataFrame) -> pd.Series:
    """Return the printed name of the column of each cell; `alignment, test` if it is a variant."""
    return tidy.column.where(tidy.variant == "", tidy.column + ", " + tidy.variant)


def first_sizes(tidy: pd.DataFrame) -> dict[str, int]:
    """Return the number of pairs, texts or questions behind the values of each column that has some."""
    sized = tidy[tidy.n > 0]
    return sized.n.groupby(column_names(sized), sort=False).first().to_dict()
