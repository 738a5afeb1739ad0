"""Base classes of the kinds of tables and figures: settings, and what planning needs to know about each.

A kind is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and `build`,
which returns a `Report` or, for a figure, a `Drawing`.  Only the YAML that uses a kind names it.

Every `build` gets its settings as `spec`, and facts about the table or figure as `about`.  `published` is
the paper's printed table, if there is one; a row that names none of its rows raises a ConfigError.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

import pandas as pd
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WrapSerializer

from contrapose.errors import ConfigError, unknown
from contrapose.ids import named
from contrapose.report.about import About, row_label
from contrapose.report.plots import Files
from contrapose.report.published import read_published
from contrapose.settings.rows import IdentifiedSource, PrintedLayout, Row, TaskMetric
from contrapose.settings.spec import Spec
from contrapose.steps import Paths, planned
from contrapose.tables import Table
from contrapose.tasks import TASKS, Suite, Task

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study

Published = Annotated[pd.DataFrame | None, read_published]  # the paper's printed table


class Report(NamedTuple):
    """A table, and the texts that show it."""

    tidy: pd.DataFrame
    schema: Table
    csv: pd.DataFrame
    markdown: str
    plot: Callable[[Files], None] | None = None  # draws a PNG file; of kinds that are `plotted`


class Drawing(NamedTuple):
    """A figure, and how it is drawn."""

    tidy: pd.DataFrame
    schema: Table
    draw: Callable[[Files], None]  # PDF, PNG and SVG files


class Shown:
    """What a kind of tables or figures provides beside its settings, for planning only."""

    if TYPE_CHECKING:
        kind: str

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        """Return the files for the parameters of `build`, for the table or figure of this name."""
        raise NotImplementedError

    @planned
    def about(self, project: "Project", name: str) -> About:
        """Return what `build` needs beside its settings."""
        return About(**project.reports.about(name))

    @planned
    def encoder_rows(self, project: "Project", name: str) -> Sequence[Row]:
        """Return the rows of a table that are encoders."""
        return []

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        """Raise a ConfigError if settings do not fit others of the study."""

    @planned
    def questions(self, project: "Project") -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of the paraphrases that are requested only for this table."""
        return []


class Printed(Spec, Shown):
    """What all tables have in common."""

    caption: str
    published: str | None = Field(
        None,
        description="CSV file under the study's published/ with the paper's numbers, whose row names claims "
        "then use",
    )
    layout: PrintedLayout = PrintedLayout()

    plotted: ClassVar[bool] = False  # there is a PNG file beside the table

    @planned
    def suites(self, project: "Project", name: str, group: str | None = None) -> list[Suite]:
        """Return the suites of evaluation sets of a table, or those of the rows of one group."""
        return []

    @planned
    def stand_ins(self, project: "Project", name: str) -> list[str]:
        """Name the models behind the table that are not what their names say."""
        return project.notes.stand_ins(self.encoder_rows(project, name))


class OfEncoders:
    """Mixin for tables whose rows are encoders; comes before `Printed` in the bases."""

    if TYPE_CHECKING:
        rows: Sequence[Row]
    says_training: ClassVar[bool] = False  # the notes say what the rows are trained on

    @planned
    def encoder_rows(self, project: "Project", name: str) -> Sequence[Row]:
        """Every row."""
        return self.rows

    @planned
    def about(self, project: "Project", name: str) -> About:
        """The encoders of the rows."""
        notes = project.reports.row_notes(name) if self.says_training else []
        return About(**project.reports.about(name, notes), rows=project.reports.table_rows(name))


class OfIdentified:
    """Mixin for kinds that show the texts of identified pairs; comes before the other base."""

    if TYPE_CHECKING:
        sources: Sequence[IdentifiedSource]

    @planned
    def about(self, project: "Project", name: str) -> About:
        """What was judged, by which encoders, and who wrote it."""
        notes = [*project.notes.judges(self.sources), *project.notes.words_of_judged(self.sources)]
        sources = [project.reports.judged(source.name, source, before="") for source in self.sources]
        return About(**project.reports.about(name, notes), sources=sources)


class Drawn(Spec, Shown):
    """What all figures have in common."""

    caption: str


def without_choices(rows: Sequence[Row]) -> Sequence[Row]:
    """Refuse rows whose settings are chosen: only tables of scores have dev sets to choose on."""
    if any(row.grid or row.choices for row in rows):
        raise ValueError(
            "settings are chosen in a table of kind sts or fine_tuned; give the settings themselves"
        )
    return rows


def _of_rows(label: str | None, info: ValidationInfo) -> str | None:
    """Refuse a baseline that is not one of the rows; `rows` precedes it in the class."""
    rows = info.data.get("rows", [])
    known = {name for row in rows for name in (row.model, row_label(row.group, row.model))}
    if label is not None and rows and label not in known:
        raise ValueError(str(unknown("rows", label, known)))
    return label


Baseline = Annotated[
    str | None,
    AfterValidator(_of_rows),
    Field(
        description="Row that others are compared with: `model`, in each group that has it, or for all rows "
        "if only one group has it; or `group: model`. null: the first row of each group, or of "
        "the table where no group has two rows"
    ),
]

PlainRows = Annotated[list[Row], Field(min_length=1), AfterValidator(without_choices)]


def _items(value: object) -> object:
    return dict(value) if isinstance(value, list) else value


def _listed(value: dict[str, Any], dump: Callable[[dict[str, Any]], dict[str, Any]]) -> list[list[Any]]:
    return [[key, each] for key, each in dump(value).items()]


# A map whose order matters, such as columns or panels: in the settings of a job it is a list, because their
# canonical text sorts the keys of a map.
T = TypeVar("T")
Ordered = Annotated[dict[str, T], BeforeValidator(_items), WrapSerializer(_listed, when_used="json")]


def _spelled_out(column: object) -> object:
    """Replace a task's name by the column of its Spearman correlations."""
    return {"task": column} if isinstance(column, str) else column


Scored = Annotated[TaskMetric, BeforeValidator(_spelled_out, json_schema_input_type=Task | TaskMetric)]


def suite_of(columns: Sequence[TaskMetric]) -> Suite:
    """Return the suite of the tasks of some columns; raise a ValueError if there are several."""
    suites = {TASKS[column.task].suite for column in columns}
    if len(suites) > 1:
        raise ValueError("columns of several suites; an encoder is scored on one at a time")
    return suites.pop()


@planned
def check_shown(study: "Study", name: str, table: str, kinds: tuple[str, ...]) -> None:
    """Raise a ConfigError unless a figure shows a table of the study of one of some kinds."""
    kind = named(study.tables, table, f"{name}.of: tables of the study").kind
    if kind not in kinds:
        wanted = (
            f"tables of kind {', '.join(kinds[:-1])} or {kinds[-1]}"
            if kinds[1:]
            else f"a table of kind {kinds[0]}"
        )
        raise ConfigError(f"{name}.of: '{table}' is of kind {kind}. Name {wanted}.")
