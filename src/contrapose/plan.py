"""What every rule of the workflow reads and is set to.

A rule is named `<stage>_<script>`; its settings are the method of that name here, its script is
`workflow/scripts/<stage>/<script>.py`.  The rules, `make verify` and the tests all ask this one place.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar, cast

from contrapose.config.main import Config
from contrapose.config.recipes import (
    ContrastiveTensionRecipe,
    DropoutPairs,
    FlowRecipe,
    PrefixPairs,
    PublishedCorpus,
    PunctuationPairs,
    Recipe,
    SentencePairs,
    TaskCorpus,
    TriplePairs,
    WhiteningRecipe,
)
from contrapose.config.spec import Pooling, Spec
from contrapose.config.studies import (
    Curve,
    ExamplesTable,
    GeometryTable,
    LengthBiasTable,
    LengthsTable,
    PrefixWordsTable,
    PrintedLayout,
    PromptTable,
    QuestionLengthsTable,
    Row,
    RowTable,
    Scatter,
    SettingsTable,
    SimilaritiesTable,
    StatisticsTable,
    STSTable,
    TransferTable,
)
from contrapose.config.worlds import (
    BenchmarkFiles,
    Connection,
    EncoderFolder,
    EncoderHub,
    HubFile,
    LLMTranslator,
    MiniWorld,
    PretrainedEncoder,
    Seq2SeqTranslator,
    TrainedVectors,
)
from contrapose.errors import ConfigError
from contrapose.fingerprint import canonical, code_digest, digest
from contrapose.ids import named
from contrapose.jobs import (
    AskingJob,
    BiasTableRow,
    Candidate,
    ClaimsJob,
    ContrastiveTensionJob,
    CorpusDraws,
    CorpusSample,
    CostJob,
    CurveJob,
    DropoutJob,
    EstimateJob,
    EvaluationJob,
    ExamplesTableJob,
    FlowJob,
    GeometryJob,
    GeometryTableJob,
    HistogramJob,
    LengthBiasJob,
    LengthBiasTableJob,
    LengthsTableJob,
    PrefixJob,
    PrefixWordsTableJob,
    PrintedTable,
    PromptTableJob,
    PromptTableRow,
    PublishedSample,
    PunctuationJob,
    Question,
    QuestionLengthsJob,
    ReplacementJob,
    ScatterJob,
    ScorerJob,
    ScoreTableJob,
    SettingsTableJob,
    SimilaritiesJob,
    SimilaritiesTableJob,
    StatisticsTableJob,
    STSTableJob,
    TableRow,
    TaskSentences,
    TrainingJob,
    TransferJob,
    TranslationSample,
    TripleSample,
    WhiteningJob,
)
from contrapose.project import Project, Run, checked_encoder_folder, encoder_files
from contrapose.tasks import TASKS, UNTRANSLATED, Suite

S = TypeVar("S", bound=Spec)


# Rules that run another rule's script.
SHARED_SCRIPTS = {
    "evaluate_folder": "evaluate/run.py",
    "evaluate_released": "evaluate/run.py",
    "evaluate_geometry_released": "evaluate/geometry.py",
    "evaluate_length_bias_released": "evaluate/length_bias.py",
    "evaluate_similarities_released": "evaluate/similarities.py",
    "evaluate_transfer_released": "evaluate/transfer.py",
    "report_transfer_table": "report/sts_table.py",
}


def without_note(source: S) -> S:
    """Return where something is without the words about it, which change no result."""
    return source.model_copy(update={"note": ""})


class Plan(Project):
    """A project as the rules of the workflow see it.

    Methods named like a rule return its settings from its wildcards; methods named `*_inputs` return files.
    """

    def settings(self, rule: str, wildcards: Mapping[str, str]) -> str:
        """Return the canonical settings of a rule: what it alone uses, and nothing that cannot change it."""
        return canonical(getattr(self, rule)(**wildcards))

    def code(self, rule: str) -> str:
        """Return the digest of a rule's script and of all package code that it reaches."""
        script = SHARED_SCRIPTS.get(rule, f"{rule.replace('_', '/', 1)}.py")
        return code_digest(self.home / "workflow" / "scripts" / script, self.home / "src")

    def fingerprint(self, rule: str, wildcards: Mapping[str, str]) -> str:
        """Return one digest of a rule's settings and code: names what belongs to just this work."""
        return digest(self.settings(rule, wildcards), self.code(rule))

    def plan(self) -> Config:
        """What all of it will take depends on everything that a person sets."""
        return self.config

    # ------------------------------------------------------------------------------------- retrieve

    def retrieve_mini_world(self) -> Spec:
        """Settings of the generator, at the world's scale."""
        mini = self.world.mini
        assert mini is not None
        return MiniWorld(seed=mini.seed, articles=self._scaled(mini.articles), pairs=self._scaled(mini.pairs))

    def retrieve_archive(self) -> Spec:
        """Which archive of the hub is the data folder."""
        assert self.world.archive is not None
        return self.world.archive

    def retrieve_articles(self) -> Spec:
        """Where articles come from and how their files are read."""
        return self.world.articles

    def retrieve_benchmarks(self, suite: str) -> dict:
        """Where the evaluation sets of a suite come from."""
        sources = self.benchmark_sources(cast(Suite, suite))
        return {name: source.model_dump() for name, source in sorted(sources.items())}

    def retrieve_transfer(self) -> dict:
        """Where every transfer task is."""
        return {task: source.model_dump() for task, source in self.world.transfer.items()}

    def retrieve_translated(self) -> TranslationSample:
        """Which pairs are translated."""
        translator = self.world.translator
        if translator is None:
            raise ConfigError(
                f"translator: the world '{self.world_name}' names none: nothing is translated. Name one in "
                f"config/worlds/{self.world_name}.yaml: a language model, {{kind: llm, llm: ROLE}}, or a "
                "model on this machine, {kind: seq2seq, path: FOLDER}."
            )
        pairs = None if translator.size is None else self.size(translator.size)
        return TranslationSample(pairs=pairs, seed=translator.seed)

    def translation_inputs(self) -> list[str]:
        """Return the files of all translations."""
        if isinstance(self.world.translator, LLMTranslator):
            return [f"{folder}/translations.parquet" for folder in self._translated_shards]
        return ["<results>/generate/translation/seq2seq.parquet"]

    def retrieve_naive(self) -> dict:
        """Where every English benchmark comes from: those in files are read once more."""
        return self.retrieve_benchmarks("english")

    def retrieve_triples(self, source: str) -> Spec:
        """Where NLI triples are and how their files are read."""
        return without_note(self.triple_source(source))

    def retrieve_mini_encoder(self, role: str) -> dict:
        """Which encoder of the mini world; how it is made stands beside the code that makes it."""
        return {"role": role}

    @property
    def mini_encoder_roles(self) -> list[str]:
        """Roles whose encoder the mini world makes: those with a folder of their own name."""
        sources = self.world.encoders.items()
        folders = ((role, each) for role, each in sources if isinstance(each, EncoderFolder))
        own = (role for role, each in folders if Path(each.path).name == role)
        return sorted(own) if self.world.mini else []

    def article_inputs(self, made: str) -> list[str]:
        """Return the files of the articles; `made` is the folder of a world that makes its own."""
        if self.world.articles.kind == "hub":
            return []
        return [made] if self.makes_data else self.article_files()

    def benchmark_inputs(self, suite: str, made: str) -> list[str]:
        """Return the files of the evaluation sets of a suite, likewise."""
        sources = self.benchmark_sources(cast(Suite, suite))
        if not any(isinstance(source, BenchmarkFiles) for source in sources.values()):
            return []
        return [made] if self.makes_data else self.benchmark_files(cast(Suite, suite))

    def transfer_inputs(self, made: str) -> list[str]:
        """Return the files of the transfer tasks, likewise."""
        return [made] if self.makes_data else self.transfer_files()

    def triple_inputs(self, source: str, made: str) -> list[str]:
        """Return the files of NLI triples, likewise."""
        if isinstance(self.triple_source(source), HubFile):
            return []
        return [made] if self.makes_data else self.triple_files(source)

    # --------------------------------------------------------------------------------------- corpus

    def corpus_published(self, corpus: str) -> PublishedSample:
        """Where the lines are, and which of them are kept."""
        spec = self.published_corpus(corpus)
        source = without_note(self.sentence_source(spec.file))
        return PublishedSample(
            file=spec.file, source=source, sentences=self.sentences(corpus), seed=spec.seed
        )

    def sentence_inputs(self, corpus: str, made: str) -> list[str]:
        """Return the file of a published corpus; `made` is the folder of a world that makes its own."""
        name = self.published_corpus(corpus).file
        if isinstance(self.sentence_source(name), HubFile):
            return []
        return [made] if self.makes_data else self.sentence_files(name)

    def corpus_tasks(self, corpus: str) -> TaskSentences:
        """Which sets, and how many of their sentences."""
        spec = self.corpus(corpus)
        assert isinstance(spec, TaskCorpus)
        return TaskSentences(
            tasks=spec.tasks, split=spec.split, sentences=self.sentences(corpus), seed=spec.seed
        )

    def task_corpus_suite(self, corpus: str) -> Suite:
        """Return the suite whose sets a corpus is made of."""
        spec = self.corpus(corpus)
        assert isinstance(spec, TaskCorpus)
        return TASKS[spec.tasks[0]].suite

    def corpus_punkt(self) -> dict:
        """Return how many articles Punkt is trained on where it is not installed."""
        return {"punkt_articles": self.world.punkt_articles}

    def corpus_draw(self, corpus: str, shard: str, shards: str) -> Spec:
        """How sentences are drawn; the shard is in the file's name."""
        spec = self.sampled_corpus(corpus)
        draws = self.size(spec.size) * self.world.draws_per_sentence
        return CorpusDraws(**spec.model_dump(), draws=draws)

    def corpus_sample(self, corpus: str) -> Spec:
        """How many of them are kept."""
        drawn = self.corpus_draw(corpus, "0", "1")
        sentences = self.size(self.sampled_corpus(corpus).size)
        return CorpusSample(**drawn.model_dump(), sentences=sentences)

    # ------------------------------------------------------------------------------------- generate

    def generate_paraphrase(self, corpus: str, llm: str, prompt: str, **shard: str) -> AskingJob:
        """What is asked; how the model is reached cannot change an answer (`connection`)."""
        asked = self.llm(llm).asked()
        return AskingJob(llm=llm, asked=asked, prompt=prompt, text=self.prompt(prompt))

    def generate_merge(self, corpus: str, llm: str, prompt: str) -> ReplacementJob:
        """What is asked, and where replacements are drawn from."""
        job = self.generate_paraphrase(corpus, llm, prompt)
        replacements = self.llm(llm).replacements
        return ReplacementJob(**dict(job), corpus=self.sampled_corpus(corpus), replacements=replacements)

    def corpus_untranslated(self) -> TranslationSample:
        """Which pairs are translated."""
        return self.retrieve_translated()

    def generate_translate(self, llm: str, **shard: str) -> AskingJob:
        """What is asked; how the model is reached cannot change an answer (`connection`)."""
        translator = self.world.translator
        if not isinstance(translator, LLMTranslator) or translator.llm != llm:
            raise ConfigError(
                f"llms.{llm} is not the translator of the world '{self.world_name}'. Name it: "
                f"translator: {{kind: llm, llm: {llm}}}."
            )
        asked, text = self.llm(llm).asked(), self.prompt(translator.prompt)
        return AskingJob(llm=llm, asked=asked, prompt=translator.prompt, text=text, wanted="translation")

    def generate_seq2seq(self) -> dict:
        """Return nothing: the folder of the model decides."""
        return {}

    @property
    def translator_folder(self) -> str:
        """Folder of the local translation model; empty if none translates."""
        translator = self.world.translator
        if not isinstance(translator, Seq2SeqTranslator):
            return ""
        return str(self._place_of(translator))

    def translator_inputs(self) -> list[str]:
        """Return the files of the local translation model."""
        if not self.translator_folder:
            raise ConfigError(
                f"translator of the world '{self.world_name}' is no local model. Name one: "
                "translator: {kind: seq2seq, path: FOLDER}."
            )
        return encoder_files(checked_encoder_folder(Path(self.translator_folder), "translator.path"))

    @property
    def translating_llm(self) -> str | None:
        """The role of the language model that translates, if one does and a table wants it."""
        translator, tables = self.world.translator, self.tables
        wanted = any(self._suite(table) == "translated" for table in tables)
        return translator.llm if wanted and isinstance(translator, LLMTranslator) else None

    @property
    def _translated_shards(self) -> list[str]:
        translator, shards = self.world.translator, self.config.shards.generate
        assert isinstance(translator, LLMTranslator)
        folder = f"<results>/generate/translation/{translator.llm}"
        return [f"{folder}/{shard}-of-{shards}" for shard in range(shards)]

    def asked_corpora(self) -> list[str]:
        """Return the names of all corpora that a language model is asked about, sorted."""
        corpora = {corpus for corpus, _, _ in self.questions}
        return sorted(corpora | {UNTRANSLATED} if self.translating_llm else corpora)

    def completion_inputs(self) -> list[str]:
        """Return the files of all answers."""
        files = [
            f"<results>/generate/{corpus}/{llm}-prompt{prompt}/completions.parquet"
            for corpus, llm, prompt in self.questions
        ]
        folders = self._translated_shards if self.translating_llm else []
        return files + [f"{folder}/completions.parquet" for folder in folders]

    @property
    def questions(self) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of all paraphrases that the tables of the studies ask for, sorted."""
        asked: set[tuple[str, str, str]] = set()
        for name, (_, table) in self.tables.items():
            if isinstance(table, PromptTable):
                asked |= {(row.corpus, row.llm, row.prompt) for row in table.rows}
            elif isinstance(table, RowTable) and not self._missing_sets(name):
                pairs = [self.pairs(runs[0].pairs) for row in table.rows if (runs := self.runs(row))]
                asked |= {(one.corpus, one.llm, one.prompt) for one in pairs if one.kind == "paraphrase"}
        return sorted(asked)

    @property
    def llm_roles(self) -> list[str]:
        """Return the roles of the language models that the tables of the studies ask, sorted."""
        roles, translating = {llm for _, llm, _ in self.questions}, self.translating_llm
        return sorted(roles | {translating} if translating else roles)

    def generate_estimate(self) -> EstimateJob:
        """What will be asked."""
        questions = [
            Question(corpus=corpus, job=self.generate_paraphrase(corpus, llm, prompt))
            for corpus, llm, prompt in self.questions
        ]
        rules = ["generate_paraphrase"]
        if llm := self.translating_llm:
            questions.append(Question(corpus=UNTRANSLATED, job=self.generate_translate(llm)))
            rules.append("generate_translate")
        return EstimateJob(questions=questions, codes=[self.code(rule) for rule in rules])

    def generate_cost(self) -> CostJob:
        """Whose answers are counted; their prices stand in the journals."""
        return CostJob(
            models={llm: self.llm(llm).model for llm in self.llm_roles},
            codes=[self.code(f"generate_{script}") for script in ("merge", "paraphrase", "translate")],
        )

    def all_knowledge_inputs(self, made: str) -> list[str]:
        """Return what the language models of all questions know, once."""
        return sorted({path for llm in self.llm_roles for path in self.knowledge_inputs(llm, made)})

    def connection(self, llm: str) -> Connection:
        """How a language model is reached."""
        return self.llm(llm).connection(llm)

    def knowledge_inputs(self, llm: str, made: str) -> list[str]:
        """Return what the mini world's language model knows; other models need no file."""
        return [made] if self.world.mini and self.llm(llm).endpoint == "loopback" else []

    def journal_of(self, llm: str) -> str:
        """Name the journal that keeps a language model's paid answers: one for each role and model."""
        return f"{llm}-{self.llm(llm).model}".replace("/", "_")

    # ---------------------------------------------------------------------------------------- score

    def score_similarities(self, corpus: str, llm: str, prompt: str, scorer: str) -> ScorerJob:
        """Which encoder measures similarity, with its own pooling."""
        return ScorerJob(pooling=self.encoder(scorer).pooling, encoder=self._hub_encoder(scorer))

    def score_parascores(self, corpus: str, llm: str, prompt: str, scorer: str) -> ScorerJob:
        """Which encoder BERTScore takes; it looks at tokens, so no pooling."""
        return ScorerJob(encoder=self._hub_encoder(scorer))

    def score_paraphrases(self, corpus: str, llm: str, prompt: str, scorer: str) -> dict:
        """Return nothing: the thesis's formula has no setting."""
        return {}

    # ---------------------------------------------------------------------------------------- pairs

    def generated_by(self, pairs: str) -> str:
        """Return the folder of the answers that a pair set is made of."""
        spec = self.pairs(pairs)
        assert spec.kind == "paraphrase"
        return f"<results>/generate/{spec.corpus}/{spec.llm}-prompt{spec.prompt}"

    def pairs_dropout(self, pairs: str) -> DropoutJob:
        """Which sentences."""
        spec = self.pairs(pairs)
        assert isinstance(spec, DropoutPairs)
        return DropoutJob(**dict(spec), sentences=self._drawn(spec))

    def pairs_punctuation(self, pairs: str) -> PunctuationJob:
        """Which sentences, and what is inserted."""
        spec = self.pairs(pairs)
        assert isinstance(spec, PunctuationPairs)
        return PunctuationJob(**dict(spec), sentences=self._drawn(spec))

    def pairs_prefix(self, pairs: str) -> PrefixJob:
        """Which sentences, and what stands in front of them."""
        spec = self.pairs(pairs)
        assert isinstance(spec, PrefixPairs)
        return PrefixJob(**dict(spec), sentences=self._drawn(spec))

    def pairs_paraphrase(self, pairs: str) -> Spec:
        """Settings of the pair set."""
        return self.pairs(pairs)

    def pairs_triples(self, pairs: str) -> TripleSample:
        """How many triples are kept, and which."""
        spec = self.pairs(pairs)
        assert isinstance(spec, TriplePairs)
        return TripleSample(triples=self._drawn(spec), seed=spec.seed)

    def _drawn(self, spec: SentencePairs | TriplePairs) -> int | None:
        return None if spec.size is None else self.size(spec.size)

    # ----------------------------------------------------------------------------- train, evaluate

    def train_encoder(self, pairs: str, recipe: str, seed: str) -> TrainingJob:
        """The recipe at this world's scale, and the seed; the pairs come as a file."""
        settings = self.recipe(recipe)
        assert isinstance(settings, Recipe)
        return TrainingJob(recipe=settings, seed=_seed(seed), encoder=self._hub_encoder(settings.encoder))

    def train_whitening(self, pairs: str, recipe: str, seed: str) -> WhiteningJob:
        """The recipe alone: with every seed whitening gives the same encoder."""
        settings = self.recipe(recipe)
        assert isinstance(settings, WhiteningRecipe)
        _seed(seed)
        return WhiteningJob(recipe=settings, encoder=self._hub_encoder(settings.encoder))

    def train_flow(self, pairs: str, recipe: str, seed: str) -> FlowJob:
        """The recipe and the seed."""
        settings = self.recipe(recipe)
        assert isinstance(settings, FlowRecipe)
        return FlowJob(recipe=settings, seed=_seed(seed), encoder=self._hub_encoder(settings.encoder))

    def train_contrastive_tension(self, pairs: str, recipe: str, seed: str) -> ContrastiveTensionJob:
        """The recipe at this world's scale, and the seed."""
        settings = self.recipe(recipe)
        assert isinstance(settings, ContrastiveTensionRecipe)
        hub = self._hub_encoder(settings.encoder)
        return ContrastiveTensionJob(recipe=settings, seed=_seed(seed), encoder=hub)

    def train_glove(self, role: str) -> TrainedVectors:
        """The corpus's name and how vectors are trained on it."""
        return without_note(self._trained_vectors(role))

    def _trained_vectors(self, role: str) -> TrainedVectors:
        source = named(self.world.encoders, role, "encoders of the world")
        if not isinstance(source, TrainedVectors):
            raise ConfigError(
                f"encoders.{role} of the world '{self.world_name}' is not of kind glove: nothing is trained "
                f"for it. Ask for its scores instead."
            )
        return source

    def train_pretrained(self, role: str) -> PretrainedEncoder:
        """The corpus's name, and how the encoder is pre-trained on it."""
        return without_note(self._pretrained(role))

    def _pretrained(self, role: str) -> PretrainedEncoder:
        source = named(self.world.encoders, role, "encoders of the world")
        if not isinstance(source, PretrainedEncoder):
            raise ConfigError(
                f"encoders.{role} of the world '{self.world_name}' is not of kind pretrained: nothing is "
                "trained for it. Ask for its scores instead."
            )
        return source

    def pretraining_corpus(self, role: str) -> str:
        """Return the corpus that the encoder of a role is pre-trained on."""
        return f"<results>/corpus/{self._pretrained(role).corpus}.parquet"

    def glove_corpus(self, role: str) -> str:
        """Return the corpus that the word vectors of a role are trained on."""
        return f"<results>/corpus/{self._trained_vectors(role).corpus}.parquet"

    def checkpoint_of(self, rule: str, pairs: str, recipe: str, seed: str) -> str:
        """Name the folder of a run's checkpoint: another one for other settings or other code."""
        work = self.fingerprint(rule, {"pairs": pairs, "recipe": recipe, "seed": seed})
        return f"train/{pairs}/{recipe}/seed{seed}/{work}"

    def dev_suite(self, recipe: str) -> Suite:
        """Return the suite of the dev set that selects the checkpoint of a recipe."""
        settings = self.recipe(recipe)
        assert isinstance(settings, Recipe | ContrastiveTensionRecipe)
        return TASKS[settings.dev].suite

    def evaluate_run(self, suite: str, pairs: str, recipe: str, seed: str) -> EvaluationJob:
        """The pooling that training saved with the encoder, and the intervals."""
        return EvaluationJob(run=Run(pairs, recipe, int(seed)).id, bootstrap=self.config.bootstrap)

    def evaluate_released(self, suite: str, role: str, pooling: str) -> EvaluationJob:
        """An encoder as it is, with one of the poolings."""
        released = self.as_it_is(role, cast(Pooling, pooling))
        return EvaluationJob(
            run=released.id,
            pooling=released.pooling,
            bootstrap=self.config.bootstrap,
            encoder=self._hub_encoder(role),
        )

    def evaluate_geometry(self, pairs: str, recipe: str, seed: str) -> GeometryJob:
        """The pooling that training saved with the encoder."""
        return GeometryJob(run=Run(pairs, recipe, int(seed)).id)

    def evaluate_geometry_released(self, role: str, pooling: str) -> GeometryJob:
        """An encoder as it is, with one of the poolings."""
        released = self.as_it_is(role, cast(Pooling, pooling))
        return GeometryJob(run=released.id, pooling=released.pooling, encoder=self._hub_encoder(role))

    def evaluate_length_bias(self, probe: str, pairs: str, recipe: str, seed: str) -> LengthBiasJob:
        """Which pairs, and the pooling that training saved with the encoder."""
        return self._length_bias_job(probe, Run(pairs, recipe, int(seed)).id)

    def evaluate_length_bias_released(self, probe: str, role: str, pooling: str) -> LengthBiasJob:
        """Which pairs, and an encoder as it is, with one of the poolings."""
        released = self.as_it_is(role, cast(Pooling, pooling))
        scorer = {"pooling": released.pooling, "encoder": self._hub_encoder(role)}
        return self._length_bias_job(probe, released.id).model_copy(update=scorer)

    def _length_bias_job(self, probe: str, run: str) -> LengthBiasJob:
        settings, bootstrap = self.probe(probe), self.config.bootstrap
        return LengthBiasJob(run=run, probe=probe, pairs=settings, bootstrap=bootstrap)

    def suite_of_probe(self, probe: str) -> Suite:
        """Return the suite whose pairs a probe takes."""
        return TASKS[self.probe(probe).tasks[0]].suite

    def evaluate_similarities(self, table: str, pairs: str, recipe: str, seed: str) -> SimilaritiesJob:
        """Which texts, and the pooling that training saved with the encoder."""
        return self._similarities_job(table, Run(pairs, recipe, int(seed)).id)

    def evaluate_similarities_released(self, table: str, role: str, pooling: str) -> SimilaritiesJob:
        """Which texts, and an encoder as it is, with one of the poolings."""
        released = self.as_it_is(role, cast(Pooling, pooling))
        scorer = {"pooling": released.pooling, "encoder": self._hub_encoder(role)}
        return self._similarities_job(table, released.id).model_copy(update=scorer)

    def _similarities_job(self, table: str, run: str) -> SimilaritiesJob:
        settings = self.similarities(table)
        texts = [(text.label, text.text) for text in settings.texts]
        return SimilaritiesJob(run=run, sentence=settings.sentence, texts=texts)

    def similarities(self, table: str) -> SimilaritiesTable:
        """Return the settings of a table of similarities."""
        settings = named(self.tables, table, "tables of the studies")[1]
        assert isinstance(settings, SimilaritiesTable)
        return settings

    def evaluate_transfer(self, pairs: str, recipe: str, seed: str) -> TransferJob:
        """What scoring on evaluation sets depends on, and the folds."""
        scored = self.evaluate_run("english", pairs, recipe, seed)
        return TransferJob(**dict(scored), folds=self.config.folds)

    def evaluate_transfer_released(self, role: str, pooling: str) -> TransferJob:
        """An encoder as it is, likewise."""
        scored = self.evaluate_released("english", role, pooling)
        return TransferJob(**dict(scored), folds=self.config.folds)

    def evaluate_folder(self, suite: str) -> EvaluationJob:
        """The folder's own pooling, unless `pooling` names another."""
        name = Path(self.config.encoder or "").resolve().name
        config = self.config
        return EvaluationJob(run=f"encoder/{name}", pooling=config.pooling, bootstrap=config.bootstrap)

    # ---------------------------------------------------------------------------------------- report

    def report_sts_table(self, table: str) -> STSTableJob:
        """What is printed, and what a reader of this world's table has to know."""
        settings = self.tables[table][1]
        assert isinstance(settings, STSTable)
        notes = [] if self._missing_sets(table) else [*self._text_notes(settings), *self._translator(table)]
        return STSTableJob(
            **dict(self._printed(table, notes)),
            columns=list(settings.columns.items()),
            split=settings.split,
            average=settings.average,
            best_of_seeds=settings.best_of_seeds,
            seeds=self.seeds,
            rows=self._table_rows(table),
            choose_among=settings.choose_among,
        )

    def report_transfer_table(self, table: str) -> STSTableJob:
        """What is printed, and what a reader of this world's table has to know."""
        settings = self.tables[table][1]
        assert isinstance(settings, TransferTable)
        return STSTableJob(
            **dict(self._printed(table, self._text_notes(settings))),
            columns=list(settings.columns.items()),
            metric="accuracy",
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
        settings = self.tables[table][1]
        assert isinstance(settings, SettingsTable)
        return SettingsTableJob(
            **dict(self._printed(table, [])),
            columns=list(settings.columns.items()),
            seeds=self.seeds,
            rows=self._table_rows(table),
        )

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

    def scatter_table(self, figure: str) -> str:
        """Return the table whose numbers a figure shows."""
        study, settings = self.figures[figure]
        assert isinstance(settings, Scatter)
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
        pairs = self.pairs_id(settings.pairs)
        return ExamplesTableJob(**dict(self._printed(table, [])), pairs=pairs, rows=settings.rows)

    def shown_pairs_inputs(self, table: str) -> str:
        """Return the file of the pair set that a table counts or shows."""
        settings = self.tables[table][1]
        assert isinstance(settings, PrefixWordsTable | ExamplesTable)
        return f"<results>/pairs/{self.pairs_id(settings.pairs)}.parquet"

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
        by_rule = ", a rewriter by rules that stands in" if llm.endpoint == "loopback" else ""
        return f"{llm.model}{by_rule}"

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

    def _layout(self, study: str, table: str) -> PrintedLayout:
        known = self.studies[study].tables
        return known[table].layout if table in known else PrintedLayout()

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
        return [f"{role}: {note}" for role, note in notes.items() if note]

    def _role(self, row: Row) -> str | None:
        """Return the encoder that a row starts from, or is; None if this world does not have it."""
        runs, released = self.runs(row), self.released(row)
        if runs:
            return self.recipe(runs[0].recipe).encoder
        return released.role if released else None

    def report_score_table(self) -> ScoreTableJob:
        """Which folder the scores are of."""
        name = Path(self.config.encoder or "").resolve().name
        generated = self.world.mini is not None
        return ScoreTableJob(encoder=name, generated=generated, pooling=self.config.pooling)

    def _text_notes(self, table: RowTable) -> list[str]:
        """Say how much of which text the runs of a table are trained on, in the order of its rows."""
        trained_on: dict[str, dict[str, None]] = {}
        for run in (runs[0] for row in table.rows if (runs := self.runs(row))):
            pairs = self.pairs(run.pairs)
            if isinstance(pairs, TriplePairs):
                name, note = pairs.source, self.triple_source(pairs.source).note
                amount = "every triple" if pairs.size is None else f"{self.size(pairs.size)} triples"
            else:
                name, note = pairs.corpus, self._corpus_note(pairs.corpus)
                drawn = self._drawn(pairs) if isinstance(pairs, SentencePairs) else None
                sentences = self.sentences(pairs.corpus) if drawn is None else drawn
                amount = "every line" if sentences is None else f"{sentences} sentences"
            trained_on.setdefault(" of ".join(filter(None, (amount, note))), {})[name] = None
        return [
            f"Trained on {', '.join(names)}: {text}{' each' * (len(names) > 1)}."
            for text, names in trained_on.items()
        ]

    def _corpus_note(self, name: str) -> str:
        """Say what a reader has to know about a published corpus; nothing about another one."""
        corpus = self.corpus(name)
        return self.sentence_source(corpus.file).note if isinstance(corpus, PublishedCorpus) else ""

    def _table_rows(self, table: str) -> list[TableRow]:
        """Return rows with the runs behind them; behind a row with a grid, one for what a search selects."""
        found = []
        lacking = self._missing_sets(table)
        for row in self._rows_of(table):
            if lacking:
                note, trained = f"left out: {lacking}", row.encoder is None
                named_alike = {"group": row.group, "model": row.model, "published": row.published}
                found.append(TableRow(**named_alike, trained=trained, note=note))
                continue
            role, released, missing = self._role(row), self.released(row), self.missing(row)
            own = TableRow(
                group=row.group,
                model=row.model,
                runs=[released.id] if released else [run.id for run in self.runs(row)],
                trained=row.encoder is None,
                published=row.published,
                note=self.encoder(role).note if role else f"left out: {missing}",
            )
            searched = self.searched(row).items()
            candidates = [Candidate(setting=name, runs=[run.id for run in runs]) for name, runs in searched]
            if row.choices and candidates[0].runs:
                found.append(own.model_copy(update={"candidates": candidates, "runs": []}))
                continue
            found.append(own)
            if candidates:
                selected = {"model": f"{row.model}, selected", "candidates": candidates}
                found.append(own.model_copy(update={**selected, "runs": [], "published": None}))
        return found

    def runs_of(self, table: str) -> list[str]:
        """Return the ids of all that is scored for a table: runs, those of a search, encoders as they are."""
        rows = self._table_rows(table)
        sources = [runs for row in rows for runs in (row.runs, *(each.runs for each in row.candidates))]
        return list(dict.fromkeys(run for runs in sources for run in runs))

    def trained_runs(self, table: str) -> list[str]:
        """Return the ids of the encoders behind a table that were trained in steps with dev scores."""
        rows = [] if self._missing_sets(table) else self._rows_of(table)
        candidates = [runs for row in rows if row.choices for runs in self.searched(row).values()]
        runs = [run for group in [*map(self.runs, rows), *candidates] for run in group]
        trained = Recipe | ContrastiveTensionRecipe
        return list(dict.fromkeys(run.id for run in runs if isinstance(self.recipe(run.recipe), trained)))

    def trained_history_inputs(self, table: str) -> list[str]:
        """Return the training logs of these encoders."""
        return [f"<results>/train/{run}/history.parquet" for run in self.trained_runs(table)]

    def _rows_of(self, table: str) -> list[Row]:
        settings = self.tables[table][1]
        if isinstance(settings, SettingsTable):
            return self._rows_with_settings(table)
        assert isinstance(settings, RowTable)
        return list(settings.rows)

    def suite_of(self, table: str) -> Suite:
        """Return the suite that the encoders behind a table are scored on."""
        suite = self._suite(table)
        assert suite is not None
        return suite

    def _suite(self, table: str) -> Suite | None:
        """Return the same; None for a table that is not about correlations."""
        study, settings = self.tables[table]
        if isinstance(settings, SettingsTable):
            settings = self.studies[study].tables[settings.of]
        if isinstance(settings, LengthsTable):
            return TASKS[settings.task].suite
        return TASKS[next(iter(settings.columns.values()))].suite if isinstance(settings, STSTable) else None

    def _missing_sets(self, table: str) -> str:
        """Say that this world lacks the sets of a table; empty if it has them."""
        suite = self._suite(table)
        return self.missing_sets(suite) if suite else ""

    def scored_sets_inputs(self, table: str) -> list[str]:
        """Return the file of the sets that the encoders behind a table are scored on, if there are any."""
        path = f"<results>/retrieve/benchmarks/{self.suite_of(table)}.parquet"
        return [] if self._missing_sets(table) else [path]

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

    # --------------------------------------------------------------------------------------- shared

    def _scaled(self, count: int) -> int:
        return max(1, round(count * self.world.scale))

    def _hub_encoder(self, role: str) -> EncoderHub | None:
        source = self.encoder(role)
        return EncoderHub(model=source.hub, revision=source.revision) if source.hub else None

    def encoder_inputs(self, recipe: str) -> list[str] | str:
        """Return the files of the encoder that a recipe starts from; none for a model of the hub."""
        role = self.recipe(recipe).encoder
        self.check_trainable(role)
        return self.role_inputs(role)

    def role_inputs(self, role: str) -> list[str] | str:
        """Return the files of the encoder of a role, none for a model of the hub; or what a job makes."""
        encoder = self.encoder(role)
        if encoder.made:
            return encoder.made
        return encoder_files(encoder.folder) if encoder.folder else []

    def tables_of_kind(self, kind: str) -> list[str]:
        """Return the names of the tables of one kind."""
        return [name for name, (_, table) in self.tables.items() if table.kind == kind]

    def figure_inputs(self, figure: str) -> list[str]:
        """Return nothing for a figure that there is; name those that there are for another one."""
        named(self.figures, figure, "figures of the studies")
        return []

    def figures_of_kind(self, kind: str) -> list[str]:
        """Return the names of the figures of one kind."""
        return [name for name, (_, figure) in self.figures.items() if figure.kind == kind]

    def scored_encoder_inputs(self) -> list[str]:
        """Return the files of the folder that `results/tables/score.csv` scores."""
        if self.config.encoder is None:
            raise ConfigError("encoder is not set. Say which folder to score: --config encoder=FOLDER")
        return encoder_files(checked_encoder_folder(Path(self.config.encoder).expanduser(), "encoder"))


def _seed(text: str) -> int:
    """Read the seed in the name of a run, which has one way to be written."""
    if text != str(int(text)):
        raise ConfigError(f"seed '{text}' is written '{int(text)}'. Use that.")
    return int(text)
