"""The page of a table of scores, as CSV, Markdown and a plot."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import pandas as pd

from contrapose.jobs.status import read_status, with_status
from contrapose.report.about import About
from contrapose.report.choice import choice
from contrapose.report.comparison import (
    SECOND,
    difference_sections,
    legend,
    marked_ties,
    rank_note,
    summary,
    summary_parts,
)
from contrapose.report.files import shown_table
from contrapose.report.forgetting import forgetting
from contrapose.report.headers import COMPARISON, COST, SCORE
from contrapose.report.kinds.base import Report, TableSettings
from contrapose.report.row_costs import Costs, printed_costs
from contrapose.report.score_notes import score_notes
from contrapose.report.scored_cells import ScoredCells, scored_cells
from contrapose.report.scores import ScoreColumn, ScoreTable, size_notes
from contrapose.report.table_plots import scores_plot
from contrapose.report.verdict import Answer, verdict


def score_report(
    spec: TableSettings,
    about: About,
    columns: Sequence[ScoreColumn],
    scores: Sequence[str],
    sets: Sequence[str],
    costs: Costs | None = None,
    answer: Answer | None = None,
    **fixed: Any,
) -> Report:
    """Build a table of scores from files: `scores`, sets or transfer tasks, and the logs of trainings.

    Fields of its ScoreTable are settings of the same name, or `fixed`.  `answer` replaces the recommendation,
    from cells and the name of the column that decides.  Raises TableError if a run lacks a score.
    """
    of_spec = {
        field.name: getattr(spec, field.name) for field in fields(ScoreTable) if hasattr(spec, field.name)
    }
    table = ScoreTable(**{**of_spec, **fixed, "columns": columns})
    scored = scored_cells(about, table, scores, sets, costs)
    about, tidy = scored.about, scored.tidy
    said = verdict(tidy, table, about, answer)
    shown = spec.printed_parts(tidy[tidy.variant != SECOND])
    costs_of_rows = printed_costs(tidy, about.rows) if table.costs else pd.DataFrame(index=shown.index)
    shown = shown.join(pd.concat({COST: costs_of_rows}, axis=1))
    body, sections = _arranged(scored, marked_ties(tidy, shown), table, said.decides)
    means = legend(tidy, about, table.items, table.margin, shown)
    forgotten = [forgetting(tidy, about, said.decides, column, table.decimals) for column in table.general]
    sizes = size_notes(tidy, table, about)
    best, on_choice = choice(tidy, table, about)
    return spec.report(
        about,
        with_status(tidy, facts=said.facts),
        score_notes(scored, table, sizes, said.decides),
        *sections,
        *on_choice,
        columns=[*table.names, *filter(None, [table.average])],
        shown=shown,
        body="\n\n".join(filter(None, [said.text, body, means, *forgotten])),
        csv=shown.join(pd.concat({COMPARISON: best}, axis=1)),
        first=test_origins(columns, sets),
        common=[*(f"left out: {name} ({path} is missing)" for name, path in scored.missing.items()), *sizes],
        plot=partial(scores_plot, tidy, about, table.measure),
    )


def test_origins(columns: Sequence[ScoreColumn], sets: Sequence[str]) -> str:
    """Return how one's own test pairs came about, a sentence for each column of them; empty without any."""
    facts = {task: origin for path in sets for task, origin in read_status(path).facts.items()}
    return " ".join(f"{column.name}: {facts[column.task]}." for column in columns if column.task in facts)


def _arranged(
    scored: ScoredCells, shown: pd.DataFrame, table: ScoreTable, decides: str
) -> tuple[str, list[str]]:
    """Return a table as printed, and the sections after the notes: of one with costs a summary comes first.

    `decides` is the column that rows are compared by there.
    """
    tidy = scored.tidy
    sections = difference_sections(tidy, table.decimals)
    if not table.costs:
        not_general = ~tidy.column.isin(list(table.general))
        return shown_table(shown), [*sections, rank_note(tidy[tidy.seed.isna() & not_general])]
    scores = [name for name in dict.fromkeys(tidy.column) if (SCORE, name) in shown]
    first = summary(tidy, shown, scores, decides, table.decimals)
    if not scores[1:]:
        alone = {(SCORE, scores[0]): (SCORE, table.measure)}
        first.columns = pd.MultiIndex.from_tuples([alone.get(key, key) for key in first.columns])
        sections = []
    body, took = summary_parts(first, shown, scored.about)
    return body, [*sections, *took]
