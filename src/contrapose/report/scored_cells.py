"""The cells of a table of scores, from the files of its job."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.jobs.stage import run_of
from contrapose.jobs.status import missing_sets, read_status
from contrapose.report.about import About, TableRow
from contrapose.report.resampling import Resamples, scored_pairs
from contrapose.report.row_costs import Costs, with_costs
from contrapose.report.scores import (
    ScoreTable,
    score_cells,
    selected_rows,
    unavailable_columns,
    unscored_notes,
)
from contrapose.tables import SCORES, read_provenance, read_tables


class ScoredCells(NamedTuple):
    """The cells of a table of scores, and what else its files say."""

    about: About  # with the runs that dev pairs select, and notes on trainings and sets
    tidy: pd.DataFrame  # CELLS with differences, and with costs if the table shows them
    resamples: Resamples
    missing: dict[str, str]  # {printed name: expected file or folder} of columns without a set


class FurtherNotes(NamedTuple):
    """What a kind of tables of scores says besides."""

    of_table: Sequence[str] = ()
    of_selected: str = ""  # of each row whose settings are selected on dev pairs


NO_NOTES = FurtherNotes()


def scored_cells(
    about: About,
    table: ScoreTable,
    scores: Sequence[str],
    sets: Sequence[str],
    costs: Costs | None,
    further: FurtherNotes = NO_NOTES,
) -> ScoredCells:
    """Arrange the scores in files as cells; what several rows have in common is noted once.

    `scores` are SCORES files, `sets` those of the evaluation sets.  Raises TableError if a run lacks a score
    that selects settings.
    """
    rows = read_tables(scores, SCORES)
    selected = selected_rows(about.rows, rows, table, further.of_selected)
    notes = [*about.notes, *further.of_table]
    notes += dict.fromkeys(note for path in sets for note in read_status(path).notes)
    notes += [*_notes_of_trainings(about.histories, selected), *unscored_notes(rows, table, selected)]
    about = about.model_copy(update={"rows": selected, "notes": notes})
    tasks = [column.task for column in table.columns]
    resamples = Resamples(about.bootstrap, scored_pairs(sets, tasks, table.form, table.split))
    tidy = score_cells(rows, table, about, resamples)
    if table.costs and costs:
        tidy = with_costs(tidy, about.rows, costs)
    return ScoredCells(about, tidy, resamples, unavailable_columns(table, missing_sets(sets)))


def _notes_of_trainings(histories: Sequence[str], rows: Sequence[TableRow]) -> list[str]:
    """Return what the logs of trainings say, each note once, before the labels of its rows."""
    of_runs = {run_of(log): skipped_and_cut(log) for log in map(read_provenance, histories)}
    labels: dict[str, list[str]] = {}
    for row in rows:
        for text in next((of_runs[run] for run in row.runs if of_runs.get(run)), []):
            labels.setdefault(text, []).append(row.label)
    return [f"{text}: {', '.join(names)}." for text, names in labels.items()]


def skipped_and_cut(log: Mapping) -> list[str]:
    """Return notes on a training from the metadata of its log: dropout, what its pairs skip, what was cut."""
    status = read_status(log)
    notes = list(status.notes)
    if status.skipped:
        notes.append("; ".join(status.skipped))
    if cut := status.counts.get("cut"):
        share, longest = 100 * cut / status.counts["texts"], log["settings"]["recipe"]["max_length"]
        notes.append(f"{share:.1f} % of the training texts are cut after {longest} word pieces")
    return notes
