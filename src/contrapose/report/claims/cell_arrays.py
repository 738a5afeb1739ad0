"""The common form of a paper's printed tables and of ours, on which claims are checked.

A cell is an array of shape (seeds, 1 + resamples): a row per training seed, a single row for printed tables
and tables without seeds; first the value, then, for a score, its value under each resample of its test pairs,
with the same resamples for all rows of a column.  So differences of cells, or means of them over columns, are
one per seed and resample, and their standard error takes into account that two rows share a third.  Rows have
the paper's labels.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.base.errors import TableError
from contrapose.report.cells import column_names
from contrapose.report.claims.verdict import Deciding, all_of
from contrapose.report.comparison import SECOND
from contrapose.report.published import PrintedLayout, printed_rows
from contrapose.report.scores import AVERAGE, DEV
from contrapose.tables import CELLS, read_table

PARTIAL = re.compile(r"(.+) of \d+")  # an average over fewer columns than the paper's
PEAK = "peak"  # column made from training logs: step of the best dev score, as a share of all steps


class MissingCell(TableError):
    """A claim needs a row or column that a table does not have."""


class Margin(NamedTuple):
    """How far a row is above the closest of some others: the one that it is least clearly above."""

    name: str  # names both rows
    deciding: Deciding

    @property
    def part(self) -> dict[str, np.ndarray]:
        return {self.name: self.deciding.difference}


@dataclass(frozen=True)
class Cells:
    """The numbers of one table: {(row label, column): array of shape (seeds, 1 + resamples)}."""

    table: str
    values: Mapping[tuple[str, str], np.ndarray]
    notes: tuple[str, ...] = ()
    empty: tuple[tuple[str, str], ...] = ()  # row and column of cells without a number
    seeds: int = 0  # trainings behind a row; 0 for a printed table or a table without seeds

    def __call__(self, row: str, column: str) -> np.ndarray:
        if (row, column) not in self.values:
            what = "column" if any(row == known for known, _ in self.values) else "row"
            raise MissingCell(f"{self.table} has no {what} '{column if what == 'column' else row}'")
        return self.values[row, column]

    def above(self, row: str, other: str, column: str) -> np.ndarray:
        """Return how far one row is above another; raise MissingCell if either is not there."""
        return self(row, column) - self(other, column)

    def columns(self, *rows: str) -> list[str]:
        """Return the test sets for which all these rows have a value."""
        names = dict.fromkeys(column for row, column in self.values if row == rows[0])
        shared = [name for name in names if all((row, name) in self.values for row in rows)]
        return [name for name in shared if name not in (AVERAGE, DEV, PEAK)]

    def column(self, name: str, among: str = "") -> dict[str, np.ndarray]:
        """Return {row: cell} of a column and the rows `among` others; raise MissingCell if there is none."""
        cells = {
            row: value
            for (row, column), value in self.values.items()
            if column == name and row.startswith(among)
        }
        if not cells:
            raise MissingCell(f"{self.table} has no column '{name}'" + (f" of '{among}'" if among else ""))
        return cells

    def whole_column(self, name: str) -> dict[str, np.ndarray]:
        """Return {row: cell} of a column; raise MissingCell naming the rows that have no number there."""
        empty = [row for row, column in self.empty if column == name]
        if empty:
            raise MissingCell(f"{self.table} has no {name} for {len(empty)} rows: {', '.join(empty)}")
        return self.column(name)

    def gains(self, better: str, worse: str) -> dict[str, np.ndarray]:
        """Return how far one row is above another, on each test set for which both have a value."""
        return {name: self.above(better, worse, name) for name in self.columns(better, worse)}

    def margin(self, best: str, column: str, among: str = "") -> "Margin":
        """Return how far a row is above all other rows of a column.

        Raises MissingCell if the row, the column or any other row is missing.
        """
        cell = self(best, column)
        above = {row: cell - value for row, value in self.column(column, among).items() if row != best}
        if not above:
            raise MissingCell(f"{self.table} has no other row with which '{best}' can be compared")
        deciding = all_of(*above.values())
        rival = next(row for row, each in above.items() if each is deciding.difference)
        return Margin(f"{best} above {rival}, closest of {len(above)} others", deciding)

    def steps(self, rows: Sequence[str], column: str) -> dict[str, np.ndarray]:
        return {f"{row} above {before}": self.above(row, before, column) for before, row in pairwise(rows)}


Tables = Mapping[str, Cells]  # by name


def printed_cells(table: str, printed: pd.DataFrame, layout: PrintedLayout | None = None) -> Cells:
    """Read a paper's printed table: see `printed_rows`."""
    rows = printed_rows(table, printed, layout)
    values = {
        (label, column): np.array([[value]]) for label, row in rows.items() for column, value in row.items()
    }
    return Cells(table, values)


def stand_ins(tidy: pd.DataFrame) -> dict[str, list[int]]:
    """Return, for each label of the paper, the rows of CELLS that stand for it: its own, then the fair ones.

    Those are in the order of the table, also without numbers; a label may have none of its own.
    """
    rows: dict[str, list[int]] = {}
    for labels in (tidy.published_row, tidy.fair_for):
        for label, of_label in tidy[labels != ""].groupby(labels, sort=False):
            rows.setdefault(str(label), []).extend(sorted(of_label["row"].unique()))
    return rows


def tidy_cells(table: str, tidy: pd.DataFrame, choice: int = 0) -> Cells:
    """Read a table of ours, called `table` in its study: CELLS.

    Rows that stand for none of the paper's play no part in its claims.  Of several that stand for one, only
    that of number `choice` counts: 0 is the paper's own, the others are fair ones in the order of the table,
    see `stand_ins`; a label that has fewer takes its last.  If a row has values per `seed`, only these count;
    `slot` 0 of the column `Sim` is called `Sim 1`.  The average over fewer columns than the paper's, `Avg. of
    4`, stands for `Avg.`, with a note.  Raises TableError if two rows have the same label of the paper.
    """
    tidy = tidy[tidy.variant != SECOND]
    own = tidy[(tidy.published_row != "") & tidy.value.notna()].groupby("published_row")["row"].nunique()
    for label in own.index[own > 1]:
        raise TableError(f"{table}: two rows have `published: {label}`. Keep it in one of them.")
    chosen = {rows[min(choice, len(rows) - 1)]: label for label, rows in stand_ins(tidy).items()}
    tidy = tidy.assign(published_row=tidy["row"].map(chosen).fillna(""))
    named_rows = tidy[tidy.published_row != ""]
    filled = named_rows[named_rows.value.notna()]
    values: dict[tuple[str, str], np.ndarray] = {}
    notes: dict[str, None] = {}
    for label, of_row in filled.groupby("published_row", sort=False):
        for name, of_column in of_row.groupby(_column_names(of_row), sort=False):
            if part := PARTIAL.fullmatch(name):
                notes[f"{table}: {name} is used in place of {part[1]}"] = None
                name = part[1]
            values[label, name] = _samples(of_column)
    labels = zip(named_rows.published_row, _column_names(named_rows), strict=True)
    empty = [label for label in dict.fromkeys(labels) if label not in values]
    return Cells(table, values, tuple(notes), tuple(empty), int(tidy.seed.nunique()))


def _column_names(cells: pd.DataFrame) -> pd.Series:
    places = (cells.slot.astype("Int16") + 1).astype(str)  # floats if read from a file with missing values
    return column_names(cells).where(cells.slot.isna(), cells.column + " " + places)


def _samples(cells: pd.DataFrame) -> np.ndarray:
    """Return a cell, of shape (seeds, 1 + resamples): a row per seed, a single row without seeds."""
    if cells.seed.notna().any():
        cells = cells[cells.seed.notna()].sort_values("seed", kind="stable")
    values = cells.value.to_numpy(float)[:, None]
    if cells.resampled.isna().any():
        return values
    return np.hstack([values, np.stack(cells.resampled.tolist())])


def read_cells(table: str, path: str | Path, histories: Mapping[str, pd.DataFrame]) -> list[Cells]:
    """Read a table of ours from its file, once for each choice of rows, see `tidy_cells`.

    `histories` are the HISTORY tables of runs, by their ids, for a column `peak`: the step whose weights were
    kept as the best on dev, as a share of all steps, in (0, 1].
    """
    tidy = read_table(path, CELLS)
    trained = tidy[(tidy.published_row != "") & tidy.run.isin(list(histories))]
    runs = trained[["published_row", "seed", "run"]].drop_duplicates().sort_values("seed", kind="stable")
    peaks = {run: log.step[log.best].max() / log.step.max() for run, log in histories.items()}
    of_rows = {
        (str(label), PEAK): np.array([[float(peaks[run])] for run in of_row.run])
        for label, of_row in runs.groupby("published_row", sort=False)
    }
    choices = max(map(len, stand_ins(tidy).values()), default=1)
    made = [tidy_cells(table, tidy, choice) for choice in range(choices)]
    return [replace(cells, values={**cells.values, **of_rows}) for cells in made]
