"""Base classes of the kinds of tables and figures: settings, and what planning needs to know about each.

A kind is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and `build`,
which returns a `Report` or, for a figure, a `Drawing`.  Only the YAML that uses a kind names it.

Every `build` gets its settings as `spec`, and facts about the table or figure as `about`.  `published` holds
the paper's printed rows, if there are any; a row that names none of them raises a ConfigError.  The method
`report` of the settings writes what `build` of a table returns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

import pandas as pd
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WrapSerializer

from contrapose.errors import ConfigError, unknown
from contrapose.ids import named
from contrapose.markdown import bullets
from contrapose.report.about import About, Source, TableRow, row_label
from contrapose.report.budgets import column_notes
from contrapose.report.cells import printed_table
from contrapose.report.files import (
    image,
    last_notes,
    page_text,
    papers_section,
    row_notes,
    shown_table,
    with_notes,
    write_csv,
    write_text,
)
from contrapose.report.plots import Files
from contrapose.report.published import Decimals, PaperRows, printed_rows, published_table, read_published
from contrapose.settings.rows import DetectionSource, PrintedLayout, Row, TaskMetric
from contrapose.settings.spec import Spec, TextForm
from contrapose.stage import input_files
from contrapose.steps import FromJob, Paths, planned
from contrapose.tables import PUBLISHABLE, Table, write_table
from contrapose.tasks import TASKS, Suite, Task

if TYPE_CHECKING:
    from contrapose.project import Project
    from contrapose.project.documents import Study


def _printed(spec: "Printed", job: Any) -> PaperRows:
    return printed_rows(job.wildcards.table, read_published(input_files(job, "published")), spec.layout)


Published = Annotated[PaperRows, FromJob(_printed)]  # of the paper's table; empty if it prints none


class Report(NamedTuple):
    """A table, and the texts that show it."""

    tidy: pd.DataFrame
    schema: Table
    csv: pd.DataFrame
    markdown: str
    plot: Callable[[Files], None] | None = None  # draws a PNG file; of kinds that are `plotted`

    def write(self, output: Any, made_by: Mapping[str, object]) -> None:
        if self.plot:
            self.plot([output.plot])
        write_text(self.markdown, output.markdown)
        write_table(self.tidy, output.parquet, self.schema, made_by)
        write_csv(self.csv, output.csv)


class Drawing(NamedTuple):
    """A figure, and how it is drawn."""

    tidy: pd.DataFrame
    schema: Table
    draw: Callable[[Files], None]  # PDF, PNG and SVG files

    def write(self, output: Any, made_by: Mapping[str, object]) -> None:
        self.draw([output.pdf, output.png, output.svg])
        write_table(self.tidy, output.parquet, self.schema, made_by)


class Shown:
    """What a kind of tables or figures provides beside its settings, for planning only."""

    if TYPE_CHECKING:
        kind: str

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        """Return the files for the parameters of `build`, but `published` and the `histories` of rows."""
        return {}

    @planned
    def about(self, project: "Project", name: str) -> About:
        """Return what `build` needs beside its settings."""
        return About(**project.reports.about(name))

    @planned
    def encoder_rows(self, project: "Project", name: str) -> Sequence[Row]:
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
    plot_after_table: ClassVar[bool] = True  # False: `build` puts it somewhere else on the page
    papers: ClassVar[str] = "numbers"  # what the paper prints; anything else holds in every world
    decimals: ClassVar[Decimals] = 2
    intervals: ClassVar[bool] = False  # shown in brackets
    labelled: ClassVar[bool] = False  # a label names a row, not group and model

    @planned
    def suites(self, project: "Project", name: str, group: str | None = None) -> list[Suite]:
        """Return the suites of evaluation sets of a table, or those of the rows of one group."""
        return []

    @planned
    def stand_ins(self, project: "Project", name: str) -> list[str]:
        """Name the models behind the table that are not what their names say."""
        return project.notes.stand_ins(self.encoder_rows(project, name))

    def printed(self, tidy: pd.DataFrame) -> pd.DataFrame:
        return printed_table(tidy, self.decimals, self.intervals, self.labelled)

    def report(
        self,
        about: About,
        tidy: pd.DataFrame,
        notes: Iterable[str] = (),
        *parts: str,
        columns: Iterable[str] = (),
        published: PaperRows | None = None,
        shown: pd.DataFrame | None = None,
        body: str = "",
        csv: pd.DataFrame | None = None,
        rows: Sequence[TableRow] | Sequence[Source] | None = None,
        common: Sequence[str] = (),
        told: Sequence[str] | str | None = None,
        schema: Table = PUBLISHABLE,
        plot: Callable[[Files], None] | None = None,
    ) -> Report:
        """Write a table as CSV and as a Markdown page.

        Parameters
        ----------
        notes : below the table, before those of its `rows` and of every table
        parts : Markdown after the notes, before the section with the paper's numbers
        columns : printed ones, of ours and of the paper; by default every column of ours
        shown, body, csv : the printed table, and what page and CSV file show instead of it
        rows : whose notes are shown, by default the encoders; none if `told` says
        common, told : what every line of the CSV file ends in after the note of its row, or instead of it
        """
        names, last = list(columns), last_notes(about) if self.papers == "numbers" else about.notes
        if shown is None:
            shown = self.printed(tidy[tidy.column.isin(names)] if names else tidy)
        if rows is None:
            rows = about.rows if told is None else ()
        lines = [*notes, *row_notes(rows), *column_notes(shown), *last]
        plotted = image(about) if self.plotted and self.plot_after_table else ""
        theirs = papers_section(about, self.papers, published_table(published, tidy, names, self.decimals))
        page = [body or shown_table(shown), plotted, bullets(lines), *parts, *theirs]
        if told is None:
            told = ["; ".join(filter(None, [row.note, *common])) for row in rows]
        table = with_notes(shown if csv is None else csv, about, told)
        return Report(tidy, schema, table, page_text(about, self.caption, *page), plot)


class OfEncoders:
    """Mixin for tables whose rows are encoders; comes before `Printed` in the bases."""

    if TYPE_CHECKING:
        rows: Sequence[Row]
    says_training: ClassVar[bool] = False  # the notes say what the rows are trained on

    @planned
    def encoder_rows(self, project: "Project", name: str) -> Sequence[Row]:
        return self.rows

    @planned
    def about(self, project: "Project", name: str) -> About:
        notes = project.reports.row_notes(name) if self.says_training else []
        return About(**project.reports.about(name, notes), rows=project.reports.table_rows(name))


class OfDetections:
    """Mixin for kinds that show the texts of pairs with detection scores; comes before the other base."""

    if TYPE_CHECKING:
        sources: Sequence[DetectionSource]

    @planned
    def about(self, project: "Project", name: str) -> About:
        notes = [*project.notes.detectors(self.sources), *project.notes.words_of_detected(self.sources)]
        sources = [
            project.reports.detection_source(source.name, source, before="") for source in self.sources
        ]
        return About(**project.reports.about(name, notes), sources=sources)


class Drawn(Spec, Shown):
    """What all figures have in common."""

    caption: str

    def drawing(
        self, about: About, schema: Table, points: pd.DataFrame, draw: Callable[..., None], *more: object
    ) -> Drawing:
        """Return a figure of points, which `draw` gets with `about`, `more` and the files to write."""
        tidy = points.assign(figure=about.name, world=about.world)[schema.columns]
        return Drawing(tidy, schema, partial(draw, tidy, about, *more))


class OfTables:
    """Mixin for figures of the rows of one or several tables of the study; comes before `Drawn`."""

    if TYPE_CHECKING:
        of: Any
    shows: ClassVar[tuple[str, ...]]  # kinds of tables

    @planned
    def tables(self) -> list[str]:
        return [self.of] if isinstance(self.of, str) else self.of

    @planned
    def check_in(self, study: "Study", name: str, project: "Project") -> None:
        *others, last = self.shows
        wanted = f"tables of kind {', '.join(others)} or {last}" if others else f"a table of kind {last}"
        for table in self.tables():
            kind = named(study.tables, table, f"{name}.of: tables of the study").kind
            if kind not in self.shows:
                raise ConfigError(f"{name}.of: '{table}' is of kind {kind}. Name {wanted}.")

    @planned
    def inputs(self, project: "Project", name: str) -> dict[str, Paths]:
        return {"tables": [project.reports.shown_table(name, table) for table in self.tables()]}


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

FormChoice = Annotated[
    TextForm,
    Field(description="Text form. senteval: Moses-tokenised, as in SimCSE's evaluation; raw: as released"),
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
