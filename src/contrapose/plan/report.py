"""Rules of the stage report."""

from pathlib import Path

from contrapose.config.figures import Calibration, Curve, Differences, Scatter, Tenths
from contrapose.config.printed import (
    ExamplesTable,
    FineTunedTable,
    GeometryTable,
    IdentificationTable,
    LengthBiasTable,
    LengthsTable,
    LinguisticsTable,
    PrefixWordsTable,
    PromptTable,
    QuestionLengthsTable,
    RewritesTable,
    SettingsTable,
    SizesTable,
    StatisticsTable,
    STSTable,
    TransferTable,
)
from contrapose.config.rows import OF_PAIRS, Identified, IdentifiedSource
from contrapose.fingerprint import code_digest
from contrapose.ids import named
from contrapose.jobs import (
    BiasTableRow,
    CalibrationJob,
    ClaimsJob,
    CurveJob,
    DifferencesJob,
    ExamplesTableJob,
    GeometryTableJob,
    HistogramJob,
    IdentificationTableJob,
    IdentifiedRow,
    JudgedSource,
    LengthBiasTableJob,
    LengthsTableJob,
    LinguisticsTableJob,
    PrefixWordsTableJob,
    PrintedTable,
    PromptTableJob,
    PromptTableRow,
    QuestionLengthsJob,
    RewritesTableJob,
    RewritesTableRow,
    ScatterJob,
    ScoreColumn,
    ScoreTableJob,
    SettingsTableJob,
    SimilaritiesTableJob,
    SizesTableJob,
    StatisticsTableJob,
    STSTableJob,
    TenthsJob,
)
from contrapose.plan.rows import RowsPlan


class ReportPlan(RowsPlan):
    """Rules of the stage report."""

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

    def report_prompt_table(self, table: str) -> PromptTableJob:
        """What is printed, and who plays which role in this world."""
        settings = self.tables[table][1]
        assert isinstance(settings, PromptTable)
        return PromptTableJob(
            **dict(self._printed(table, self._players(settings))),
            rows=[PromptTableRow(**row.model_dump()) for row in settings.rows],
        )

    def report_statistics_table(self, table: str) -> StatisticsTableJob:
        """What is counted, and what a reader of a published corpus has to know."""
        settings = self._statistics(table)
        corpora = {name: self._corpus_note(name) for name in self._statistics_corpora(table)}
        return StatisticsTableJob(
            **dict(self._printed(table, [])),
            statistic=settings.statistic,
            reading=settings.reading,
            form=settings.form,
            rows=settings.rows,
            corpora=corpora,
        )

    def _statistics(self, table: str) -> StatisticsTable:
        settings = self.tables[table][1]
        assert isinstance(settings, StatisticsTable)
        return settings

    def _statistics_corpora(self, table: str) -> list[str]:
        """Return the corpora behind a table of statistics that are there, in the order of its rows."""
        names = dict.fromkeys(row.corpus for row in self._statistics(table).rows if row.corpus is not None)
        return [name for name in names if self.has_corpus(name)]

    def counting_inputs(self, table: str, path: str) -> list[str]:
        """Return what counting the words of evaluation sets needs; nothing for corpora and gold scores."""
        settings = self._statistics(table)
        counted = settings.statistic == "words_per_sentence" and any(row.task for row in settings.rows)
        return [path] if counted else []

    def statistics_corpora_inputs(self, table: str) -> list[str]:
        """Return the files of these corpora, each once, in the same order."""
        return [f"<results>/corpus/{name}.parquet" for name in self._statistics_corpora(table)]

    def report_histogram(self, figure: str) -> HistogramJob:
        """Which sets, and how many bins."""
        study, settings = self.figures[figure]
        assert settings.kind == "histogram"
        return HistogramJob(
            **dict(self._about(figure, study, settings.caption, [])),
            sets=list(settings.sets.items()),
            bins=settings.bins,
        )

    def report_scatter(self, figure: str) -> ScatterJob:
        """What is said about the figure."""
        study, settings = self.figures[figure]
        return ScatterJob(**dict(self._about(figure, study, settings.caption, [])))

    def shown_table(self, figure: str) -> str:
        """Return the table whose numbers a figure shows."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Scatter | Differences)
        return f"<results>/tables/{self.studies[study].prefix}{settings.of}.parquet"

    def report_prefix_words_table(self, table: str) -> PrefixWordsTableJob:
        """Which pair set is counted, in which bands."""
        settings = self.tables[table][1]
        assert isinstance(settings, PrefixWordsTable)
        pairs = self.pairs_id(settings.pairs)
        return PrefixWordsTableJob(**dict(self._printed(table, [])), pairs=pairs, bands=settings.bands)

    def report_examples_table(self, table: str) -> ExamplesTableJob:
        """Which pair set is shown, and how much of it."""
        settings = self.tables[table][1]
        assert isinstance(settings, ExamplesTable)
        pairs, missing = self.pairs_id(settings.pairs), self.missing_pairs(settings.pairs)
        return ExamplesTableJob(
            **dict(self._printed(table, [f"Left out: {missing}."] if missing else [])),
            pairs=pairs,
            order=settings.order,
            rows=settings.rows,
        )

    def shown_pairs_inputs(self, table: str) -> list[str]:
        """Return the file of the pair set that a table counts or shows; no examples if they are missing."""
        settings = self.tables[table][1]
        assert isinstance(settings, PrefixWordsTable | ExamplesTable)
        missing = isinstance(settings, ExamplesTable) and self.missing_pairs(settings.pairs)
        return [] if missing else [f"<results>/pairs/{self.pairs_id(settings.pairs)}.parquet"]

    def report_linguistics_table(self, table: str) -> LinguisticsTableJob:
        """Which measures are printed, of which texts."""
        settings = self.tables[table][1]
        assert isinstance(settings, LinguisticsTable)
        return LinguisticsTableJob(
            **dict(self._printed(table, self._judges(settings.sources))),
            measures=list(settings.measures.items()),
            sources=self._judged(settings.sources),
            texts=settings.texts,
            partner=settings.partner,
        )

    def linguistics_inputs(self, table: str) -> list[str]:
        """Return the measured wording behind a table, of each source that this world can have."""
        settings = self.tables[table][1]
        assert isinstance(settings, LinguisticsTable)
        return self._linguistics_files(settings.sources, "")

    def report_tenths(self, figure: str) -> TenthsJob:
        """Which pairs are counted, and who judged them."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Tenths)
        about = self._about(figure, study, settings.caption, self._judges(settings.sources))
        return TenthsJob(**dict(about), sources=self._judged(settings.sources))

    def tenths_inputs(self, figure: str) -> list[str]:
        """Return the counts behind a figure, of each source that this world can have."""
        settings = self.figures[figure][1]
        assert isinstance(settings, Tenths)
        return self._linguistics_files(settings.sources, "-tenths")

    def _judged(self, sources: list[IdentifiedSource]) -> list[JudgedSource]:
        missing = [self.missing_identified(each.pairs, each.identifier) for each in sources]
        return [
            JudgedSource(**dict(source), missing=lacks)
            for source, lacks in zip(sources, missing, strict=True)
        ]

    def _linguistics_files(self, sources: list[IdentifiedSource], which: str) -> list[str]:
        return [
            f"<results>/score/linguistics/{self.pairs_id(source.pairs)}/{source.identifier}{which}.parquet"
            for source in self._judged(sources)
            if not source.missing
        ]

    def _judges(self, sources: list[IdentifiedSource]) -> list[str]:
        """Say which encoders that judge are not what their role says."""
        roles = sorted({self.identifier(source.identifier).encoder for source in sources})
        notes = [self.encoder(role).note for role in roles if self.has_encoder(role)]
        return [*filter(None, notes), *self._writers(source.pairs for source in sources)]

    def report_differences(self, figure: str) -> DifferencesJob:
        """With which rows the others are compared."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Differences)
        about = self._about(figure, study, settings.caption, [])
        return DifferencesJob(**dict(about), baseline=settings.baseline)

    def report_identification_table(self, table: str) -> IdentificationTableJob:
        """Which classifiers are printed, at which temperature."""
        settings = self.tables[table][1]
        assert isinstance(settings, IdentificationTable)
        return IdentificationTableJob(
            **dict(self._printed(table, self._writers(row.pairs for row in settings.rows))),
            rows=[
                self._identified(row, row.model, group=row.group, published=row.published)
                for row in settings.rows
            ],
            bootstrap=self.config.bootstrap,
        )

    def report_calibration(self, figure: str) -> CalibrationJob:
        """Which classifiers are drawn, at which temperature."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Calibration)
        writers = self._writers(panel.pairs for panel in settings.panels)
        return CalibrationJob(
            **dict(self._about(figure, study, settings.caption, writers)),
            panels=[self._identified(panel, panel.label) for panel in settings.panels],
            bins=settings.bins,
        )

    def _identified(self, row: Identified, label: str, **others: str | None) -> IdentifiedRow:
        missing = self.missing_identified(row.pairs, row.identifier)
        encoder = self.identifier(row.identifier).encoder
        return IdentifiedRow(
            model=label,
            identified=None if missing else f"{self.pairs_id(row.pairs)}/{row.identifier}",
            temperature=row.temperature,
            note=f"left out: {missing}" if missing else self.encoder(encoder).note,
            **others,
        )

    def identification_inputs(self, table: str) -> list[str]:
        """Return what classifiers say of held-out texts behind a table."""
        return self._held_out(self.report_identification_table(table).rows)

    def calibration_inputs(self, figure: str) -> list[str]:
        """Return the same behind a figure."""
        return self._held_out(self.report_calibration(figure).panels)

    def _held_out(self, rows: list[IdentifiedRow]) -> list[str]:
        names = dict.fromkeys(row.identified for row in rows if row.identified)
        return [f"<results>/score/identification/{name}-held_out.parquet" for name in names]

    def report_rewrites_table(self, table: str) -> RewritesTableJob:
        """Which rewrites are counted, at which thresholds."""
        settings = self.tables[table][1]
        assert isinstance(settings, RewritesTable)
        rows = []
        for row in settings.rows:
            spec, missing = self.rewrites(row.rewrites), self.missing_rewrites(row.rewrites)
            statistics = None if missing else f"{row.rewrites}/statistics-{row.threshold:g}"
            note = f"left out: {missing}" if missing else self._rewriters(spec)
            label = {"group": row.group, "model": row.model, "note": note}
            rows.append(RewritesTableRow(**label, statistics=statistics))
        return RewritesTableJob(**dict(self._printed(table, [])), rows=rows)

    def rewrite_statistics_inputs(self, table: str) -> list[str]:
        """Return the statistics behind a table of rewrites, as far as this world can have them."""
        rows = self.report_rewrites_table(table).rows
        names = dict.fromkeys(row.statistics for row in rows if row.statistics)
        return [f"<results>/score/rewrites/{name}.parquet" for name in names]

    def report_sizes_table(self, table: str) -> SizesTableJob:
        """What is counted, and what this world lacks of it."""
        settings = self._sizes(table)
        lacking = {pairs: self.missing_pairs(pairs) for pairs in self._sizes_pairs(table)}
        return SizesTableJob(
            **dict(self._printed(table, [])),
            columns=settings.columns,
            form=settings.form,
            rows=settings.rows,
            pairs=[pairs for pairs, missing in lacking.items() if not missing],
            lacking={pairs: missing for pairs, missing in lacking.items() if missing},
        )

    def _sizes(self, table: str) -> SizesTable:
        """Return a table of sizes, with canonical ids of pair sets."""
        settings = self.tables[table][1]
        assert isinstance(settings, SizesTable)
        pairs = [{name: self.pairs_id(each) for name, each in row.pairs.items()} for row in settings.rows]
        rows = [row.model_copy(update={"pairs": own}) for row, own in zip(settings.rows, pairs, strict=True)]
        return settings.model_copy(update={"rows": rows})

    def _sizes_pairs(self, table: str) -> list[str]:
        """Return the ids of the pair sets of a table of sizes, each once."""
        rows = self._sizes(table).rows
        return list(dict.fromkeys(pairs for row in rows for pairs in row.pairs.values()))

    def sizes_pairs_inputs(self, table: str) -> list[str]:
        """Return the files of those that this world can have."""
        ids = [pairs for pairs in self._sizes_pairs(table) if not self.missing_pairs(pairs)]
        return [f"<results>/pairs/{pairs}.parquet" for pairs in ids]

    def report_machine_table(self, table: str) -> PrintedTable:
        """What is said about the table; the rest says the machine."""
        return self._printed(table, [])

    def report_curve(self, figure: str) -> CurveJob:
        """Which tables, which column, and where their rows stand."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Curve)
        return CurveJob(
            **dict(self._about(figure, study, settings.caption, [])),
            of=settings.of,
            column=settings.column,
            points=list(settings.points.items()),
            axis=settings.axis,
            logarithmic=settings.logarithmic,
        )

    def curve_inputs(self, figure: str) -> list[str]:
        """Return the tables whose numbers a figure of curves shows."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Curve)
        prefix = self.studies[study].prefix
        return [f"<results>/tables/{prefix}{name}.parquet" for name in settings.of]

    def score_table_inputs(self, table: str, kind: str) -> list[str]:
        """Return the files of one kind behind a table of prompts, row by row.

        Parameters
        ----------
        table : str
        kind : `sentences` or `slots`, of the table's scorer; or `parascores`
            None of the last if the table has no such column.
        """
        settings = self.tables[table][1]
        assert isinstance(settings, PromptTable)
        role = settings.parascore if kind == "parascores" else settings.scorer
        folders = [f"<results>/score/{row.corpus}/{row.llm}-prompt{row.prompt}" for row in settings.rows]
        return [f"{folder}/{role}/{kind}.parquet" for folder in folders] if role else []

    def report_claims(self, study: str) -> ClaimsJob:
        """What a paper claims, and what is there to check it on."""
        tables = self._claimed_tables(study)
        return ClaimsJob(
            study=study,
            source=self.studies[study].source,
            world=self.world_name,
            world_description=self.world.description,
            generated=self.world.mini is not None,
            claims=self.claims(study),
            tables=list(tables),
            runs=self._claimed_runs(study),
            published=self._claimed_printed(study),
            layouts=[self._layout(study, name) for name in self._claimed_printed(study)],
            functions=code_digest(self.claim_functions(study), self.home / "src"),
            notes=self._stand_ins(tables.values()),
        )

    @property
    def studies_with_claims(self) -> list[str]:
        """Return the studies that have a claims.csv."""
        return [study for study in self.studies if self.claims(study)]

    def claimed_table_inputs(self, study: str) -> list[str]:
        """Return the tables behind the claims of a study, as far as it builds them."""
        return [f"<results>/tables/{table}.parquet" for table in self._claimed_tables(study).values()]

    def claimed_history_inputs(self, study: str) -> list[str]:
        """Return the training logs behind these tables."""
        return [f"<results>/train/{run}/history.parquet" for run in self._claimed_runs(study)]

    def claimed_published_inputs(self, study: str) -> list[str]:
        """Return the paper's printed tables behind its claims."""
        return [self.published(study, f"{name}.csv") for name in self._claimed_printed(study)]

    def _claim_needs(self, study: str) -> list[str]:
        return sorted({name for claim in self.claims(study) for name in claim.needs})

    def _claimed_printed(self, study: str) -> list[str]:
        return [name for name in self._claim_needs(study) if self.is_printed(study, name)]

    def _claimed_tables(self, study: str) -> dict[str, str]:
        """Return {name in the study: name among all studies} of the tables that claims need and there are."""
        prefix, known = self.studies[study].prefix, self.studies[study].tables
        return {name: prefix + name for name in self._claim_needs(study) if name in known}

    def _claimed_runs(self, study: str) -> list[str]:
        tables = [name for name in self._claimed_tables(study).values() if self.tables[name][1].kind == "sts"]
        return list(dict.fromkeys(run for name in tables for run in self.trained_runs(name)))

    def report_score_table(self) -> ScoreTableJob:
        """Which folder the scores are of."""
        name = Path(self.config.encoder or "").resolve().name
        generated = self.world.mini is not None
        return ScoreTableJob(encoder=name, generated=generated, pooling=self.config.pooling)
