"""A table of the settings that the runs behind another table were trained with, read from their logs."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError, TableError, unknown
from contrapose.base.tasks import Suite
from contrapose.jobs.stage import run_of
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.cells import RowCells, cell_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import Ordered
from contrapose.report.output import Report
from contrapose.report.planned_rows import table_rows
from contrapose.report.printed_cells import Decimals
from contrapose.report.row_runs import trainings
from contrapose.report.row_settings import OF_PAIRS, Row
from contrapose.report.scores import ScoreTable, selected_rows
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec, TextForm
from contrapose.tables import SCORES, read_provenance, read_tables
from contrapose.train.recipe import Recipe


class SettingsRow(Spec):
    """A row stands for a row of the other table."""

    group: str = Field("", description="Rows with the same group stand under one heading.")
    model: str = Field(description="This is the label of the row.")
    published: str | None = Field(
        None,
        description="This is the label that the paper's table has for the same row. Its printed "
        "numbers then stand next to this row. Leave it null if the paper has no such row.",
    )


class SettingsTable(TableSettings):
    """The table shows the settings with which the runs of another table were trained."""

    kind: Literal["settings"]
    of: str = Field(description="The settings are those of the rows of this table of the same study.")
    columns: Ordered[str] = Field(
        min_length=1,
        description="Each entry maps a printed name to a setting of a recipe, or of a pair set, such as "
        "`pairs.temperature`.",
    )
    rows: list[SettingsRow] = Field(min_length=1, description="Each entry is a row of the table.")

    papers: ClassVar[str] = "settings"
    decimals: ClassVar[Decimals] = None
    missing: ClassVar[str] = "–"
    reads_logs: ClassVar[bool] = True

    @model_validator(mode="after")
    def _known_settings(self) -> "SettingsTable":
        for name in self.columns.values():
            if not name.startswith(OF_PAIRS) and name not in Recipe.model_fields:
                raise ValueError(str(unknown("the list of settings of a recipe", name, Recipe.model_fields)))
        return self

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        of = named(tables, self.of, f"{name}.of: the list of tables of the study")
        if of.kind != "sts":
            raise ConfigError(f"{name}.of: '{self.of}' is of kind {of.kind}. Name a table of kind sts.")
        known = {
            f"{row.group}: {row.model}": None
            for row in of.encoder_rows(project, self.of)
            if row.recipe is not None and project.entry("recipes", row.recipe).kind == "contrastive"
        }
        for row in self.rows:
            named(known, f"{row.group}: {row.model}", f"{name}: the list of trained methods of {self.of}")

    def _of(self, project: Plan, name: str) -> Any:
        return project.shown(name).study.tables[self.of]

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        return self._of(project, name).suites(project, name, group)

    def encoder_rows(self, project: Plan, name: str) -> list[Row]:
        known = {(row.group, row.model): row for row in self._of(project, name).encoder_rows(project, name)}
        return [
            known[row.group, row.model].model_copy(update={"published": row.published}) for row in self.rows
        ]

    def about(self, project: Plan, name: str) -> "SettingsAbout":
        shown = [each.removeprefix(OF_PAIRS) for each in self.columns.values() if OF_PAIRS in each]
        pairs: dict[str, dict[str, Any]] = {}
        for run in (run for row in self.encoder_rows(project, name) for run in trainings(project, row)):
            settings = dict(project.pairs(run.pairs)) if shown else {}
            pairs[run.id] = {key: named(settings, key, f"settings of {run.pairs}") for key in shown}
        return SettingsAbout.planned(
            project,
            name,
            rows=table_rows(project, name),
            form=self._of(project, name).form,
            pairs=pairs if shown else {},
        )

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        tried = (candidate for row in about.rows for candidate in row.candidates)
        candidates = dict.fromkeys(run for candidate in tried for run in candidate.runs)
        suites = self.suites(project, about.name)
        return {"scores": [project.paths.evaluated(suite, run) for suite in suites for run in candidates]}


class SettingsAbout(About):
    """Facts about a table of settings."""

    form: TextForm = Field(description="Of the benchmarks whose scores select settings")
    pairs: dict[str, dict[str, int | float | str | None]] = Field(
        description="Of each run: settings of its pair set, as far as columns show them"
    )


def build(spec: SettingsTable, about: SettingsAbout, scores: list[str]) -> Report:
    """Arrange the settings of runs as the cells of a table.

    The logs are of all runs and candidates, `scores` of the candidates.  `n` counts the runs.  A value is
    missing if a setting is null, which leaves it to the encoder, and in a row without runs.  Raises
    TableError if the runs of a row differ in a setting, or a setting is not a number.
    """
    rows = selected_rows(about.rows, read_tables(scores, SCORES), ScoreTable([], form=about.form))
    recipes = {run_of(log): log["settings"]["recipe"] for log in map(read_provenance, about.histories)}
    cells = [
        RowCells(
            row.model,
            {
                column: {"value": _setting(setting, row.runs, recipes, about), "n": len(row.runs)}
                for column, setting in spec.columns.items()
            },
            row.group,
            row.published,
        )
        for row in rows
    ]
    notes = [f"Read from the logs of the trainings (seeds {', '.join(map(str, about.seeds))})."]
    notes += [f"{row.group}: {row.model}: {row.note}" for row in rows if row.note]
    tidy, row_notes = cell_table(about, cells), [row.note for row in rows]
    return spec.report(about, tidy, notes, row_notes=row_notes)


def _setting(name: str, runs: list[str], recipes: dict, about: SettingsAbout) -> float | None:
    if name.startswith(OF_PAIRS):
        values = {about.pairs[run][name.removeprefix(OF_PAIRS)] for run in runs} or {None}
    else:
        values = {recipes[run].get(name) for run in runs} or {None}
    if len(values) > 1:
        raise TableError(f"{runs[0]} and its other seeds differ in {name}: {values}. Train them again.")
    (value,) = values
    if value is not None and not isinstance(value, int | float):
        raise TableError(
            f"{runs[0]}: {name} is '{value}', but a number is expected. Remove this column from the table."
        )
    return value
