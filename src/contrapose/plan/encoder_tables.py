"""Rules of the stage report: tables about encoders."""

from pathlib import Path

from contrapose.config.printed import (
    FineTunedTable,
    GeometryTable,
    LengthBiasTable,
    LengthsTable,
    QuestionLengthsTable,
    SettingsTable,
    STSTable,
    TransferTable,
)
from contrapose.config.rows import OF_PAIRS
from contrapose.ids import named
from contrapose.jobs import (
    BiasTableRow,
    GeometryTableJob,
    LengthBiasTableJob,
    LengthsTableJob,
    QuestionLengthsJob,
    ScoreColumn,
    ScoreTableJob,
    SettingsTableJob,
    SimilaritiesTableJob,
    STSTableJob,
)
from contrapose.plan.rows import RowsPlan


class EncoderTablesPlan(RowsPlan):
    """Rules that print what encoders score."""

    def report_sts_table(self, table: str) -> STSTableJob:
        """What is printed, and what a reader of this world's table has to know."""
        settings = self.tables[table][1]
        assert isinstance(settings, STSTable)
        notes = [] if self._missing_sets(table) else [*self._text_notes(settings), *self._translator(table)]
        return STSTableJob(
            **dict(self._printed(table, notes)),
            columns=[ScoreColumn(name, each.task, each.metric) for name, each in settings.columns.items()],
            split=settings.split,
            form=settings.form,
            average=settings.average,
            best_of_seeds=settings.best_of_seeds,
            seeds=self.seeds,
            rows=self._table_rows(table),
            choose_among=settings.choose_among,
        )

    def report_fine_tuned_table(self, table: str) -> STSTableJob:
        """What is printed, and what a reader of this world's table has to know."""
        settings = self.fine_tuned(table)
        notes = [] if self._missing_sets(table) else self._text_notes(settings)
        sets = {source.task for source in self.world.benchmarks.values()}
        columns = [
            ScoreColumn(name, each.task, each.metric, group)
            for name, of_groups in settings.columns.items()
            for group, each in of_groups.items()
        ]
        absent = [column.task for column in columns if column.task not in sets]
        notes += [f"Left out: {', '.join(absent)}; this world has no such sets."] if absent else []
        return STSTableJob(
            **dict(self._printed(table, notes)),
            columns=columns,
            fine_tuned=True,
            split=settings.split,
            form="raw",
            average=settings.average,
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def fine_tuned(self, table: str) -> FineTunedTable:
        """Return the settings of a table of fine-tuned encoders."""
        settings = self.tables[table][1]
        assert isinstance(settings, FineTunedTable)
        return settings

    def fine_tuned_inputs(self, table: str) -> list[str]:
        """Return the scores behind it, of the tasks that this world has."""
        settings = self.fine_tuned(table)
        found = dict.fromkeys(
            f"<results>/evaluate/fine_tuned/{settings.fine_tuning}/{column.task}/{run}.parquet"
            for row in self._table_rows(table)
            for column in settings.tasks_of(row.group).values()
            if self.has_task(column.task)
            for run in self.runs_behind(row)
        )
        return list(found)

    def report_transfer_table(self, table: str) -> STSTableJob:
        """What is printed, and what a reader of this world's table has to know."""
        settings = self.tables[table][1]
        assert isinstance(settings, TransferTable)
        return STSTableJob(
            **dict(self._printed(table, self._text_notes(settings))),
            columns=[ScoreColumn(name, task, "accuracy") for name, task in settings.columns.items()],
            transfer=True,
            split=settings.split,
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def report_question_lengths_table(self, table: str) -> QuestionLengthsJob:
        """Which questions count, and what a reader of this world's table has to know."""
        settings = self.tables[table][1]
        assert isinstance(settings, QuestionLengthsTable)
        return QuestionLengthsJob(
            **dict(self._printed(table, self._text_notes(settings))),
            columns=list(settings.columns.items()),
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def report_geometry_table(self, table: str) -> GeometryTableJob:
        """Which split is printed, and of which encoders."""
        settings = self.tables[table][1]
        assert isinstance(settings, GeometryTable)
        return GeometryTableJob(
            **dict(self._printed(table, [])),
            split=settings.split,
            form=settings.form,
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def report_lengths_table(self, table: str) -> LengthsTableJob:
        """Which bands are printed, and of which encoders."""
        settings = self.tables[table][1]
        assert isinstance(settings, LengthsTable)
        return LengthsTableJob(
            **dict(self._printed(table, [])),
            task=settings.task,
            bands=settings.bands,
            seeds=self.seeds,
            rows=self._table_rows(table),
            runs=self.runs_of(table),
            bootstrap=self.config.bootstrap,
        )

    def report_length_bias_table(self, table: str) -> LengthBiasTableJob:
        """Which changes are printed, of which encoders and pairs."""
        settings = self.tables[table][1]
        assert isinstance(settings, LengthBiasTable)
        rows = zip(self._table_rows(table), settings.rows, strict=True)
        return LengthBiasTableJob(
            **dict(self._printed(table, [])),
            columns=list(settings.columns.items()),
            probes={row.probe: self.probe(row.probe) for row in settings.rows},
            seeds=self.seeds,
            rows=[BiasTableRow(**dict(own), probe=row.probe, label=row.label) for own, row in rows],
        )

    def length_bias_inputs(self, table: str) -> list[str]:
        """Return the measured bias behind a table, that of each probe and encoder once."""
        rows = self.report_length_bias_table(table).rows
        found = dict.fromkeys((row.probe, run) for row in rows for run in row.runs)
        return [f"<results>/evaluate/length_bias/{probe}/{run}.parquet" for probe, run in found]

    def report_similarities_table(self, table: str) -> SimilaritiesTableJob:
        """Which texts are printed, and of which encoders."""
        settings = self.similarities(table)
        return SimilaritiesTableJob(
            **dict(self._printed(table, [])),
            sentence=settings.sentence,
            texts=settings.texts,
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def report_settings_table(self, table: str) -> SettingsTableJob:
        """Which settings are printed, and of which runs."""
        study, settings = self.tables[table]
        assert isinstance(settings, SettingsTable)
        of = self.studies[study].tables[settings.of]
        assert isinstance(of, STSTable)
        return SettingsTableJob(
            **dict(self._printed(table, [])),
            form=of.form,
            columns=list(settings.columns.items()),
            pairs=self._shown_pair_settings(table, settings),
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

    def _shown_pair_settings(self, table: str, settings: SettingsTable) -> dict[str, dict]:
        """Return {run: its pair set's settings} of those that a table of settings shows."""
        wanted = [name.removeprefix(OF_PAIRS) for name in settings.columns.values() if OF_PAIRS in name]
        found: dict[str, dict] = {}
        for run in (run for row in self._rows_of(table) for run in self.runs(row)) if wanted else ():
            own = self.pairs(run.pairs).model_dump()
            found[run.id] = {name: named(own, name, f"settings of {run.pairs}") for name in wanted}
        return found

    def report_score_table(self) -> ScoreTableJob:
        """Which folder the scores are of."""
        name = Path(self.config.encoder or "").resolve().name
        generated = self.world.mini is not None
        return ScoreTableJob(encoder=name, generated=generated, pooling=self.config.pooling)
