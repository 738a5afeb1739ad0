"""Base classes of the kinds of tables and figures: settings, and what planning needs to know about each.

A kind is a module of this package: a settings class with `kind: Literal["<the module's name>"]`, and `build`,
which returns a `Report` or, for a figure, a `Drawing`.  Only the YAML that uses a kind names it.

Every `build` gets its settings as `spec`, and facts about the table or figure as `about`, with the paper's
printed rows.  It computes cells; the method `report` of the settings prints them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
from pydantic import Field

from contrapose.base.markdown import bullets, markdown_table
from contrapose.base.tasks import Suite
from contrapose.jobs.stage import SnakemakeJob, input_files
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About
from contrapose.report.cells import column_notes
from contrapose.report.files import image, page_text, shown_table
from contrapose.report.files import row_notes as notes_of
from contrapose.report.found import Found, found_in
from contrapose.report.headers import TABLE, headed
from contrapose.report.output import Report
from contrapose.report.planned_notes import stand_ins
from contrapose.report.plots import Files
from contrapose.report.printed_cells import PrintedCells
from contrapose.report.printed_columns import with_printed
from contrapose.report.published import PrintedLayout, printed_rows, read_published
from contrapose.report.row_settings import Row
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import CELLS, Table


class ReportSettings(Spec):
    """What figures and tables have in common; its methods are for planning only."""

    if TYPE_CHECKING:
        kind: str
    caption: str = Field(description="This sentence stands above the table or below the figure.")
    reads_logs: ClassVar[bool] = False  # of the trainings behind its rows

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        """Return the files for the parameters of `build`."""
        return {}

    def about(self, project: Plan, name: str) -> About:
        """Return what `build` needs beside its settings."""
        return About.planned(project, name)

    def found(self, about: About, job: SnakemakeJob) -> Found:
        """Return what the input files of a job say."""
        return found_in(job.input, {*about.runs, *about.ids}, about.name)

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


class TableSettings(PrintedCells, ReportSettings):
    """What all tables have in common."""

    published: str | None = Field(
        None,
        description="This CSV file under the study's `published/` has the numbers that the paper "
        "prints. Claims then use its row names.",
    )
    layout: PrintedLayout = Field(
        PrintedLayout(),
        description="These settings say how the CSV file of the paper's numbers is arranged, if it "
        "has other rows or columns than the table here.",
    )

    plotted: ClassVar[bool] = False  # there are a PNG and an SVG file beside the table
    plot_after_table: ClassVar[bool] = True  # False: `build` puts it somewhere else on the page
    # What the paper prints; anything but numbers holds in every catalog; empty: no cells.
    papers: ClassVar[str] = "numbers"

    def found(self, about: About, job: SnakemakeJob) -> Found:
        found = super().found(about, job)
        histories = [file for file in input_files(job, "histories") if file not in found.empty]
        papers = read_published(input_files(job, "published") if self.papers else [])
        published = printed_rows(about.name, papers, self.layout)
        return replace(found, published=published, histories=histories)

    def suites(self, project: Plan, name: str, group: str | None = None) -> list[Suite]:
        """Return the suites of evaluation sets of a table, or those of the rows of one group."""
        return []

    def stand_ins(self, project: Plan, name: str) -> list[str]:
        """Name the models behind the table that are not what their names say."""
        return stand_ins(project, self.encoder_rows(project, name))

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
        made_up = (
            f"The text of catalog {about.catalog} is generated, so its numbers cannot be compared with "
            "those of any paper."
        )
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
        ours = f" The paper used its own language models. In Contrapose: {', '.join(llms)}." if llms else ""
        return [f"## The paper's {self.papers}", source + ours, shown_table(theirs)] if rows else []
