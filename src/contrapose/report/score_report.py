"""The page of a table of scores, as CSV, Markdown and a plot."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import pandas as pd

from contrapose.jobs.status import read_status, with_status
from contrapose.report.about import About
from contrapose.report.choice import choice
from contrapose.report.comparison_text import legend
from contrapose.report.forgetting import forgetting
from contrapose.report.headers import COMPARISON
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.recommendation import MEASURE, ORIGINS
from contrapose.report.row_costs import Costs
from contrapose.report.score_body import score_body
from contrapose.report.score_notes import score_notes
from contrapose.report.scored_cells import NO_NOTES, FurtherNotes, scored_cells
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
    further: FurtherNotes = NO_NOTES,
    **fixed: Any,
) -> Report:
    """Build a table of scores from files: `scores`, sets or transfer tasks, and the logs of trainings.

    Fields of its ScoreTable are settings of the same name, or `fixed`.  `answer` replaces the recommendation,
    from cells and the name of the column that decides.  `further` are notes of the kind.  Raises TableError
    if a run lacks a score.
    """
    of_spec = {
        field.name: getattr(spec, field.name) for field in fields(ScoreTable) if hasattr(spec, field.name)
    }
    table = ScoreTable(**{**of_spec, **fixed, "columns": columns})
    scored = scored_cells(about, table, scores, sets, costs, further)
    about, tidy = scored.about, scored.tidy
    said = verdict(tidy, table, about, answer)
    shown, body, sections = score_body(spec, scored, table, said.decides)
    means = legend(tidy, about, table.items, table.margin, shown)
    forgotten = [forgetting(tidy, about, said.decides, column, table.decimals) for column in table.general]
    sizes = size_notes(tidy, table, about)
    best, on_choice = choice(tidy, table, about)
    origins = test_origins(columns, sets)
    facts = {**said.facts, MEASURE: table.measured, **({ORIGINS: origins} if origins else {})}
    return spec.report(
        about,
        with_status(tidy, facts=facts),
        score_notes(scored, table, sizes, said.decides),
        *sections,
        *on_choice,
        columns=[*table.names, *filter(None, [table.average])],
        shown=shown,
        body="\n\n".join(filter(None, [said.text, body, means, *forgotten])),
        csv=shown.join(pd.concat({COMPARISON: best}, axis=1)),
        first=origins,
        common=[*(f"skipped: {name} ({path} is missing)" for name, path in scored.missing.items()), *sizes],
        plot=partial(scores_plot, tidy, about, table.measure),
    )


def test_origins(columns: Sequence[ScoreColumn], sets: Sequence[str]) -> str:
    """Return how one's own test pairs came about, a sentence for each column of them; empty without any."""
    facts = {task: origin for path in sets for task, origin in read_status(path).facts.items()}
    return " ".join(f"{column.name}: {facts[column.task]}." for column in columns if column.task in facts)
