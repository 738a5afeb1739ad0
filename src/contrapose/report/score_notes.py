"""The notes of a table of scores: its sentences are those of `sentences.SCORE_NOTES`."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.report.about import About
from contrapose.report.cells import BEST_ON_DEV, BEST_SEED
from contrapose.report.comparison import SECOND, only_baseline, shown_on
from contrapose.report.resampling import Resamples
from contrapose.report.scored_cells import ScoredCells
from contrapose.report.scores import ScoreTable
from contrapose.report.sentences import SCORE_NOTES, notes_from

FOURFOLD = 4.05  # more than this is printed as more than 4.0: what halves an error that has one source


class OnSets(NamedTuple):
    """On how many of several sets at least rows are above a baseline or below it."""

    baseline: str
    above: list[str]
    below: list[str]
    mixed: list[str]  # labels of rows that are above on some sets and below on others


def score_notes(scored: ScoredCells, table: ScoreTable, sizes: Sequence[str], average: str) -> list[str]:
    """Return the notes below a table of scores, before those of its rows.

    `sizes` are notes on sets of another size than published, `average` the name of the column that decides.
    """
    tidy, about = scored.tidy, scored.about
    original, selected = _orders(tidy, average, about)
    cells = tidy[tidy.baseline != ""]
    single = len(about.seeds) == 1 and any(row.trained and row.runs for row in about.rows)
    compared = cells[~cells.column.isin(list(table.general)) & (not single)]
    return notes_from(
        SCORE_NOTES,
        table=table,
        average=average,
        best_seed=BEST_SEED,
        best_on_dev=BEST_ON_DEV,
        seeds=about.seeds,
        has_labels=any(column.metric in ("accuracy", "f1") for column in table.columns),
        missing=scored.missing,
        compares=len(cells),
        on_sets=_on_sets(compared, table.names),
        power=_power(compared, table.decimals, table.items),
        sizes=sizes,
        shared=_shared(tidy, table, scored.resamples),
        original=original,
        selected=selected,
    )


def _orders(tidy: pd.DataFrame, column: str, about: About) -> tuple[list[str], list[str]]:
    """Return the rows for which a search selects settings, best first: by the study's, and by those."""
    means = tidy[tidy.seed.isna() & (tidy.variant == "") & (tidy.column == column) & tidy.value.notna()]
    values: dict[str, float] = {}
    chosen: dict[str, float] = {}
    for number, value in zip(means["row"], means.value, strict=True):
        row = about.rows[number]
        (values if row.selected_for is None else chosen)[row.selected_for or row.label] = value
    rows = [name for name in values if name in chosen]
    return (
        sorted(rows, key=values.__getitem__, reverse=True),
        sorted(rows, key=chosen.__getitem__, reverse=True),
    )


def _shared(tidy: pd.DataFrame, table: ScoreTable, resamples: Resamples) -> list[str]:
    """Say of each set whose pairs count as fewer independent ones as how many they count."""
    sizes = tidy[tidy.n > 0].groupby("column").n.first()
    tasks = {column.name: column.task for column in table.columns if column.name in sizes}
    counts = {name: resamples.effective(task, int(sizes[name])) for name, task in tasks.items()}
    return [
        f"{name} {sizes[name]:,} as {int(count):,}" for name, count in counts.items() if count < sizes[name]
    ]


def _on_sets(cells: pd.DataFrame, sets: Sequence[str]) -> list[OnSets]:
    notes = []
    for baseline, compared in cells[cells.column.isin(sets)].groupby("baseline") if sets[1:] else ():
        above, below = (
            {label: number for label, number in _counts(compared, sign).items() if number} for sign in (1, -1)
        )
        mixed = [label for label in above if label in below]
        notes.append(OnSets(str(baseline), _listed(above), _listed(below), mixed))
    return notes


def _listed(counts: Mapping[str, int]) -> list[str]:
    return [f"{label} on {number}" for label, number in counts.items()]


def _counts(compared: pd.DataFrame, sign: int) -> dict[str, int]:
    return {cells.model.iloc[0]: len(shown_on(cells, sign)) for _, cells in compared.groupby("row")}


def _power(cells: pd.DataFrame, decimals: int, items: str) -> Mapping[str, object]:
    """Return the minimum detectable effect of the last compared column, and what halves it; empty if unknown.

    To the first baseline, over the rows whose spread over seeds is known well enough.
    """
    first = cells[cells.variant != SECOND]
    last = first[first.mde.notna()]
    last = last[last.column == cells.column.iloc[-1]] if len(cells) else last
    if last.empty:
        return {}
    mde, more_pairs, more_seeds = (last[name].median() for name in ("mde", "more_pairs", "more_seeds"))
    factors = {f"test {items}": more_pairs, "seeds": more_seeds}
    pairs, seeds = factors
    above = [names for names in ((pairs, seeds), (seeds, pairs)) if FOURFOLD < factors[names[0]] < math.inf]
    return {
        "column": last.column.iloc[0],
        "mde": f"{mde:.{decimals}f}",
        "baseline": only_baseline(last),
        "ways": [f"{factor:.1f} times the {name}" for name, factor in factors.items() if factor < math.inf],
        "of_both": above[0] if len(above) == 1 else None,
    }
