"""Rules of the stages train and evaluate."""

import re
from pathlib import Path
from typing import NamedTuple, cast

from contrapose.config.printed import SimilaritiesTable
from contrapose.config.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe, WhiteningRecipe
from contrapose.config.spec import Pooling
from contrapose.config.worlds import (
    EncoderHub,
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
from contrapose.tasks import FINE_TUNED_SUITES, PRODUCT_RETRIEVAL, TASKS, Suite, Task

FOLDER, RELEASED = "folder", "released"  # runs that no training of ours made
SEED = re.compile(
    r"seed\d+"
)  # at the end of a run that has one: trained, or fine-tuned


class Scored(NamedTuple):
    """The encoder behind a run, as evaluation sees it."""

    id: str  # in the column `run` of scores
    files: list[str] | str  # that a job depends on
    folder: str = ""  # where it is, if no training of ours makes it; empty for one of the hub
    pooling: Pooling = "auto"
    hub: EncoderHub | None = None


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

    def scored(self, run: str) -> Scored:
        """Return where the encoder of a run is, and how it is told to a job.

        Raises
        ------
        ConfigError
            It is a pretrained encoder that this world does not have, or no folder is given.
        """
        if run == FOLDER:
            name = Path(self.config.encoder or "").resolve().name
            files, folder = self.scored_encoder_inputs(), self.config.encoder or ""
            return Scored(f"encoder/{name}", files, folder, self.config.pooling)
        first, role, last = run.split("/")
        if first != RELEASED:
            return Scored(run, f"<results>/train/{run}/encoder")
        pooling = "auto" if SEED.fullmatch(last) else self.as_it_is(role, cast(Pooling, last)).pooling
        source = self.encoder(role)
        return Scored(
            run, self.role_inputs(role), source.folder or source.made or "", pooling, self._hub_encoder(role)
        )

    def _scorer(self, run: str) -> dict[str, object]:
        """Return what every job is told about the encoder of a run."""
        scored = self.scored(run)
        return {"run": scored.id, "pooling": scored.pooling, "encoder": scored.hub}

    def evaluate_run(self, suite: str, run: str) -> EvaluationJob:
        """The encoder, and the intervals."""
        return EvaluationJob(**self._scorer(run), bootstrap=self.config.bootstrap)

    def evaluate_geometry(self, run: str) -> GeometryJob:
        """The encoder."""
        return GeometryJob(**self._scorer(run))

    def evaluate_length_bias(self, probe: str, run: str) -> LengthBiasJob:
        """The encoder, and which pairs."""
        return LengthBiasJob(
            **self._scorer(run), probe=probe, pairs=self.probe(probe), bootstrap=self.config.bootstrap
        )

    def suite_of_probe(self, probe: str) -> Suite:
        """Return the suite whose pairs a probe takes."""
        return TASKS[self.probe(probe).tasks[0]].suite

    def evaluate_similarities(self, table: str, run: str) -> SimilaritiesJob:
        """The encoder, and which texts."""
        settings = self.similarities(table)
        texts = [(text.label, text.text) for text in settings.texts]
        return SimilaritiesJob(**self._scorer(run), sentence=settings.sentence, texts=texts)

    def similarities(self, table: str) -> SimilaritiesTable:
        """Return the settings of a table of similarities."""
        settings = named(self.tables, table, "tables of the studies")[1]
        assert isinstance(settings, SimilaritiesTable)
        return settings

    def evaluate_transfer(self, run: str) -> TransferJob:
        """The encoder, the intervals and the folds."""
        return TransferJob(**self._scorer(run), bootstrap=self.config.bootstrap, folds=self.config.folds)

    def evaluate_fine_tuned(self, fine_tuning: str, task: str, run: str) -> FineTunedJob:
        """How the encoder is fine-tuned on the task; the seed is the run's."""
        self.suite_of_task(task)
        settings, known = self.fine_tuning(fine_tuning), cast(Task, task)
        own = {name: value for name, value in dict(settings).items() if name in Recipe.model_fields}
        if known in PRODUCT_RETRIEVAL:
            own["max_length"] = settings.long_max_length
        size = settings.train_pairs
        return FineTunedJob(
            run=run,
            encoder=self.scored(run).hub,
            task=known,
            recipe=Recipe(**own),
            bert_pooler=settings.bert_pooler,
            train_pairs=None if size is None else self.size(size),
            seed=seed_of(run.rpartition("/seed")[2]),
            bootstrap=self.config.bootstrap,
        )

    def suite_of_task(self, task: str) -> Suite:
        """Return the suite of a task that encoders are fine-tuned on."""
        known: dict[str, Suite] = {
            name: about.suite for name, about in TASKS.items() if about.suite in FINE_TUNED_SUITES
        }
        return named(known, task, "tasks that encoders are fine-tuned on")
