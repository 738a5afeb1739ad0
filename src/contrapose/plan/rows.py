"""What tables are told about themselves, and which runs are behind their rows."""

from collections.abc import Iterable
from pathlib import Path

from contrapose.config.corpora import DinoTexts, PublishedCorpus, Rewrites, SyntheticTexts
from contrapose.config.pairs import DictionaryPairs, SentencePairs, TriplePairs
from contrapose.config.printed import (
    FineTunedTable,
    IdentificationTable,
    LinguisticsTable,
    PromptTable,
    RowTable,
    SettingsTable,
    STSTable,
)
from contrapose.config.recipes import ContrastiveTensionRecipe, Recipe
from contrapose.config.rows import PrintedLayout, Row
from contrapose.config.worlds import (
    LLMTranslator,
)
from contrapose.fingerprint import is_own
from contrapose.generate.endpoint import serving_module
from contrapose.ids import named
from contrapose.jobs import (
    SELECTED,
    Candidate,
    PrintedTable,
    TableRow,
)
from contrapose.plan.train import TrainPlan
from contrapose.project.rows import Released


class RowsPlan(TrainPlan):
    """What tables are told about themselves, and which runs are behind their rows."""

    def _printed(self, table: str, notes: list[str]) -> PrintedTable:
        """Return what every table is told about itself, with what its paper leaves open about it."""
        study, settings = self.tables[table]
        return self._about(table, study, settings.caption, notes, settings.layout)

    def _about(
        self, name: str, owner: str, caption: str, notes: list[str], layout: PrintedLayout | None = None
    ) -> PrintedTable:
        study = self.studies[owner]
        own = name.removeprefix(study.prefix)
        return PrintedTable(
            table=name,
            caption=caption,
            source=study.source,
            world=self.world_name,
            world_description=self.world.description,
            generated=self.world.mini is not None,
            notes=notes,
            deviations=[each for each in study.deviations if not each.tables or own in each.tables],
            layout=layout or PrintedLayout(),
        )

    def _layout(self, study: str, table: str) -> PrintedLayout:
        known = self.studies[study].tables
        return known[table].layout if table in known else PrintedLayout()

    def _players(self, table: PromptTable) -> list[str]:
        """Say who measured similarity and who answered, in words that hold on every machine."""
        scorer = self.encoder(table.scorer)
        who = scorer.note.removeprefix(f"{scorer.role}: ") or scorer.hub or Path(scorer.folder or "").name
        pooling = "its own pooling" if scorer.pooling == "auto" else f"pooling {scorer.pooling}"
        notes = [f"Similarity: {who}; {pooling}"]
        return notes + [
            f"{role}: {self._player(role)}" for role in dict.fromkeys(row.llm for row in table.rows)
        ]

    def _translator(self, table: str) -> list[str]:
        """Say who translated the sets of a table, if somebody did."""
        translator = self.world.translator
        if translator is None or self._suite(table) != "translated":
            return []
        if isinstance(translator, LLMTranslator):
            return [f"Translated by {self._player(translator.llm)}."]
        return [f"Translated by {Path(translator.path).name}."]

    def _player(self, role: str) -> str:
        """Return the model that plays a role, in words that hold on every machine."""
        llm = self.llm(role)
        by_rule = ", a rewriter by rules that stands in" if is_own(serving_module(llm.endpoint)) else ""
        return f"{llm.model}{by_rule}"

    def _writers(self, pairs: Iterable[str]) -> list[str]:
        """Say who wrote the texts of pair sets, as far as they are synthetic and this world has them."""
        sets = (self.dino_pairs_of(self.pairs(self.pairs_id(each))) for each in pairs)
        texts = {each.texts: self.synthetic(each.texts) for each in sets if each}
        writers = {self._writer(each): None for name, each in texts.items() if not self._missing_texts(name)}
        return [f"Synthetic texts are written by {writer}." for writer in writers]

    def _writer(self, texts: SyntheticTexts) -> str:
        """Return the model that writes, in words that hold on every machine."""
        if not isinstance(texts, DinoTexts):
            return self._player(texts.llm)
        model = self.language_model(texts.lm)
        who = model.note or (model.hub.model if model.hub else Path(model.folder or "").name)
        return f"{texts.lm}: {who}" if model.note else who

    def _rewriters(self, rewrites: Rewrites) -> str:
        """Say which dictionary and language model of this world are not what their names say."""
        dictionary, model = self.dictionary_source(rewrites.dictionary), self.language_model(rewrites.lm)
        notes = {rewrites.dictionary: dictionary.note, rewrites.lm: model.note}
        return "; ".join(f"{name}: {note}" for name, note in notes.items() if note)

    def _stand_ins(self, tables: Iterable[str]) -> list[str]:
        """Say which encoders behind some tables are not what their role says."""
        roles: dict[str, None] = {}
        for name in tables:
            settings = self.tables[name][1]
            if isinstance(settings, RowTable):
                roles |= {role: None for row in settings.rows if (role := self._role(row))}
            elif isinstance(settings, PromptTable):
                roles |= {settings.scorer: None}
        notes = {role: self.encoder(role).note.removeprefix(f"{role}: ") for role in roles}
        pairs = [pairs for name in tables for pairs in self._pairs_behind(name)]
        return [f"{role}: {note}" for role, note in notes.items() if note] + self._writers(pairs)

    def _pairs_behind(self, table: str) -> list[str]:
        """Return the pair sets that a table's rows name."""
        settings = self.tables[table][1]
        if isinstance(settings, RowTable | IdentificationTable):
            return [row.pairs for row in settings.rows if row.pairs]
        return [source.pairs for source in settings.sources] if isinstance(settings, LinguisticsTable) else []

    def _text_notes(self, table: RowTable) -> list[str]:
        """Say how much of which text the runs of a table are trained on, in the order of its rows."""
        trained_on: dict[str, dict[str, None]] = {}
        for run in (runs[0] for row in table.rows if (runs := self.runs(row))):
            pairs = self.pairs(run.pairs)
            if isinstance(pairs, TriplePairs):
                name, note = pairs.source, self.triple_source(pairs.source).note
                amount = "every triple" if pairs.size is None else f"{self.size(pairs.size)} triples"
            elif isinstance(pairs, DictionaryPairs):
                name, note = pairs.rewrites, self._rewriters(self.rewrites(pairs.rewrites))
                amount = "every pair" if pairs.size is None else f"{self.size(pairs.size)} pairs"
            else:
                name = self.corpus_of(pairs) or ""
                note = self._corpus_note(name)
                drawn = self._drawn(pairs) if isinstance(pairs, SentencePairs) else None
                sentences = self.sentences(name) if drawn is None else drawn
                most = "at most " * getattr(self.corpus(name), "at_most", False)
                amount = "every line" if sentences is None else f"{most}{sentences} sentences"
            trained_on.setdefault(" of ".join(filter(None, (amount, note))), {})[name] = None
        return [
            f"Trained on {', '.join(names)}: {text}{' each' * (len(names) > 1)}."
            for text, names in trained_on.items()
        ] + self._writers(row.pairs for row in table.rows if row.pairs)

    def _corpus_note(self, name: str) -> str:
        """Say what a reader has to know about a published corpus; nothing about another one."""
        corpus = self.corpus(name)
        return self.sentence_source(corpus.file).note if isinstance(corpus, PublishedCorpus) else ""

    def _rows_of(self, table: str) -> list[Row]:
        settings = self.tables[table][1]
        if isinstance(settings, SettingsTable):
            return self._rows_with_settings(table)
        assert isinstance(settings, RowTable)
        return list(settings.rows)

    def _rows_with_settings(self, table: str) -> list[Row]:
        """Return the rows of another table that a table of settings is about, with its own labels."""
        study, settings = self.tables[table]
        assert isinstance(settings, SettingsTable)
        of = self.studies[study].tables[settings.of]
        assert isinstance(of, STSTable)
        known = {(row.group, row.model): row for row in of.rows}
        return [
            known[row.group, row.model].model_copy(update={"published": row.published})
            for row in settings.rows
        ]

    def _role(self, row: Row) -> str | None:
        """Return the encoder that a row starts from, or is; None if this world does not have it."""
        runs, released = self.runs(row), self.released(row)
        if runs:
            return self.recipe(runs[0].recipe).encoder
        return released.role if released else None

    def _table_rows(self, table: str) -> list[TableRow]:
        """Return rows with the runs behind them; behind a row with a grid, one for what a search selects."""
        found = []
        for row in self._rows_of(table):
            if lacking := self._missing_sets(table, row.group):
                note, trained = f"left out: {lacking}", row.encoder is None
                named_alike = {"group": row.group, "model": row.model, "published": row.published}
                found.append(TableRow(**named_alike, trained=trained, note=note))
                continue
            role, released, missing = self._role(row), self.released(row), self.missing(row)
            own = TableRow(
                group=row.group,
                model=row.model,
                runs=self._run_ids(table, released) if released else [run.id for run in self.runs(row)],
                trained=row.encoder is None or isinstance(self.tables[table][1], FineTunedTable),
                published=row.published,
                note=self._row_note(row, role) if role else f"left out: {missing}",
            )
            searched = self.searched(row).items()
            # A row whose encoder or corpus this world lacks has a grid without runs.
            candidates = [
                Candidate(setting=name, runs=[run.id for run in runs]) for name, runs in searched if runs
            ]
            if row.choices and candidates:
                found.append(own.model_copy(update={"candidates": candidates, "runs": []}))
                continue
            found.append(own)
            if candidates:
                selected = {"model": f"{row.model}{SELECTED}", "candidates": candidates}
                found.append(own.model_copy(update={**selected, "runs": [], "published": None}))
        return found

    def _row_note(self, row: Row, role: str) -> str:
        """Say what is not what its role says: the encoder, or the teacher of a training."""
        recipe = self.recipe(runs[0].recipe) if (runs := self.runs(row)) else None
        teacher = recipe.teacher if isinstance(recipe, Recipe) else None
        taught = self.encoder(teacher).note if teacher else ""
        return "; ".join(filter(None, [self.encoder(role).note, taught and f"{teacher}: {taught}"]))

    def _run_ids(self, table: str, released: Released) -> list[str]:
        """Return the id of an encoder as it is; one per seed where it is fine-tuned."""
        if not isinstance(self.tables[table][1], FineTunedTable):
            return [released.id]
        return [f"released/{released.role}/seed{seed}" for seed in self.seeds]

    def runs_of(self, table: str) -> list[str]:
        """Return the ids of all that is scored for a table: runs, those of a search, encoders as they are."""
        return list(dict.fromkeys(run for row in self._table_rows(table) for run in self.runs_behind(row)))

    @staticmethod
    def runs_behind(row: TableRow) -> list[str]:
        """Return the ids of all that is scored for a row."""
        return [run for runs in (row.runs, *(each.runs for each in row.candidates)) for run in runs]

    def trained_runs(self, table: str) -> list[str]:
        """Return the ids of the encoders behind a table that were trained in steps with dev scores."""
        rows = [row for row in self._rows_of(table) if not self._missing_sets(table, row.group)]
        candidates = [runs for row in rows if row.choices for runs in self.searched(row).values()]
        runs = [run for group in [*map(self.runs, rows), *candidates] for run in group]
        trained = Recipe | ContrastiveTensionRecipe
        return list(dict.fromkeys(run.id for run in runs if isinstance(self.recipe(run.recipe), trained)))

    def trained_history_inputs(self, table: str) -> list[str]:
        """Return the training logs of these encoders."""
        return [f"<results>/train/{run}/history.parquet" for run in self.trained_runs(table)]

    def history_inputs(self, table: str) -> list[str]:
        """Return the training logs behind a table of settings."""
        return [f"<results>/train/{run}/history.parquet" for run in self.runs_of(table)]

    def selection_inputs(self, table: str) -> list[str]:
        """Return the scores that a search behind a table of settings selects by; none without a search."""
        rows = self._table_rows(table)
        runs = [run for row in rows for candidate in row.candidates for run in candidate.runs]
        suite = self.suite_of(table)
        return [f"<results>/evaluate/{suite}/{run}.parquet" for run in dict.fromkeys(runs)]

    def published_inputs(self, table: str) -> list[str]:
        """Return the paper's printed table, if it has one."""
        study, settings = named(self.tables, table, "tables of the studies")
        return [self.published(study, settings.published)] if settings.published else []
