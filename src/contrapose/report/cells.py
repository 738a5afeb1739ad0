"""The cells of a table: a row per value, with its interval, its spread over seeds and the paper's number."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from contrapose.report.about import About, TableRow
from contrapose.report.budgets import printed_budgets
from contrapose.report.published import Decimals, PaperRows, form_of, published_numbers
from contrapose.tables import COMPARED, COSTS, PUBLISHABLE

BEST_SEED, BEST_ON_DEV = ", best seed", ", best on dev"  # appended to the name of an average
# An empty cell.
NOTHING: dict = {"value": None, "n": 0, "low": None, "high": None, "spread": None}
# Columns of PUBLISHABLE for which pandas would infer another type if values are missing.
NUMBERS = {
    **dict.fromkeys(("seed", "training_pairs", "steps"), "Int64"),
    **dict.fromkeys(("value", "low", "high", "spread", "published", "share_used"), float),
    **{**dict.fromkeys((*COMPARED, *COSTS), float), "tied": "boolean", "resampled": object},
}
Cells = dict[str, dict]  # of a row, by column: value, n, low, high, spread; for scores also resampled


def tidy_cells(
    cells_of: Callable[[str], Cells],
    rows: Sequence[TableRow],
    about: About,
    printed: PaperRows,
    best: Callable[[Sequence[str], list[Cells]], Cells] | None = None,
) -> pd.DataFrame:
    """Put the cells of runs into the rows of a table, which have no candidates.

    `cells_of` a run; those of `""`, which is no run, are `NOTHING`.  `best` adds cells to the mean of a row.

    For each trained row and column there is one cell per seed, then their mean, without a seed: `spread` is
    the standard deviation over seeds; the interval is that of a single seed, missing if there are more.  A
    pretrained encoder has one cell per column, without a seed; a row without runs has empty cells.  Raises a
    ConfigError if the paper has no row of the name given by a row; without a printed table, names are for the
    claims only.
    """
    cells = []
    for number, row in enumerate(rows):
        per_run = [cells_of(run) for run in row.runs or [""]]
        shown: list[tuple[str, int | None, Cells]] = []
        if row.trained and row.runs:
            shown += zip(row.runs, about.seeds, per_run, strict=True)
        means = mean_cells(per_run) | (best(row.runs, per_run) if best else {})
        shown.append(("" if row.trained or not row.runs else row.runs[0], None, means))
        for run, seed, values in shown:
            labels = (row.model, row.group, row.published)
            cells += row_cells(about, number, values, printed, *labels, run=run, seed=seed)
    return cell_table(cells)


def row_cells(
    about: About,
    number: int,
    cells: Cells,
    printed: PaperRows,
    model: str,
    group: str = "",
    published: str | None = None,
    run: str = "",
    seed: int | None = None,
) -> list[dict]:
    """Return rows of a PUBLISHABLE table: the cells of a row of the printed table, with the paper's numbers.

    `published` is the paper's label of the row; `run` and `seed` identify the training, if it is one.
    """
    numbers = published_numbers(published, model, printed)
    told = {"table": about.name, "world": about.world, "row": number, "group": group, "model": model}
    told |= {"run": run, "seed": seed, "published_row": published or ""}
    return [
        {**told, "column": column, **cell, "published": numbers.get(column.removesuffix(BEST_SEED))}
        for column, cell in cells.items()
    ]


def cell_table(cells: list[dict]) -> pd.DataFrame:
    """Return cells as a PUBLISHABLE table."""
    table = pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype({**NUMBERS, "baseline": "str"})
    return table.fillna({"baseline": ""})


def mean_cells(per_seed: list[Cells]) -> Cells:
    """Return the mean over seeds of each cell, and its spread; the cells themselves if there is one seed."""
    if len(per_seed) == 1:
        return per_seed[0]
    means = {}
    for column, first in per_seed[0].items():
        values = [cells[column]["value"] for cells in per_seed]
        there = first["value"] is not None
        mean, spread = (statistics.fmean(values), statistics.stdev(values)) if there else (None, None)
        means[column] = {**NOTHING, "value": mean, "n": first["n"], "spread": spread}
    return means


def printed_table(
    tidy: pd.DataFrame, decimals: Decimals = 2, intervals: bool = False, labelled: bool = False
) -> pd.DataFrame:
    """Return the means over seeds of a PUBLISHABLE table as printed, a text per column.

    `mean ± standard deviation` for two seeds or more, empty where there is no value; for one seed with its
    interval if `intervals` are wanted.  The first columns are group and model, or only the `label` if rows
    are `labelled`; the last are training budgets, see `printed_budgets`.
    """
    means = tidy[tidy.seed.isna()]
    names = list(dict.fromkeys(means.column))
    rows = []
    for row, cells in means.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {
            cell["column"]: _printed(cell, form_of(decimals, cell["column"]), intervals)
            for cell in cells.to_dict("records")
        }
        labels = {"row": row, "group": first["group"], "model": first["model"]}
        rows.append({**labels, **texts})
    shown = pd.DataFrame(rows, columns=["row", "group", "model", *names])
    shown = shown.join(printed_budgets(tidy), on="row").drop(columns="row")
    return shown.drop(columns="group").rename(columns={"model": "label"}) if labelled else shown


def _printed(cell: Mapping, form: str, intervals: bool) -> str:
    numbers = {name: cell[name] for name in ("value", "spread", "low", "high") if pd.notna(cell[name])}
    text = {name: format(number, form) for name, number in numbers.items()}
    if intervals and "low" in text:
        return f"{text['value']} [{text['low']}, {text['high']}]"
    return " ± ".join(text[name] for name in ("value", "spread") if name in text)


def first_sizes(tidy: pd.DataFrame) -> dict[str, int]:
    """Return the number of pairs, texts or questions behind the values of each column that has some."""
    return tidy[tidy.n > 0].groupby("column", sort=False).n.first().to_dict()
