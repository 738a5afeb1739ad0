"""Where the encoders and the causal language models of a catalog come from that are made or reached here."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError
from contrapose.settings.catalogs.chat_models import Connection, ConnectionParams
from contrapose.settings.catalogs.model_folders import checked_folder, encoder_files
from contrapose.settings.catalogs.model_sources import (
    HASH,
    RELEASED,
    SHAPE,
    EncoderFolder,
    EncoderHub,
    LanguageModelFolder,
    LanguageModelHub,
    LanguageModelShape,
    Model,
    ModelOnDisk,
    ModelSource,
    Pooled,
    Prompts,
    Release,
    Shape,
    VectorForm,
)
from contrapose.settings.hub import HubRepository
from contrapose.settings.ids import FIRST_SEED, Run, canonical_id
from contrapose.settings.plan import Plan
from contrapose.settings.refs import CorpusName, EncoderName, InstructionsName, PairsId, RecipeId
from contrapose.settings.spec import ByKind, Commit, Noted, PathText, Spec, check_one_of, part_of

MASKED_SHARE = 0.15  # of the tokens of a text, in masked language modelling. BERT, section 3.1


class RinnaSource(ModelOnDisk):
    """A model with rinna's sentencepiece vocabulary. A job makes an ordinary folder of it."""

    kind: Literal["rinna"]
    path: PathText | None = Field(  # type: ignore[assignment]
        None,
        description="This is the folder of the model. `{data}` stands for the data folder; other paths "
        "are below the project.",
    )
    model: str | None = Field(
        None, description="This is the name of the model on the hub, in place of `path`."
    )
    revision: Commit | None = Field(None, description="This is the commit on the hub.")
    released: str | None = RELEASED

    @model_validator(mode="after")
    def _one_place(self) -> "RinnaSource":
        if (self.path is None) == (self.model is None) or (self.model is None) != (self.revision is None):
            raise ValueError("set path, or set model and revision")
        return self

    def located(self, plan: Plan, role: str) -> Model:
        return ModelSource.located(self, plan, role)

    def is_here(self, plan: Plan) -> bool:
        return self.path is None or super().is_here(plan)

    def disk_path(self, plan: Plan) -> Path | None:
        return super().disk_path(plan) if self.path else None

    def folder(self, plan: Plan, role: str) -> str:
        """Return the folder that a job converts; empty for a model of the hub."""
        path = self.disk_path(plan)
        return checked_folder(path, f"{self.section}.{role}", plan.catalog_name) if path else ""

    def read_by_jobs(self, plan: Plan, role: str) -> list[str]:
        folder = self.folder(plan, role)
        return encoder_files(folder) if folder else []

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        yield from super().configs(plan) if self.path else ModelSource.configs(self, plan)

    def release(self, plan: Plan) -> Release | None:
        path = self.disk_path(plan)
        return Release(self.released, path, None) if path and self.released else None

    @property
    def hub_repository(self) -> HubRepository | None:
        return HubRepository("model", self.model, self.revision) if self.model and self.revision else None

    @property
    def shortened(self) -> str:
        return self.revision if self.revision and len(self.revision) < HASH else ""

    @property
    def hub_name(self) -> str | None:
        return self.model or self.released


class RinnaEncoder(Pooled, RinnaSource):
    """The encoder is a RoBERTa by rinna. Its positions count from 0, and the start token has to be added."""

    made: ClassVar[str] = "<results>/retrieve/encoders/{role}"
    shape: Shape | None = SHAPE


class RinnaLanguageModel(RinnaSource):
    """The model is a GPT-2 with rinna's vocabulary."""

    section: ClassVar[str] = "language_models"
    made: ClassVar[str] = "<results>/retrieve/language_models/{role}"
    shape: LanguageModelShape | None = SHAPE


class TrainedRun(ModelSource, Noted):
    """The encoder is trained here, with the first seed."""

    kind: Literal["trained"]
    pairs: PairsId = Field(description="The encoder is trained on the pair set with this id.")
    recipe: RecipeId = Field(description="The encoder is trained with the recipe of this id.")

    def located(self, plan: Plan, role: str) -> Model:
        return self._at(role, made=f"<results>/train/{self.first_run(plan).id}/encoder")

    def first_run(self, plan: Plan) -> Run:
        return Run(plan.pairs_id(self.pairs), canonical_id(self.recipe, plan.recipes.recipes), FIRST_SEED)

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        """Yield those of the encoder that the training starts from."""
        yield from plan.source("encoders", plan.entry("recipes", self.recipe).encoder).configs(plan)


class VectorsFile(ModelOnDisk):
    """The encoder is a file of word vectors in GloVe's text format, perhaps gzipped. A sentence is the
    mean of its words.
    """

    kind: Literal["vectors"]
    form: ClassVar[VectorForm] = "words"

    def located(self, plan: Plan, role: str) -> Model:
        path = plan.model_path(self.path)
        if not path.is_file():
            raise ConfigError(
                f"encoders.{role}: '{self.path}' is not a file. Put the word vectors there, or change "
                f"the path in config/catalogs/{plan.catalog_name}.yaml."
            )
        return self._at(role, made=str(path))


class EmbeddingEndpoint(ConnectionParams, ModelSource, Noted):
    """The encoder is at an OpenAI-compatible endpoint. Its vectors are paid for once, and it is never
    trained.
    """

    kind: Literal["endpoint"]
    form: ClassVar[VectorForm] = "endpoint"
    made: ClassVar[str] = "<results>/evaluate/text_vectors/{role}.parquet"
    model: str = Field(description="This is the name of the model at the endpoint.")
    dimensions: int | None = Field(
        None,
        ge=1,
        description="The vectors have this length. With null, it is the model's own, since not every "
        "model can shorten its vectors.",
    )
    prompts: Prompts | None = Field(
        None,
        description="These texts are put before every sentence, as some models need it. With null, "
        "there are none.",
    )
    batch: int = Field(64, ge=1, le=2048, description="A request has this many texts. OpenAI accepts 2,048.")

    def connection(self, role: str) -> Connection:
        return part_of(self, Connection, role=role, section="encoders")

    def journal(self, role: str) -> str:
        """Name the journal that keeps the paid vectors."""
        return f"vectors-{role}-{self.model}".replace("/", "_")


class TrainedVectors(ModelSource, Noted):
    """The encoder is word vectors that are trained here (GloVe). The defaults are those of the paper or
    its code.
    """

    kind: Literal["glove"]
    form: ClassVar[VectorForm] = "words"
    made: ClassVar[str] = "<results>/train/glove/{role}.txt"
    corpus: CorpusName = Field(description="The vectors are trained on the sentences of this corpus.")
    dimensions: int = Field(300, ge=1, description="The vectors have this many dimensions.")
    window: int = Field(10, ge=1, description="The context has this many words on each side.")
    min_count: int = Field(5, ge=1, description="Words that occur less often have no vector.")
    x_max: float = Field(
        100.0, gt=0, description="Pairs of words have full weight from this co-occurrence count on."
    )
    alpha: float = Field(0.75, gt=0, description="This is the exponent of the weight of rarer pairs.")
    learning_rate: float = Field(0.05, gt=0, description="This is the learning rate of AdaGrad.")
    epochs: int = Field(50, ge=1, description="Training passes over the co-occurrences this many times.")
    seed: int = Field(1, ge=0, description="This seed draws the initial vectors and the order of the words.")


class Pretraining(Spec):
    """What a model that is trained on the texts of a corpus answers when jobs are planned."""

    def longest(self, plan: Plan) -> int:
        """Return the most tokens that are read of a text."""
        return dict(self)["positions"]

    def in_half(self, plan: Plan) -> bool | None:
        """Return whether it trains in half precision; None: as the config says."""
        return False


class SmallEncoder(Pretraining):
    """How a small encoder is pre-trained by masked language modelling."""

    architecture: Literal["bert", "roberta"] = Field(
        "bert", description="This is the architecture of the encoder."
    )
    layers: int = Field(2, ge=1, description="The encoder has this many layers.")
    hidden: int = Field(128, ge=8, description="The hidden states have this many dimensions.")
    heads: int = Field(2, ge=1, description="Each layer has this many attention heads.")
    vocabulary: int = Field(
        2000, ge=300, description="The vocabulary has this many entries, special tokens included."
    )
    positions: int = Field(128, ge=16, description="The longest input has this many tokens.")
    texts: int = Field(
        60_000,
        ge=100,
        description="Training reads this many texts, from the first one. It reads all if there are fewer.",
    )
    steps: int = Field(5000, ge=1, description="Training has this many steps.")
    batch: int = Field(32, ge=1, description="Each step reads this many texts.")
    learning_rate: float = Field(
        1e-3,
        gt=0,
        description="This is the peak of the learning rate. It rises for 5 % of the steps and then "
        "falls linearly to 0.",
    )
    seed: int = Field(
        1, description="This seed draws the initial weights, the order of the texts and the masks."
    )


class PretrainedEncoder(Pooled, SmallEncoder, ModelSource, Noted):
    """A small encoder is pre-trained here, for a language without a pretrained one."""

    made: ClassVar[str] = "<results>/train/pretrained/{role}"
    kind: Literal["pretrained"]
    corpus: CorpusName = Field(description="The encoder is trained on the sentences of this corpus.")


class ContinuedEncoder(Pooled, ModelSource, Noted):
    """Another encoder of the catalog is trained further, by masked language modelling on texts of a domain.

    Of a sentence encoder this keeps the language and loses most of the similarity that it was trained for.
    The layer that predicts words is saved, too, so pairs of kind `masked_words` can name this encoder as
    `filler`.
    """

    made: ClassVar[str] = "<results>/train/continued/{role}"
    kind: Literal["mlm_pretraining"]
    of: EncoderName = Field(description="Training starts from this encoder of the catalog.")
    corpus: CorpusName = Field(description="The encoder is trained on the sentences of this corpus.")
    steps: int = Field(
        2000,
        ge=2,
        description="Training has this many steps. After them, the loss is nearly flat.",
    )
    batch: int = Field(64, ge=1, description="Each step reads this many sentences.")
    learning_rate: float = Field(
        5e-4,
        gt=0,
        description="This is the peak of the learning rate. It rises for 5 % of the steps and then "
        "falls linearly to 0.",
    )
    max_length: int = Field(64, ge=2, description="At most this many tokens of a sentence are read.")
    seed: int = Field(1, description="This seed draws the order of the sentences and the masks.")

    def longest(self, plan: Plan) -> int:
        return self.max_length

    def in_half(self, plan: Plan) -> bool | None:
        return None

    def declaring(self, plan: Plan, role: str) -> str:
        return plan.source("encoders", self.of).declaring(plan, self.of)

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        yield from plan.source("encoders", self.of).configs(plan)


class SmallLanguageModel(Pretraining):
    """How a small GPT-2 is trained, on texts or on instructions with pairs of sentences after them."""

    layers: int = Field(4, ge=1, description="The model has this many layers.")
    hidden: int = Field(192, ge=8, description="The hidden states have this many dimensions.")
    heads: int = Field(4, ge=1, description="Each layer has this many attention heads.")
    dropout: float = Field(
        0.1, ge=0, lt=1, description="This share of the activations is dropped in training."
    )
    vocabulary: int = Field(
        2000, ge=300, description="The vocabulary has this many entries, special tokens included."
    )
    positions: int = Field(192, ge=64, description="The longest input has this many tokens.")
    documents: int = Field(
        60_000,
        ge=100,
        description="Training reads this many documents, drawn at random. It reads all if there are fewer.",
    )
    steps: int = Field(4000, ge=1, description="Training has this many steps.")
    batch: int = Field(16, ge=1, description="Each step reads this many texts.")
    learning_rate: float = Field(
        1e-3,
        gt=0,
        description="This is the peak of the learning rate. It rises for 5 % of the steps and then "
        "falls linearly to 0.",
    )
    seed: int = Field(1, description="This seed draws the initial weights and the order of the texts.")


class PretrainedLanguageModel(SmallLanguageModel, ModelSource, Noted):
    """A small language model is trained here, for catalogs without a published one."""

    section: ClassVar[str] = "language_models"
    made: ClassVar[str] = "<results>/train/language_model/{role}"
    kind: Literal["pretrained"]
    instructions: list[InstructionsName] = Field(
        [],
        description="These are files under config/prompts/dino/ without `.yaml`. The model is trained "
        "on them, with labelled pairs filled in.",
    )
    corpus: CorpusName | None = Field(
        None, description="The model is trained on the sentences of this corpus in place of instructions."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "PretrainedLanguageModel":
        check_one_of(self, ("instructions",), ("corpus",))
        return self


EncoderSource = Annotated[
    EncoderFolder
    | EncoderHub
    | VectorsFile
    | TrainedVectors
    | EmbeddingEndpoint
    | PretrainedEncoder
    | ContinuedEncoder
    | RinnaEncoder
    | TrainedRun,
    ByKind("folder"),
]


LanguageModelSource = Annotated[
    LanguageModelFolder | LanguageModelHub | PretrainedLanguageModel | RinnaLanguageModel,
    ByKind("folder"),
]
