"""What planning asks of tables and figures whose rows are encoders, judged texts, or rows of other tables."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from contrapose.base.errors import ConfigError
from contrapose.jobs.step import InputFiles, planned
from contrapose.report.about import About
from contrapose.report.planned_notes import chat_models, detectors, tokenizers_of_detected
from contrapose.report.planned_rows import detection_source, encoder_rows, table_rows, training_notes
from contrapose.report.row_settings import DetectionSource, Row
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan


class EncoderRows:
    """Mixin for tables whose rows are encoders; comes before `TableSettings` in the bases."""

    if TYPE_CHECKING:
        rows: Sequence[Row]
    reads_logs: ClassVar[bool] = True
    says_training: ClassVar[bool] = False  # the notes say what the rows are trained on

    def encoder_rows(self, project: Plan, name: str) -> Sequence[Row]:
        return self.rows

    def about(self, project: Plan, name: str) -> About:
        notes = training_notes(project, name) if self.says_training else []
        return About.planned(project, name, notes, rows=table_rows(project, name))


class DetectedTexts:
    """Mixin for kinds that show the texts of pairs with detection scores; comes before the other base."""

    if TYPE_CHECKING:
        sources: Sequence[DetectionSource]

    def about(self, project: Plan, name: str) -> About:
        notes = [*detectors(project, self.sources), *tokenizers_of_detected(project, self.sources)]
        sources = [detection_source(project, source.name, source, before="") for source in self.sources]
        return About.planned(project, name, notes, sources=sources)


class OfTables:
    """Mixin for what shows the rows of one or several tables of the study; comes before the other base."""

    if TYPE_CHECKING:
        of: str | list[str]
    shows: ClassVar[tuple[str, ...]]  # kinds of tables

    @planned
    def tables(self) -> list[str]:
        return [self.of] if isinstance(self.of, str) else self.of

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        *others, last = self.shows
        wanted = f"tables of kind {', '.join(others)} or {last}" if others else f"a table of kind {last}"
        for table in self.tables():
            kind = named(tables, table, f"{name}.of: the list of tables of the study").kind
            if kind not in self.shows:
                raise ConfigError(f"{name}.of: '{table}' is of kind {kind}. Name {wanted}.")

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        prefix = project.shown(about.name).study.prefix
        return {"tables": [project.paths.table(prefix + table) for table in self.tables()]}

    def about(self, project: Plan, name: str) -> About:
        prefix = project.shown(name).study.prefix
        rows = (row for table in self.tables() for row in encoder_rows(project, prefix + table))
        notes = dict.fromkeys(each for row in rows for each in chat_models(project, row.pairs))
        return About.planned(project, name, [*notes])


class OfRows(OfTables):
    """Mixin for tables of the data behind the rows of a table of scores; comes before `TableSettings`."""

    shows: ClassVar[tuple[str, ...]] = ("sts",)

    def table_of(self, project: Plan, name: str) -> str:
        """Return the name of the table of scores among all studies."""
        return project.shown(name).study.prefix + self.of

    def about(self, project: Plan, name: str) -> About:
        rows = table_rows(project, self.table_of(project, name))
        return About.planned(project, name, rows=rows)
