"""A table of correlations of encoders on evaluation sets, or of accuracy and F1 on those with labels."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import unknown
from contrapose.base.tasks import FINE_TUNED_SUITES, TASKS, Suite
from contrapose.jobs.step import InputFiles, planned
from contrapose.report.about import About
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import Baselines, FormChoice, Margin, Ordered, PlainRows, Scored
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.overlap_notes import overlap_notes, selection_note
from contrapose.report.planned_notes import poolings, translator
from contrapose.report.planned_rows import (
    available_suites,
    score_files,
    scored_sets,
    table_rows,
    training_notes,
)
from contrapose.report.row_costs import Costs
from contrapose.report.row_runs import with_poolings
from contrapose.report.row_settings import Row, TaskMetric
from contrapose.report.score_report import score_report
from contrapose.report.scored_cells import FurtherNotes
from contrapose.report.scores import ScoreColumn
from contrapose.report.training_files import training_files
from contrapose.settings.plan import Plan


class ComparedRows(EncoderRows, TableSettings):
    """What tables have in common whose rows have one kind of score and are compared with a baseline."""

    rows: PlainRows = Field(description="Each entry is a row of the table: an encoder, trained or not.")
    baseline: Baselines
    margin: Margin = None

    says_training: ClassVar[bool] = True
    plotted: ClassVar[bool] = True


class ScoredRows(EncoderRows, TableSettings):
    """What all tables of scores on evaluation sets have in common."""

    columns: Ordered[Scored] = Field(
        min_length=1, description="Each entry maps a printed name to a task, perhaps with a metric."
    )
    general: Ordered[Scored] = Field(
        {},
        description="These further columns show what the encoder could do before training. They are in "
        "no average. The page warns of methods that improve on the other columns and get worse "
        "on these.",
    )
    form: FormChoice = "senteval"
    average: str | None = Field(
        "Avg.",
        description="The mean of the columns has this name, if there are several. With null, there is "
        "no mean.",
    )
    margin: Margin = None

    @model_validator(mode="after")
    def _columns_apart(self) -> "ScoredRows":
        if {TASKS[each.task].suite for each in self.scored.values()} & {*FINE_TUNED_SUITES}:
            raise ValueError("encoders are fine-tuned on these tasks. Use a table of kind fine_tuned")
        if both := [name for name in self.general if name in self.columns]:
            raise ValueError(f"'{both[0]}' is in both columns and general. Give one of them another name")
        return self

    @property
    def scored(self) -> dict[str, TaskMetric]:
        return {**self.columns, **self.general}

    @property
    def score_columns(self) -> list[ScoreColumn]:
        return [ScoreColumn(name, each.task, each.metric) for name, each in self.scored.items()]

    def encoder_rows(self, project: Plan, name: str) -> Sequence[Row]:
        return with_poolings(project, self.rows)

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        return list(dict.fromkeys(TASKS[each.task].suite for each in self.scored.values()))

    def about(self, project: Plan, name: str) -> About:
        notes = [*training_notes(project, name), *poolings(project, self.encoder_rows(project, name))]
        if "translated" in available_suites(project, name):
            notes += translator(project)
        return About.planned(project, name, notes, rows=table_rows(project, name))

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        suites = available_suites(project, about.name)
        scores = [file for suite in suites for file in score_files(project, about, suite)]
        return {"scores": scores, "sets": scored_sets(project, about.name)}


class STSTable(ScoredRows):
    """The table shows the correlations of encoders on evaluation sets, or accuracy and F1 on sets with
    labels.
    """

    kind: Literal["sts"]
    split: Literal["dev", "test"] = Field("test", description="The scores are those of this split.")
    best_of_seeds: bool = Field(
        False,
        description="If true, the table also shows two single seeds of each method: the one with the "
        "best average, and the one that is best on dev.",
    )
    choose_among: list[str] = Field(
        [],
        description="Each entry is a group of rows, such as several random samples. The table adds two "
        "rows for each group: the one that is best on STS-B dev, and the one with the best average on "
        "the test sets. It also shows the spread of the group.",
    )
    rows: list[Row] = Field(
        min_length=1, description="Each entry is a row of the table: an encoder, trained or not."
    )
    baseline: Baselines
    costs: bool = Field(
        False,
        description="If true, the table is a comparison: it shows differences, ranks and compute next to "
        "the scores, and the costs of each method below. It recommends the cheapest method that is as "
        "good as the highest one.",
    )

    plotted: ClassVar[bool] = True

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {**super().inputs(project, about), **training_files(project, about.name)}

    @property
    @planned
    def reads_dev(self) -> bool:
        """Whether the table has scores of dev pairs, or selects rows, seeds or settings by them."""
        selects = self.best_of_seeds or self.choose_among or any(row.choices for row in self.rows)
        return self.split == "dev" or bool(selects)

    def tested(self, project: Plan) -> list[tuple[str, str, str]]:
        scored = self.scored.items() if self.split == "test" else ()
        return [(column, each.task, self.form) for column, each in scored]

    @model_validator(mode="after")
    def _fits_together(self) -> "STSTable":
        if self.average is None and (self.best_of_seeds or self.choose_among):
            raise ValueError(
                "average is null, but best_of_seeds and choose_among compare averages. Give average a name"
            )
        for group in self.choose_among:
            if group not in {row.group for row in self.rows}:
                raise ValueError(str(unknown("groups of the rows", group, {row.group for row in self.rows})))
        return self


def build(
    spec: STSTable,
    about: About,
    scores: list[str],
    sets: list[str],
    costs: Costs,
    sentences: Sequence[str] = (),
    triplets: Sequence[str] = (),
    dev: Sequence[str] = (),
) -> Report:
    """Arrange scores x100, see `score_report`, with what test pairs share with what rows are trained on."""
    trained = {"sentences": sentences, "triplets": triplets, "dev": dev}
    shared = overlap_notes(spec.score_columns, spec.form, sets, trained) if spec.split == "test" else []
    selected = selection_note(spec.score_columns, shared)
    further = FurtherNotes(shared, selected)
    return score_report(spec, about, spec.score_columns, scores, sets, costs, further=further)
