"""A table of scores of encoders that are fine-tuned on each of some tasks on sentence pairs."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.tasks import FINE_TUNED_SUITES, Suite, one_suite
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.kinds.fields import Ordered, Scored
from contrapose.report.kinds.sts import ComparedRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import scored_sets, table_rows, training_notes
from contrapose.report.printed_cells import Decimals
from contrapose.report.row_settings import Row, TaskMetric
from contrapose.report.score_report import score_report
from contrapose.report.scores import FRACTION_DECIMALS, ScoreColumn
from contrapose.retrieve.suites import has_task
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Ref


class FineTunedTable(ComparedRows):
    """The table shows the scores of encoders that are fine-tuned on tasks on sentence pairs, as fractions
    of 1.
    """

    kind: Literal["fine_tuned"]
    columns: Ordered[Ordered[Scored]] = Field(
        min_length=1,
        description="Each entry maps a printed name to a task for each group of rows, perhaps with a "
        "metric. The tasks of a group belong to one suite.",
    )
    fine_tuning: Annotated[str, Ref("fine_tunings")] = Field(
        description="This names an entry under `fine_tunings`."
    )
    split: Literal["dev", "test"] = Field("test", description="The scores are those of this split.")
    average: str | None = Field(
        "Avg.", description="The mean of the columns has this name. With null, there is no mean."
    )
    rows: list[Row] = Field(
        min_length=1,
        description="Each entry is a row of the table. The mean on the dev sets selects among the "
        "settings of grids and choices.",
    )

    decimals: ClassVar[Decimals] = FRACTION_DECIMALS

    @model_validator(mode="after")
    def _fits_together(self) -> "FineTunedTable":
        for group in {row.group for row in self.rows}:
            lacking = [name for name, of_groups in self.columns.items() if group not in of_groups]
            if lacking:
                raise ValueError(
                    f"columns.{lacking[0]} has no task for the methods of group '{group}'. Add one"
                )
            if self.suite_of(group) not in FINE_TUNED_SUITES:
                wanted = ", ".join(FINE_TUNED_SUITES)
                raise ValueError(
                    f"group '{group}' has no task that encoders can be fine-tuned on, among {wanted}. Add one"
                )
        if any(row.pooling != "auto" for row in self.rows):
            raise ValueError("a fine-tuned encoder always reads [CLS] with a new layer. Remove pooling")
        return self

    def tasks_of(self, group: str) -> dict[str, TaskMetric]:
        return {name: of_groups[group] for name, of_groups in self.columns.items()}

    def suite_of(self, group: str) -> Suite:
        return one_suite(column.task for column in self.tasks_of(group).values())

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        groups = dict.fromkeys(row.group for row in self.rows) if group is None else [group]
        return list(dict.fromkeys(self.suite_of(each) for each in groups))

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        for row in self.rows:
            if row.encoder is not None:
                project.entry("trainable_encoders", row.encoder)

    def about(self, project: Plan, name: str) -> About:
        tasks = [each.task for of_groups in self.columns.values() for each in of_groups.values()]
        absent = [task for task in tasks if not has_task(project, task)]
        notes = [f"Skipped: {', '.join(absent)}, because the catalog has no such sets."] if absent else []
        notes = [*training_notes(project, name), *notes]
        return About.planned(project, name, notes, rows=table_rows(project, name, fine_tuned=True))

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        scores = dict.fromkeys(
            project.paths.evaluated(f"fine_tuned/{self.fine_tuning}/{column.task}", run)
            for row in about.rows
            for column in self.tasks_of(row.group).values()
            if has_task(project, column.task)
            for run in row.every_run
        )
        return {"scores": list(scores), "sets": scored_sets(project, about.name)}


def build(spec: FineTunedTable, about: About, scores: list[str], sets: list[str]) -> Report:
    """Arrange scores as fractions: see `score_report`."""
    columns, form = _columns(spec), "raw"
    return score_report(spec, about, columns, scores, sets, form=form, fine_tuned=True)


def _columns(spec: FineTunedTable) -> list[ScoreColumn]:
    return [
        ScoreColumn(name, each.task, each.metric, group)
        for name, of_groups in spec.columns.items()
        for group, each in of_groups.items()
    ]
