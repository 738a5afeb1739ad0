"""Rules of the stage report: tables about texts, and about the machine."""

from contrapose.config.printed import (
    ExamplesTable,
    IdentificationTable,
    LinguisticsTable,
    PrefixWordsTable,
    PromptTable,
    RewritesTable,
    SizesTable,
    StatisticsTable,
)
from contrapose.config.rows import Identified, IdentifiedSource
from contrapose.jobs import (
    ExamplesTableJob,
    IdentificationTableJob,
    IdentifiedRow,
    JudgedSource,
    LinguisticsTableJob,
    PrefixWordsTableJob,
    PrintedTable,
    PromptTableJob,
    PromptTableRow,
    RewritesTableJob,
    RewritesTableRow,
    SizesTableJob,
    StatisticsTableJob,
)
from contrapose.plan.encoder_tables import EncoderTablesPlan


class TextTablesPlan(EncoderTablesPlan):
    """Rules that print what is counted of texts, pairs and sets."""

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
