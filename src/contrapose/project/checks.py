"""A project whose every name, id and file was looked up once."""

from collections.abc import Mapping
from pathlib import Path

from contrapose.config.corpora import PublishedCorpus, SampledCorpus, SegmentedCorpus, TaskCorpus
from contrapose.config.figures import Calibration, Curve, Differences, Figure, Scatter, Tenths
from contrapose.config.pairs import (
    DictionaryPairs,
    DinoPairs,
    DropoutPairs,
    HeldOutPairs,
    PairSet,
    ReweightedPairs,
    SentencePairs,
    TriplePairs,
)
from contrapose.config.printed import (
    ExamplesTable,
    FineTunedTable,
    IdentificationTable,
    LinguisticsTable,
    PrefixWordsTable,
    PrintedTable,
    PromptTable,
    RewritesTable,
    RowTable,
    SettingsTable,
    SizesTable,
    StatisticsTable,
    STSTable,
)
from contrapose.config.recipes import Recipe
from contrapose.config.rows import BiasRow, IdentifiedSource, Row
from contrapose.config.studies import Study
from contrapose.config.worlds import ArticleFiles, LLMTranslator, PretrainedLanguageModel, TrainedRun
from contrapose.errors import ConfigError
from contrapose.ids import canonical_id, named
from contrapose.project.places import Run
from contrapose.project.rows import Rows
from contrapose.tasks import TRANSLATED


class Project(Rows):
    """Everything under `config/`, checked, for one call of the workflow.

    Parameters
    ----------
    config : mapping
        What Snakemake read from `config/config.yaml` and `--config`.
    home : Path
        The repository: where worlds, studies and recipes are that the working directory does not have.

    Raises
    ------
    ConfigError
        Any key, name, id or file that is wrong, before a job starts.
    """

    def __init__(self, config: Mapping[str, object], home: Path) -> None:
        super().__init__(config, home)
        self._check()

    def _check(self) -> None:
        """Resolve everything once, so that a wrong name stops here and not in the middle of the work."""
        for _, table in self.tables.values():
            self._check_table(table)
        for study in self.studies.values():
            for name, table in study.tables.items():
                if isinstance(table, SettingsTable):
                    self._check_settings(study, name, table)
            for name, figure in study.figures.items():
                self._check_figure(study, name, figure)
            for name in (name for deviation in study.deviations for name in deviation.tables):
                named({**study.tables, **study.figures}, name, "deviations: tables of the study")
        for name in self.studies:
            for claim in self.claims(name):
                self.claim_functions(name)
                for needed in claim.needs:
                    if needed not in self.studies[name].tables:
                        self.published(name, f"{needed}.csv")
        self._check_translator()
        self._check_data()

    def _check_table(self, table: PrintedTable) -> None:
        if isinstance(table, RowTable):
            if isinstance(table, FineTunedTable):
                self._check_fine_tuned(table)
            for row in table.rows:
                self._check_row(row)
                if isinstance(row, BiasRow):
                    self.probe(row.probe)
        elif isinstance(table, PromptTable):
            self._check_prompts(table)
        elif isinstance(table, StatisticsTable):
            for corpus in (row.corpus for row in table.rows if row.corpus is not None):
                self._check_corpus(corpus)
        elif isinstance(table, PrefixWordsTable | ExamplesTable):
            self._check_pairs(self.pairs(self.pairs_id(table.pairs)))
        elif isinstance(table, IdentificationTable):
            for each in table.rows:
                self._check_identified(each.pairs, each.identifier)
        elif isinstance(table, LinguisticsTable):
            self._check_sources(table.sources)
        elif isinstance(table, RewritesTable):
            for rewritten in table.rows:
                self._check_rewrites(rewritten.rewrites, rewritten.threshold, f"row '{rewritten.model}'")
        elif isinstance(table, SizesTable):
            for pairs in (pairs for row in table.rows for pairs in row.pairs.values()):
                self._check_pairs(self.pairs(self.pairs_id(pairs)))

    def _check_fine_tuned(self, table: FineTunedTable) -> None:
        """A fine-tuning is there, and encoders have tokens to train on."""
        size = self.fine_tuning(table.fine_tuning).train_pairs
        if size is not None:
            self.size(size)
        for row in table.rows:
            if row.encoder is not None:
                self.check_trainable(row.encoder)

    def _check_figure(self, study: Study, name: str, figure: Figure) -> None:
        if isinstance(figure, Scatter):
            kind = named(study.tables, figure.of, f"{name}.of: tables of the study").kind
            if kind != "geometry":
                raise ConfigError(
                    f"{name}.of: '{figure.of}' is of kind {kind}. Name a table of kind geometry."
                )
        elif isinstance(figure, Calibration):
            for panel in figure.panels:
                self._check_identified(panel.pairs, panel.identifier)
        elif isinstance(figure, Curve):
            for table in figure.of:
                kind = named(study.tables, table, f"{name}.of: tables of the study").kind
                if kind not in ("sts", "fine_tuned", "rewrites"):
                    raise ConfigError(
                        f"{name}.of: '{table}' is of kind {kind}. Name tables of kind sts, fine_tuned or "
                        "rewrites."
                    )
        elif isinstance(figure, Tenths):
            self._check_sources(figure.sources)
        elif isinstance(figure, Differences):
            self._check_differences(study, name, figure)

    def _check_data(self) -> None:
        """A world that reads files is told where they are, and another one is not."""
        reads_data = self._reads_data and not self.makes_data
        if reads_data and self.data is None:
            raise ConfigError(
                f"data is not set, and the world '{self.world_name}' reads its files from there. "
                "Say where: --config data=FOLDER"
            )
        if self.makes_data and self.data is not None:
            raise ConfigError(
                f"data is '{self.data}', but the world '{self.world_name}' makes its own data. "
                "Leave data out, or choose a world that reads files: --config world=files"
            )

    def _check_translator(self) -> None:
        """A world has its translated sets from one place, and a translator has something to translate."""
        translator = self.world.translator
        if translator is None:
            return
        tasks = {source.task: name for name, source in self.world.benchmarks.items()}
        if twins := [tasks[task] for task in TRANSLATED.values() if task in tasks]:
            raise ConfigError(
                f"benchmarks of the world: '{twins[0]}' is a translated set, and the world has a translator, "
                "too. Keep one of them: translator: null takes the set as it is."
            )
        if lacking := [task for task in TRANSLATED if task not in tasks]:
            raise ConfigError(
                f"translator: the world '{self.world_name}' has no set of task {lacking[0]} to translate. "
                f"Add it to benchmarks in config/worlds/{self.world_name}.yaml, or set translator: null."
            )
        if translator.size is not None:
            self.size(translator.size)
        if isinstance(translator, LLMTranslator):
            self.llm(translator.llm)
            self.prompt(translator.prompt)

    def _check_row(self, row: Row) -> None:
        if row.encoder is not None:
            self.has_encoder(row.encoder)
            self.as_it_is(row.encoder, row.pooling)
        for runs in (self.runs(row), *self.searched(row).values()):
            for run in runs[:1]:
                self._check_run(run)

    def _check_run(self, run: Run) -> None:
        """A run can be trained, and so can those that it starts from."""
        pairs, recipe = self.pairs(run.pairs), self.recipe(run.recipe)
        self._check_pairs(pairs)
        if isinstance(recipe, Recipe):
            self._check_trained(run, recipe)
        for role in filter(None, (recipe.encoder, self.teacher(recipe))):
            self.check_trainable(role)
            source = self.world.encoders[role]
            if isinstance(source, TrainedRun):
                self._check_run(self.first_run_of(source))

    def _check_trained(self, run: Run, recipe: Recipe) -> None:
        """The loss of a recipe can be had of the pairs, and so can its dev set."""
        pairs = self.pairs(run.pairs)
        if isinstance(pairs, HeldOutPairs) and pairs.part == "dev":
            raise ConfigError(f"pairs '{run.pairs}' are for dev alone. Train on those without part=dev.")
        if recipe.ranks and not isinstance(pairs, DropoutPairs):
            raise ConfigError(
                f"recipe '{run.recipe}' on pairs '{run.pairs}': consistency and distillation rank two "
                f"dropout views of a sentence; these are of kind {pairs.kind}. Name pairs of kind dropout."
            )
        labelled = self.dino_pairs_of(pairs) is not None
        if labelled != (recipe.loss == "cosine_error"):
            raise ConfigError(
                f"recipe '{run.recipe}' on pairs '{run.pairs}': the loss {recipe.loss} is for pairs "
                f"{'without' if labelled else 'with'} labels. Those of kind dino and reweighted have labels: "
                "cosine_error is for them, info_nce for all others."
            )
        if recipe.dev == "pairs":
            self.own_dev(run.pairs)

    def _check_settings(self, study: Study, name: str, table: SettingsTable) -> None:
        """Every row of a table of settings is one of training in the table it is about."""
        of = named(study.tables, table.of, f"{name}.of: tables of the study")
        if not isinstance(of, STSTable):
            raise ConfigError(f"{name}.of: '{table.of}' is of kind {of.kind}. Name a table of kind sts.")
        known = {
            f"{row.group}: {row.model}": None
            for row in of.rows
            if row.recipe is not None
            and isinstance(self.recipe(canonical_id(row.recipe, self.recipes.recipes)), Recipe)
        }
        for row in table.rows:
            named(known, f"{row.group}: {row.model}", f"{name}: trained rows of {table.of}")

    def _check_differences(self, study: Study, name: str, figure: Differences) -> None:
        """A baseline is a row of the table whose differences are drawn."""
        of = named(study.tables, figure.of, f"{name}.of: tables of the study")
        if not isinstance(of, STSTable):
            raise ConfigError(f"{name}.of: '{figure.of}' is of kind {of.kind}. Name a table of kind sts.")
        named({row.model: None for row in of.rows}, figure.baseline, f"{name}.baseline: rows of {figure.of}")

    def _check_pairs(self, pairs: PairSet) -> None:
        if isinstance(pairs, SentencePairs | TriplePairs | DictionaryPairs) and pairs.size is not None:
            self.size(pairs.size)
        if isinstance(pairs, HeldOutPairs):
            self._check_held_out(pairs)
        if pairs.kind == "triples":
            self.triple_source(pairs.source)
            return
        if (synthetic := self.dino_pairs_of(pairs)) is not None:
            self._check_synthetic(synthetic)
            if isinstance(pairs, ReweightedPairs) and pairs.strategy != "random":
                self.check_trainable(self.identifier(pairs.identifier).encoder)
            return
        if isinstance(pairs, DictionaryPairs):
            self._check_rewrites(pairs.rewrites, pairs.threshold, "pairs")
            return
        assert not isinstance(pairs, DinoPairs | ReweightedPairs)
        self._check_corpus(pairs.corpus)
        if pairs.kind == "paraphrase":
            self.sampled_corpus(pairs.corpus)
            self.llm(pairs.llm)
            self.prompt(pairs.prompt)

    def _check_held_out(self, pairs: HeldOutPairs) -> None:
        if pairs.held_out is None:
            if pairs.part == "dev":
                raise ConfigError("pairs: part is dev, and no pairs are held out. Set held_out.")
        elif (count := self.size(pairs.held_out)) < 2:
            raise ConfigError(
                f"pairs: held_out is {pairs.held_out}, {count} pair in the world '{self.world_name}'; a "
                f"checkpoint is selected on at least 2. Raise sizes.{pairs.held_out} or scale in "
                f"config/worlds/{self.world_name}.yaml."
            )

    def _check_rewrites(self, name: str, threshold: float, where: str) -> None:
        rewrites = self.rewrites(name)
        if threshold < rewrites.floor:
            raise ConfigError(
                f"{where}: threshold is {threshold:g}, but rewrites.{name} has no rules below "
                f"its floor, {rewrites.floor:g}. Lower the floor, or raise the threshold."
            )
        self._check_corpus(rewrites.corpus)
        self.has_dictionary(rewrites.dictionary)
        self._check_language_model(rewrites.lm)

    def _check_language_model(self, role: str) -> None:
        source = self.world.language_models[role] if self.has_language_model(role) else None
        if isinstance(source, PretrainedLanguageModel):
            for name in source.instructions:
                self.instructions(name)
            if source.corpus:
                self._check_corpus(source.corpus)

    def _check_synthetic(self, pairs: DinoPairs) -> None:
        texts = self.synthetic(pairs.texts)
        self._check_corpus(texts.corpus)
        self.instructions(texts.instructions)
        if texts.kind == "asked":
            self.llm(texts.llm)
        else:
            self._check_language_model(texts.lm)
        if pairs.dev is not None:
            self._check_synthetic(self.dino_pairs(pairs.dev))

    def _check_identified(self, of: str, identifier: str) -> DinoPairs:
        """Return the pairs of an id if they have machine texts that an identifier can judge."""
        pairs = self.pairs(self.pairs_id(of))
        if not isinstance(pairs, DinoPairs):
            raise ConfigError(
                f"pairs '{of}' are of kind {pairs.kind}, and have no machine texts to be told from "
                "human ones. Name a pair set of kind dino."
            )
        self._check_synthetic(pairs)
        self.has_encoder(self.identifier(identifier).encoder)
        self.check_trainable(self.identifier(identifier).encoder)
        return pairs

    def _check_sources(self, sources: list[IdentifiedSource]) -> None:
        """Human texts have partners where they are of evaluation sets."""
        for source in sources:
            pairs = self._check_identified(source.pairs, source.identifier)
            corpus = self.synthetic(pairs.texts).corpus
            if not isinstance(self.corpus(corpus), TaskCorpus):
                raise ConfigError(
                    f"pairs '{source.pairs}': the sentences of corpus '{corpus}' have no partners to compare "
                    "their wording with. Name pairs of a corpus of kind tasks."
                )

    def _check_corpus(self, name: str) -> None:
        self.sentences(name)
        corpus = self.corpus(name)
        if isinstance(corpus, PublishedCorpus):
            self.sentence_source(corpus.file)
        elif isinstance(corpus, SegmentedCorpus):
            self.has_collection(corpus.collection)
        elif isinstance(corpus, SampledCorpus):
            self.articles()

    def _check_prompts(self, table: PromptTable) -> None:
        for role in filter(None, (table.scorer, table.parascore)):
            self.check_trainable(role)
        for row in table.rows:
            self._check_corpus(row.corpus)
            self.sampled_corpus(row.corpus)
            self.llm(row.llm)
            self.prompt(row.prompt)

    @property
    def _reads_data(self) -> bool:
        files = (
            isinstance(self.world.articles, ArticleFiles),
            self._benchmark_sources(),
            self.world.transfer,
        )
        return any(map(bool, files))
