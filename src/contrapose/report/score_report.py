"""A table of scores as CSV, Markdown and a plot."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from contrapose.report.about import About
from contrapose.report.budgets import budget_notes, with_budgets
from contrapose.report.cells import BEST_ON_DEV, BEST_SEED, printed_table
from contrapose.report.choice import choice_lines, chosen, spread_table
from contrapose.report.comparison import TIED, difference_parts, marked_ties
from contrapose.report.costs import Costs, cheapest_lines, cost_notes, printed_costs, with_costs
from contrapose.report.files import (
    bullets,
    image,
    last_notes,
    markdown_table,
    page_text,
    papers_numbers,
    row_notes,
    seeds_note,
    shown_table,
    with_notes,
)
from contrapose.report.kinds.base import Printed, Report
from contrapose.report.plots import scores_plot
from contrapose.report.published import printed_rows
from contrapose.report.scores import ScoreTable, left_out, score_cells, selected_rows, size_notes
from contrapose.report.sources import missing_sets
from contrapose.stage import run_of
from contrapose.tables import PUBLISHABLE, SCORES, read_provenance, read_tables


def score_report(
    spec: Printed,
    about: About,
    table: ScoreTable,
    scores: Sequence[str],
    sets: Sequence[str],
    histories: Sequence[str],
    published: pd.DataFrame | None,
    costs: Costs | None = None,
) -> Report:
    """Build a table of scores.

    Parameters
    ----------
    spec : settings of the table
    scores : files of SCORES tables
    sets : files of the BENCHMARK or TRANSFER table
    histories : files of HISTORY tables, of the trainings behind it
    published : the paper's printed table, optional
    costs : where to find the costs of rows, for a table that shows them

    Raises
    ------
    TableError
        A candidate has no score on a dev set, or a run lacks a score that others have.
    """
    found = read_tables(scores, SCORES)
    about = _completed(about, table, found, sets)
    printed = printed_rows(about.name, published, spec.layout)
    tidy = with_budgets(score_cells(found, printed, table, about), histories)
    if table.costs and costs:
        tidy = with_costs(tidy, about.rows, costs)
    absent = left_out(table, missing_sets(sets))
    told = {run_of(log): dropped_and_cut(log) for log in map(read_provenance, histories)}
    text = score_markdown(tidy, printed, table, about, spec.caption, absent, told)

    metrics = ", ".join(dict.fromkeys(column.metric for column in table.columns)).capitalize()
    plot = partial(scores_plot, tidy, about, metrics + " x100" * (table.factor == 100))
    return Report(tidy, PUBLISHABLE, score_csv(tidy, table, about, absent), text, plot)


def _completed(about: About, table: ScoreTable, found: pd.DataFrame, sets: Sequence[str]) -> About:
    """Add what only files contain: the runs of selected settings, and further notes."""
    notes = list(dict.fromkeys(note for path in sets for note in read_provenance(path).get("notes", [])))
    rows = selected_rows(about.rows, found, table)
    return about.model_copy(update={"rows": rows, "notes": [*about.notes, *notes]})


def score_csv(tidy: pd.DataFrame, table: ScoreTable, about: About, absent: Mapping[str, str]) -> pd.DataFrame:
    """Return the printed table with the world as first column and a note at the end of each row.

    `absent` has the expected file of each missing printed name.
    """
    shown = _shown(tidy, table, about)
    common = [f"left out: {name} ({path} is missing)" for name, path in absent.items()]
    common += size_notes(tidy, table, about)
    if table.choose_among:
        best = chosen(tidy, table)
        shown["best in"] = [best.get(number, "") for number in range(len(about.rows))]
    return with_notes(shown, about, ["; ".join(filter(None, [row.note, *common])) for row in about.rows])


def score_markdown(
    tidy: pd.DataFrame,
    printed: Mapping[str, Mapping[str, float]],
    table: ScoreTable,
    about: About,
    caption: str,
    absent: Mapping[str, str],
    told: Mapping[str, list[str]],
) -> str:
    """Write the table for people: what it is, the numbers, what is missing, our deviations.

    The paper's numbers are in a separate table, and left out if the world makes its own text.

    `absent` has the expected file of each missing printed name, `told` what each run was not trained on, see
    `dropped_and_cut`.
    """
    shown = _shown(tidy, table, about)
    notes = _notes(tidy, table, about, absent, list(shown.columns))
    notes += [*budget_notes(shown), *cost_notes(shown), *last_notes(about)]
    marked = marked_ties(tidy, shown)
    average = table.printed_average(shown.columns)
    cheapest = cheapest_lines(tidy, [average] if table.has_average else table.names, about)
    parts = [
        shown_table(marked),
        " ".join(cheapest) if table.costs else "",
        image(about),
        bullets([*notes, *_training_notes(about, told)]),
    ]
    parts += difference_parts(tidy, table.decimals, about, table.items, table.baseline)
    if table.choose_among:
        parts += [
            "## The choice, and how far it can be trusted",
            bullets(choice_lines(tidy, table, about)),
            "Standard deviations over the rows of a group and over the seeds of a row. A choice on test sets "
            "is not one that a user can make.",
            markdown_table(spread_table(tidy, table)),
        ]
    columns = [*table.names, *filter(None, [table.average])]
    theirs = papers_numbers(about, printed, columns, table.decimals)
    return page_text(about, caption, *parts, *theirs)


def _shown(tidy: pd.DataFrame, table: ScoreTable, about: About) -> pd.DataFrame:
    """Return the table as printed, with the costs of rows as last columns."""
    shown = printed_table(tidy, table.decimals)
    return shown.join(printed_costs(tidy, about.rows)) if table.costs else shown


def dropped_and_cut(log: Mapping) -> list[str]:
    """Say which lines and sentences a training left out, and how many texts its maximum length truncated.

    Parameters
    ----------
    log : provenance of a HISTORY table
    """
    told = [log["dropped"]] if log.get("dropped") else []
    if log.get("cut"):
        share, longest = 100 * log["cut"] / log["texts"], log["settings"]["recipe"]["max_length"]
        told.append(f"{share:.1f} % of the training texts are cut after {longest} word pieces")
    return told


def _training_notes(about: About, told: Mapping[str, list[str]]) -> list[str]:
    """Say what runs were not trained on; what several rows have in common is said once."""
    saying: dict[str, list[str]] = {}
    for row in about.rows:
        for text in next((told[run] for run in row.runs if told.get(run)), []):
            saying.setdefault(text, []).append(row.label)
    return [f"{text}: {', '.join(names)}." for text, names in saying.items()]


def _notes(
    tidy: pd.DataFrame, table: ScoreTable, about: About, absent: Mapping[str, str], columns: list[str]
) -> list[str]:
    interval = (
        f"; the plot shows 95 % bootstrap intervals over {table.items}" if len(about.seeds) == 1 else ""
    )
    notes = [f"{seeds_note(about.seeds)}{interval}."]
    average = table.printed_average(columns)
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
    notes += [f"{name} is left out: {path} is missing." for name, path in absent.items()]
    return [*notes, *size_notes(tidy, table, about), *row_notes(about.rows)]
