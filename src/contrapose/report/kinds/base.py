"""Base classes of the kinds of tables and figures: settings, and what planning needs to know about each.

A kind is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and `build`,
which returns a `Report` or, for a figure, a `Drawing`.  Only the YAML that uses a kind names it.

Every `build` gets its settings as `spec`, and facts about the table or figure as `about`, with the paper's
printed rows.  It computes cells; the method `report` of the settings prints them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

import pandas as pd
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WrapSerializer

from contrapose.base.errors import ConfigError, unknown
from contrapose.base.markdown import bullets, markdown_table
from contrapose.base.tasks import TASKS, Suite, Task
from contrapose.jobs.stage import input_files
from contrapose.jobs.step import InputFiles, planned
from contrapose.report.about import About, row_label
from contrapose.report.cells import column_names, column_notes, printed_budgets
from contrapose.report.files import image, page_text, shown_table, write_csv, write_text
from contrapose.report.files import row_notes as notes_of
from contrapose.report.headers import COUNT, ROW, SCORE, TABLE, TRAINING, headed
from contrapose.report.latex import latex
from contrapose.report.plots import Files, Layout, draw
from contrapose.report.printed_columns import with_printed
from contrapose.report.published import PrintedLayout, printed_rows, read_published
from contrapose.report.row_settings import BaselineRow, DetectionSource, Row, TaskMetric
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec, TextForm
from contrapose.tables import CELLS, POINTS, Table, write_table

DECIMALS = 2  # of most numbers
Decimals = int | Mapping[str, int] | None  # of all columns, or by column; None: as many as needed


class Report(NamedTuple):
    """A table, and the texts that show it."""

    tidy: pd.DataFrame
    schema: Table
    csv: pd.DataFrame
    markdown: str
    plot: Callable[[Files], None] | None = None  # draws PNG and SVG files; of kinds that are `plotted`

    def write(self, output: Any, made_by: Mapping[str, object]) -> None:
        if self.plot:
            self.plot([output.plot, output.svg])
        write_text(self.markdown, output.markdown)
        write_text(latex(self.markdown), output.latex)
        write_table(self.tidy, output.parquet, self.schema, {**made_by, **self.tidy.attrs})
        write_csv(self.csv, output.csv)


class Drawing(NamedTuple):
    """A figure: its points, as POINTS, and how they are drawn."""

    tidy: pd.DataFrame
    layout: Layout
    about: About

    def draw(self, files: Files) -> None:
        draw(self.tidy, self.layout, self.about, files)

    def write(self, output: Any, made_by: Mapping[str, object]) -> None:
        self.draw([output.pdf, output.png, output.svg])
        write_table(self.tidy, output.parquet, POINTS, made_by)


class ReportSettings(Spec):
    """What figures and tables have in common; its methods are for planning only."""

    if TYPE_CHECKING:
        kind: str
    caption: str
    reads_logs: ClassVar[bool] = False  # of the trainings behind its rows

    def inputs(self, project: Plan, name: str) -> dict[str, InputFiles]:
        """Return the files for the parameters of `build`."""
        return {}

    def about(self, project: Plan, name: str) -> About:
        """Return what `build` needs beside its settings."""
        return About(**project.reports.about(name))

    def informed(self, about: About, job: Any) -> tuple[About, set[str]]:
        """Return `about` with what the input files of a job say, and those that are of nothing."""
        return about.with_reasons(job.input)

    def encoder_rows(self, project: Plan, name: str) -> Sequence[Row]:
        return []

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        """Raise a ConfigError if settings do not fit the tables of the study."""

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of the paraphrases that are requested only for this table."""
        return []

    def tested(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return column, task and text form of the test pairs that its trained rows must not have seen."""
        return []


class TableSettings(ReportSettings):
    """What all tables have in common."""

    published: str | None = Field(
        None,
        description="CSV file under the study's published/ with the paper's numbers, whose row names claims "
        "then use",
    )
    layout: PrintedLayout = PrintedLayout()

    plotted: ClassVar[bool] = False  # there are a PNG and an SVG file beside the table
    plot_after_table: ClassVar[bool] = True  # False: `build` puts it somewhere else on the page
    # What the paper prints; anything but numbers holds in every catalog; empty: no cells.
    papers: ClassVar[str] = "numbers"
    decimals: ClassVar[Decimals] = DECIMALS
    intervals: ClassVar[bool] = False  # shown in brackets
    spread: ClassVar[str] = "spread"  # column of the number that is printed after ±; empty: none
    missing: ClassVar[str] = ""  # a value, in the CSV file; on the page a dash
    # Printed names of the columns of CELLS that name a row.
    labels: ClassVar[Mapping[str, str]] = {"group": "group", "model": "model"}

    @property
    def counted(self) -> str:
        """Printed name of the number behind the first value of a row; empty: not printed."""
        return ""

    def informed(self, about: About, job: Any) -> tuple[About, set[str]]:
        about, unavailable = super().informed(about, job)
        histories = [file for file in input_files(job, "histories") if file not in unavailable]
        papers = read_published(input_files(job, "published") if self.papers else [])
        published = printed_rows(about.name, papers, self.layout)
        return about.model_copy(update={"histories": histories, "published": published}), unavailable

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        """Return the suites of evaluation sets of a table, or those of the rows of one group."""
        return []

    def stand_ins(self, project: Plan, name: str) -> list[str]:
        """Name the models behind the table that are not what their names say."""
        return project.notes.stand_ins(self.encoder_rows(project, name))

    def number_format(self, column: str) -> str:
        """Return the format of the numbers of a column."""
        digits = self.decimals.get(column, DECIMALS) if isinstance(self.decimals, Mapping) else self.decimals
        return "g" if digits is None else f".{digits}f"

    def printed(self, tidy: pd.DataFrame, spread: str | None = None) -> pd.DataFrame:
        """Return `printed_parts` with one header for each column."""
        return headed(self.printed_parts(tidy, spread))

    def printed_parts(self, tidy: pd.DataFrame, spread: str | None = None) -> pd.DataFrame:
        """Return cells of CELLS as printed, a text per column: means over seeds, of no single place.

        A value has `± spread`, or another number than that of the settings, if there is one, or else its
        interval, if intervals are shown.  The last columns are training budgets, see `printed_budgets`.
        Columns are by part, see `headers`; the index is the row.
        """
        means = tidy[tidy.seed.isna() & tidy.slot.isna()]
        means = means.assign(name=column_names(means))
        first = means.drop_duplicates("row").set_index("row").sort_index()
        labels = {name: first[column] for name, column in self.labels.items()}
        counts = {self.counted: first.n.astype(str)} if self.counted else {}
        texts = means.assign(text=[self._text(cell, spread) for cell in means.to_dict("records")])
        scores = texts.pivot(index="row", columns="name", values="text").fillna(self.missing)
        parts = {
            ROW: pd.DataFrame(labels, first.index),
            COUNT: pd.DataFrame(counts, first.index),
            SCORE: scores[list(dict.fromkeys(means.name))],
            TRAINING: printed_budgets(tidy),
        }
        return pd.concat(parts, axis=1)

    def _text(self, cell: Mapping, spread: str | None) -> str:
        if pd.isna(cell["value"]):
            return self.missing
        form, spread = self.number_format(cell["column"]), self.spread if spread is None else spread
        names = [name for name in ("value", spread, "low", "high") if name and pd.notna(cell[name])]
        text = {name: format(cell[name], form) for name in names}
        if self.intervals and "low" in text:
            return f"{text['value']} [{text['low']}, {text['high']}]"
        return " ± ".join(text[name] for name in ("value", spread) if name in text)

    def report(
        self,
        about: About,
        tidy: pd.DataFrame,
        notes: Iterable[str] = (),
        *sections: str,
        columns: Sequence[str] | None = None,
        shown: pd.DataFrame | None = None,
        body: str = "",
        csv: pd.DataFrame | None = None,
        common: Sequence[str] = (),
        row_notes: Sequence[str] | str | None = None,
        schema: Table = CELLS,
        plot: Callable[[Files], None] | None = None,
        first: str = "",
    ) -> Report:
        """Write a table as CSV and as a Markdown page.

        Parameters
        ----------
        notes : below the table, before those of its rows and of every table
        sections : Markdown after the notes, before the section with the paper's numbers
        columns : of the paper's table, by default those that are printed of ours; empty: without that table
        shown, body, csv : the printed table, and what page and CSV file show instead of it; columns perhaps
            by part
        common, row_notes : what every line of the CSV file ends in after the note of its row, or instead
            of it; with `row_notes`, the page has none of rows
        first : before the caption
        """
        if shown is None:
            shown = self.printed_parts(tidy[tidy.variant == ""])
        rows = () if row_notes is not None else about.rows or about.sources
        if row_notes is None:
            row_notes = ["; ".join(filter(None, [row.note, *common])) for row in rows] if rows else ""
        made_up = f"Catalog {about.catalog} is made up: its numbers cannot be compared with any paper's."
        lines = [*notes, *notes_of(rows), *column_notes(shown)]
        if about.generated and self.papers == "numbers":
            lines.append(made_up)
        parts = [
            body or (markdown_table(headed(shown)) if self.missing else shown_table(shown)),
            image(about) if self.plotted and self.plot_after_table else "",
            bullets([*lines, *about.notes]),
            *sections,
        ]
        table = shown if csv is None else csv
        table = table.copy() if table.columns.nlevels > 1 else pd.concat({"": table}, axis=1)
        if about.published and not (about.generated and self.papers == "numbers"):
            parts += self._papers_section(about, tidy, columns)
            table = with_printed(table, tidy, self.number_format, self.missing)
        table.insert(0, (TABLE, "catalog"), about.catalog)
        table[TABLE, "note"] = row_notes
        caption = "\n\n".join(filter(None, [first, self.caption]))
        return Report(tidy, schema, headed(table), page_text(about, caption, *parts), plot)

    def _papers_section(self, about: About, tidy: pd.DataFrame, columns: Sequence[str] | None) -> list[str]:
        if columns is None:
            columns = list(dict.fromkeys(tidy.column[(tidy.variant == "") & tidy.slot.isna()]))
        rows = []
        for label in filter(None, dict.fromkeys(tidy.published_row) if columns else ()):
            numbers = about.published[label]
            texts = {
                name: format(numbers[name], self.number_format(name)) for name in columns if name in numbers
            }
            rows.append({"label": label, **texts})
        theirs = pd.DataFrame(rows, columns=["label", *columns]).dropna(axis="columns", how="all").fillna("")
        source = f"As printed in: {about.source}."
        llms = dict.fromkeys(each for row in about.rows if row.published for each in row.asked)
        ours = f" Its language models are its own; ours: {', '.join(llms)}." if llms else ""
        return [f"## The paper's {self.papers}", source + ours, shown_table(theirs)] if rows else []


class EncoderRows:
    """Mixin for tables whose rows are encoders; comes before `TableSettings` in the bases."""

    if TYPE_CHECKING:
        rows: Sequence[Row]
    reads_logs: ClassVar[bool] = True
    says_training: ClassVar[bool] = False  # the notes say what the rows are trained on

    def encoder_rows(self, project: Plan, name: str) -> Sequence[Row]:
        return self.rows

    def about(self, project: Plan, name: str) -> About:
        notes = project.reports.row_notes(name) if self.says_training else []
        return About(**project.reports.about(name, notes), rows=project.reports.table_rows(name))


class DetectedTexts:
    """Mixin for kinds that show the texts of pairs with detection scores; comes before the other base."""

    if TYPE_CHECKING:
        sources: Sequence[DetectionSource]

    def about(self, project: Plan, name: str) -> About:
        notes = [*project.notes.detectors(self.sources), *project.notes.words_of_detected(self.sources)]
        sources = [
            project.reports.detection_source(source.name, source, before="") for source in self.sources
        ]
        return About(**project.reports.about(name, notes), sources=sources)


class OfTables:
    """Mixin for what shows the rows of one or several tables of the study; comes before the other base."""

    if TYPE_CHECKING:
        of: Any
    shows: ClassVar[tuple[str, ...]]  # kinds of tables

    @planned
    def tables(self) -> list[str]:
        return [self.of] if isinstance(self.of, str) else self.of

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        *others, last = self.shows
        wanted = f"tables of kind {', '.join(others)} or {last}" if others else f"a table of kind {last}"
        for table in self.tables():
            kind = named(tables, table, f"{name}.of: tables of the study").kind
            if kind not in self.shows:
                raise ConfigError(f"{name}.of: '{table}' is of kind {kind}. Name {wanted}.")

    def inputs(self, project: Plan, name: str) -> dict[str, InputFiles]:
        return {"tables": [project.reports.shown_table(name, table) for table in self.tables()]}

    def about(self, project: Plan, name: str) -> About:
        prefix = project.studies[project.reports.settings(name)[0]].prefix
        rows = (row for table in self.tables() for row in project.reports.encoder_rows(prefix + table))
        notes = dict.fromkeys(each for row in rows for each in project.notes.asked(row.pairs))
        return About(**project.reports.about(name, [*notes]))


class OfRows(OfTables):
    """Mixin for tables of the data behind the rows of a table of scores; comes before `TableSettings`."""

    shows: ClassVar[tuple[str, ...]] = ("sts",)

    def shown(self, project: Plan, name: str) -> str:
        """Return the name of the table of scores among all studies."""
        return project.studies[project.reports.settings(name)[0]].prefix + self.of

    def about(self, project: Plan, name: str) -> About:
        rows = project.reports.table_rows(self.shown(project, name))
        return About(**project.reports.about(name), rows=rows)


def without_choices(rows: Sequence[Row]) -> Sequence[Row]:
    """Refuse rows whose settings are chosen: only tables of scores have dev sets to choose on."""
    if any(row.grid or row.choices for row in rows):
        raise ValueError(
            "settings are chosen in a table of kind sts or fine_tuned; give the settings themselves"
        )
    return rows


def _spelled_baselines(value: Any) -> Any:
    listed = value if isinstance(value, list) else [value] if value is not None else []
    return [{"row": each} if isinstance(each, str) else each for each in listed]


def _of_rows(baselines: list[BaselineRow], info: ValidationInfo) -> list[BaselineRow]:
    """Refuse a baseline that is not one of the rows; `rows` precedes it in the class."""
    rows = info.data.get("rows", [])
    for baseline in baselines:
        known = {name for row in rows for name in (row.model, row_label(row.group, row.model))}
        known |= {row.group for row in rows if row.group and baseline.by == "encoder"}
        if rows and baseline.row not in known:
            raise ValueError(str(unknown("rows", baseline.row, known)))
    return baselines


Baselines = Annotated[
    list[BaselineRow],
    BeforeValidator(
        _spelled_baselines, json_schema_input_type=str | BaselineRow | list[str | BaselineRow] | None
    ),
    AfterValidator(_of_rows),
    Field(
        [],
        max_length=2,
        description="Row that others are compared with, or two: a label, or {row: LABEL, by: encoder}. null: "
        "the first row of each group, or of the table where no group has two rows",
    ),
]
Margin = Annotated[
    float | None,
    Field(gt=0, description="Differences within it count as none; tables say which are so significantly"),
]

FormChoice = Annotated[
    TextForm,
    Field(description="Text form. senteval: Moses-tokenised, as in SimCSE's evaluation; raw: as released"),
]

PlainRows = Annotated[list[Row], Field(min_length=1), AfterValidator(without_choices)]


def _listed(value: dict[str, Any], dump: Callable[[dict[str, Any]], dict[str, Any]]) -> list[list[Any]]:
    return [[key, each] for key, each in dump(value).items()]


# A map whose order matters, such as columns or panels: in the settings of a job it is a list, because their
# canonical text sorts the keys of a map.
T = TypeVar("T")
Ordered = Annotated[
    dict[str, T],
    BeforeValidator(lambda value: dict(value) if isinstance(value, list) else value),
    WrapSerializer(_listed, when_used="json"),
]
Scored = Annotated[  # a task's name alone: its Spearman correlations
    TaskMetric,
    BeforeValidator(
        lambda value: {"task": value} if isinstance(value, str) else value,
        json_schema_input_type=Task | TaskMetric,
    ),
]


def suite_of(columns: Sequence[TaskMetric]) -> Suite:
    """Return the suite of the tasks of some columns; raise a ValueError if there are several."""
    suites = {TASKS[column.task].suite for column in columns}
    if len(suites) > 1:
        raise ValueError("columns of several suites; an encoder is scored on one at a time")
    return suites.pop()
