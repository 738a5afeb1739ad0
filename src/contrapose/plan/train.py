"""Rules of the stages train and evaluate."""

from pathlib import Path
from typing import cast

from contrapose.config.printed import SimilaritiesTable
from contrapose.config.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe, WhiteningRecipe
from contrapose.config.spec import Pooling
from contrapose.config.worlds import (
    PretrainedEncoder,
    PretrainedLanguageModel,
    TrainedVectors,
)
from contrapose.errors import ConfigError
from contrapose.ids import named
from contrapose.jobs import (
    ContrastiveTensionJob,
    EvaluationJob,
    FineTunedJob,
    FlowJob,
    GeometryJob,
    LanguageModelJob,
    LengthBiasJob,
    ScorerJob,
    SimilaritiesJob,
    TrainingJob,
    TransferJob,
    WhiteningJob,
)
from contrapose.plan.base import seed_of, without_note
from contrapose.plan.pairs import PairsPlan
from contrapose.project import Run
from contrapose.tasks import FINE_TUNED_SUITES, PRODUCT_RETRIEVAL, TASKS, Suite, Task


class TrainPlan(PairsPlan):
    """Rules of the stages train and evaluate."""

    def train_encoder(self, pairs: str, recipe: str, seed: str) -> TrainingJob:
        """The recipe at this world's scale, and the seed; the pairs come as a file."""
        settings = self.recipe(recipe)
        assert isinstance(settings, Recipe)
        hub, teacher = self._hub_encoder(settings.encoder), None
        if settings.teacher is not None:
            pooling = self.encoder(settings.teacher).pooling
            teacher = ScorerJob(pooling=pooling, encoder=self._hub_encoder(settings.teacher))
        return TrainingJob(recipe=settings, seed=seed_of(seed), encoder=hub, teacher=teacher)

    def teacher_inputs(self, recipe: str) -> list[str] | str:
        """Return the files of a recipe's teacher; none for a model of the hub, or without a teacher."""
        teacher = self.teacher(self.recipe(recipe))
        return self.role_inputs(teacher) if teacher else []

    def train_whitening(self, pairs: str, recipe: str, seed: str) -> WhiteningJob:
        """The recipe alone: with every seed whitening gives the same encoder."""
        settings = self.recipe(recipe)
        assert isinstance(settings, WhiteningRecipe)
        seed_of(seed)
        return WhiteningJob(recipe=settings, encoder=self._hub_encoder(settings.encoder))

    def train_flow(self, pairs: str, recipe: str, seed: str) -> FlowJob:
        """The recipe and the seed."""
        settings = self.recipe(recipe)
        assert isinstance(settings, FlowRecipe)
        return FlowJob(recipe=settings, seed=seed_of(seed), encoder=self._hub_encoder(settings.encoder))

    def train_contrastive_tension(self, pairs: str, recipe: str, seed: str) -> ContrastiveTensionJob:
        """The recipe at this world's scale, and the seed."""
        settings = self.recipe(recipe)
        assert isinstance(settings, ContrastiveTensionRecipe)
        hub = self._hub_encoder(settings.encoder)
        return ContrastiveTensionJob(recipe=settings, seed=seed_of(seed), encoder=hub)

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

    def train_language_model(self, role: str) -> LanguageModelJob:
        """How the language model is trained, and on which instructions or corpus."""
        source = self._pretrained_language_model(role)
        instructions = [self.instructions(name) for name in source.instructions]
        return LanguageModelJob(language_model=without_note(source), instructions=instructions)

    def language_model_texts(self, role: str) -> str:
        """Return the file of what a language model is trained on: labelled pairs, or a corpus."""
        corpus = self._pretrained_language_model(role).corpus
        return (
            f"<results>/corpus/{corpus}.parquet"
            if corpus
            else "<results>/retrieve/benchmarks/paraphrase.parquet"
        )

    def _pretrained_language_model(self, role: str) -> PretrainedLanguageModel:
        source = named(self.world.language_models, role, "language_models of the world")
        if not isinstance(source, PretrainedLanguageModel):
            raise ConfigError(
                f"language_models.{role} of the world '{self.world_name}' is not of kind pretrained: nothing "
                "is trained for it. Ask for its texts instead."
            )
        return source

    def glove_corpus(self, role: str) -> str:
        """Return the corpus that the word vectors of a role are trained on."""
        return f"<results>/corpus/{self._trained_vectors(role).corpus}.parquet"

    def dev_file(self, pairs: str, recipe: str) -> str:
        """Return the file of what selects the checkpoint of a run: evaluation sets, or own dev pairs."""
        settings = self.recipe(recipe)
        assert isinstance(settings, Recipe | ContrastiveTensionRecipe)
        if settings.dev == "pairs":
            return f"<results>/pairs/{self.own_dev(pairs)}.parquet"
        return f"<results>/retrieve/benchmarks/{TASKS[settings.dev].suite}.parquet"

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

    def evaluate_fine_tuned(
        self, fine_tuning: str, task: str, pairs: str, recipe: str, seed: str
    ) -> FineTunedJob:
        """How the encoder is fine-tuned on the task; the seed is the run's."""
        run = Run(pairs, recipe, seed_of(seed))
        return self._fine_tuned_job(fine_tuning, task, run.id, run.seed)

    def evaluate_fine_tuned_released(self, fine_tuning: str, task: str, role: str, seed: str) -> FineTunedJob:
        """An encoder as it is, likewise."""
        job = self._fine_tuned_job(fine_tuning, task, f"released/{role}/seed{seed}", seed_of(seed))
        return job.model_copy(update={"encoder": self._hub_encoder(role)})

    def _fine_tuned_job(self, fine_tuning: str, task: str, run: str, seed: int) -> FineTunedJob:
        self.suite_of_task(task)
        settings, known = self.fine_tuning(fine_tuning), cast(Task, task)
        own = {name: value for name, value in dict(settings).items() if name in Recipe.model_fields}
        if known in PRODUCT_RETRIEVAL:
            own["max_length"] = settings.long_max_length
        size = settings.train_pairs
        return FineTunedJob(
            run=run,
            task=known,
            recipe=Recipe(**own),
            bert_pooler=settings.bert_pooler,
            train_pairs=None if size is None else self.size(size),
            seed=seed,
            bootstrap=self.config.bootstrap,
        )

    def suite_of_task(self, task: str) -> Suite:
        """Return the suite of a task that encoders are fine-tuned on."""
        known: dict[str, Suite] = {
            name: about.suite for name, about in TASKS.items() if about.suite in FINE_TUNED_SUITES
        }
        return named(known, task, "tasks that encoders are fine-tuned on")

    def evaluate_folder(self, suite: str) -> EvaluationJob:
        """The folder's own pooling, unless `pooling` names another."""
        name = Path(self.config.encoder or "").resolve().name
        config = self.config
        return EvaluationJob(run=f"encoder/{name}", pooling=config.pooling, bootstrap=config.bootstrap)
