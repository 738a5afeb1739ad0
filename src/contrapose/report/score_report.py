"""A table of scores as CSV, Markdown and a plot."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import pandas as pd

from contrapose.report.about import About
from contrapose.report.budgets import with_budgets
from contrapose.report.cells import BEST_ON_DEV, BEST_SEED, printed_table
from contrapose.report.choice import choice_parts, chosen
from contrapose.report.comparison import TIED, difference_parts, marked_ties
from contrapose.report.costs import Costs, cheapest_lines, printed_costs, with_costs
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.kinds.base import Printed, Report
from contrapose.report.plots import scores_plot
from contrapose.report.published import PaperRows
from contrapose.report.scores import ScoreColumn, ScoreTable, left_out, score_cells, selected_rows, size_notes
from contrapose.stage import run_of
from contrapose.status import missing_sets, read_status
from contrapose.tables import SCORES, read_provenance, read_tables


def score_report(
    spec: Printed,
    about: About,
    columns: Sequence[ScoreColumn],
    scores: Sequence[str],
    sets: Sequence[str],
    histories: Sequence[str],
    published: PaperRows,
    costs: Costs | None = None,
    **fixed: Any,
) -> Report:
    """Build a table of scores from files: `scores`, sets or transfer tasks, and the logs of trainings.

    Fields of its ScoreTable are the settings of the same name, but for `fixed` ones.  Raises TableError if a
    candidate has no score on a dev set, or a run lacks a score that others have.
    """
    names = [each.name for each in fields(ScoreTable) if hasattr(spec, each.name)]
    of_spec = {name: getattr(spec, name) for name in names}
    table = ScoreTable(**{**of_spec, **fixed, "columns": columns})
    found = read_tables(scores, SCORES)
    about = _completed(about, table, found, sets, histories)
    tidy = with_budgets(score_cells(found, published, table, about), histories)
    if table.costs and costs:
        tidy = with_costs(tidy, about.rows, costs)
    absent = left_out(table, missing_sets(sets))
    shown = printed_table(tidy, table.decimals)
    if table.costs:
        shown = shown.join(printed_costs(tidy, about.rows))
    average = table.printed_average(shown.columns)
    compared = [average] if table.has_average else table.names
    cheapest = " ".join(cheapest_lines(tidy, compared, about)) if table.costs else ""
    sizes = size_notes(tidy, table, about)
    metrics = ", ".join(dict.fromkeys(column.metric for column in table.columns)).capitalize()
    best = chosen(tidy, table) if table.choose_among else {}
    chosen_in = {"best in": [best.get(number, "") for number in range(len(about.rows))]}
    csv = shown.assign(**chosen_in) if table.choose_among else shown
    plot = partial(scores_plot, tidy, about, metrics + " x100" * (table.factor == 100))
    return spec.report(
        about,
        tidy,
        [*_notes(tidy, table, about, absent, average), *sizes],
        *difference_parts(tidy, table.decimals, about, table.items, table.baseline),
        *choice_parts(tidy, table, about),
        columns=[*table.names, *filter(None, [table.average])],
        published=published,
        shown=shown,
        body="\n\n".join([shown_table(marked_ties(tidy, shown)), *filter(None, [cheapest])]),
        csv=csv,
        common=[*(f"left out: {name} ({path} is missing)" for name, path in absent.items()), *sizes],
        plot=plot,
    )


def _completed(
    about: About, table: ScoreTable, found: pd.DataFrame, sets: Sequence[str], histories: Sequence[str]
) -> About:
    about = about.model_copy(update={"rows": selected_rows(about.rows, found, table)})
    notes = dict.fromkeys(note for path in sets for note in read_status(path).notes)
    not_used = {run_of(log): skipped_and_cut(log) for log in map(read_provenance, histories)}
    return about.model_copy(update={"notes": [*about.notes, *notes, *_training_notes(about, not_used)]})


def skipped_and_cut(log: Mapping) -> list[str]:
    """Say what the pairs of a training skip, and how many texts were cut, from the metadata of its log."""
    status = read_status(log)
    notes = ["; ".join(status.skipped)] * bool(status.skipped)
    if cut := status.counts.get("cut"):
        share, longest = 100 * cut / status.counts["texts"], log["settings"]["recipe"]["max_length"]
        notes.append(f"{share:.1f} % of the training texts are cut after {longest} word pieces")
    return notes


def _training_notes(about: About, not_used: Mapping[str, list[str]]) -> list[str]:
    """Say what runs were not trained on; what several rows have in common is said once."""
    labels: dict[str, list[str]] = {}
    for row in about.rows:
        for text in next((not_used[run] for run in row.runs if not_used.get(run)), []):
            labels.setdefault(text, []).append(row.label)
    return [f"{text}: {', '.join(names)}." for text, names in labels.items()]


def _notes(
    tidy: pd.DataFrame, table: ScoreTable, about: About, absent: Mapping[str, str], average: str
) -> list[str]:
    interval = (
        f"; the plot shows 95 % bootstrap intervals over {table.items}" if len(about.seeds) == 1 else ""
    )
    notes = [f"{seeds_note(about.seeds)}{interval}."]
    if any(column.metric in ("accuracy", "f1") for column in table.columns) and not table.transfer:
        notes.append("Accuracy and F1 at thresholds that dev pairs choose, each its own; F1 of label 1.")
    if table.has_average:
        rounded = "" if table.fine_tuned else " after rounding each to two decimals, as SimCSE's code does"
        notes.append(f"{average}: mean of the columns{rounded}.")
    if table.best_of_seeds:
        notes.append(
            f"{average}{BEST_SEED}: the largest of {len(about.seeds)} seeds, which is selected on the "
            f"printed sets and so too high; {average}{BEST_ON_DEV}: of the seed that is best on the "
            f"{table.dev_column}."
        )
    if table.has_average and average != table.average:
        notes.append(
            f"{average} is over the available columns only: do not compare it with one over all columns."
        )
    if tidy.tied.any():
        notes.append(f"{TIED}: the best of its column, or no significant difference to it (5 %, see below).")
    return [*notes, *(f"{name} is left out: {path} is missing." for name, path in absent.items())]
