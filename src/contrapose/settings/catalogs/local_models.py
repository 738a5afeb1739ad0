"""Where the encoders and the causal language models of a catalog come from: most are on this machine."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, Tag, model_validator

from contrapose.settings.catalogs.chat_models import Connection, ConnectionParams
from contrapose.settings.refs import CorpusName, EncoderName, InstructionsName, PairsId, RecipeId
from contrapose.settings.spec import Commit, Noted, PathText, PoolingName, Spec, by_kind, part_of

MASKED_SHARE = 0.15  # of the tokens of a text, in masked language modelling. BERT, section 3.1
# Left out of the settings of jobs: they read the folder, and the model itself decides.
RELEASED = Field(None, exclude=True, description="Name on the hub; `contrapose fetch` fills the folder")
SHAPE = Field(
    None, exclude=True, description="Sizes of the model for `contrapose plan`, which fetches nothing"
)


class Prompts(Spec):
    """Text in front of every sentence, by the side it is on, as E5 and instruction-tuned encoders need."""

    query: str = Field("", description="Before anchors, and before both sides of scored pairs")
    document: str = Field("", description="Before positives and negatives")


class ModelOnDisk(Noted):
    """A model in a folder, or a file of word vectors."""

    path: PathText = Field(
        description="Folder or file; `{data}` stands for the data folder, else below the project"
    )
    optional: bool = Field(False, description="Without the path, rows that need it have no numbers")


class Pooled(Spec):
    """An encoder whose token vectors are pooled."""

    pooling: PoolingName = Field(
        "auto", description="Its pooling as a scorer; in training the recipe's counts"
    )


class Prompted(Pooled):
    """An encoder that may need text in front of sentences."""

    prompts: Prompts | None = Field(
        None, description="Text before sentences; null: what the folder declares as its default"
    )


class EncoderFolder(Prompted, ModelOnDisk):
    """A `transformers` or sentence-transformers folder on disk."""

    kind: Literal["folder"] = "folder"
    otherwise: str | None = Field(
        None, description="Python package whose encoder folder is used while the folder is missing"
    )
    released: str | None = RELEASED
    commit: Commit | None = Field(None, exclude=True, description="Commit of `released`; null: the newest")


class Shape(Spec):
    """Sizes of an encoder, by the names of its config.json."""

    num_hidden_layers: int = Field(ge=1)
    hidden_size: int = Field(ge=1)
    intermediate_size: int = Field(ge=1, description="Width inside a feed-forward layer")
    vocab_size: int = Field(ge=1)
    max_position_embeddings: int = Field(ge=1)
    type_vocab_size: int = Field(ge=1, description="Kinds of segments: BERT has two, RoBERTa one")


class LanguageModelShape(Spec):
    """Sizes of a model, by the names of GPT-2's config.json."""

    n_layer: int = Field(ge=1)
    n_embd: int = Field(ge=1)
    vocab_size: int = Field(ge=1)
    n_positions: int = Field(ge=1)
    is_encoder_decoder: bool = Field(False, description="Like T5, with as many layers in its encoder")


class HubModel(Spec):
    """A model of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    model: str
    revision: Commit


class EncoderHub(Prompted, HubModel):
    """An encoder of the hub, pinned."""

    shape: Shape | None = SHAPE


class LanguageModelHub(HubModel):
    """A causal language model, or an encoder-decoder, of the hub, pinned."""

    shape: LanguageModelShape | None = SHAPE


class LanguageModelFolder(ModelOnDisk):
    """A causal language model, or an encoder-decoder, in a `transformers` folder on disk."""

    kind: Literal["folder"] = "folder"


class RinnaSource(ModelOnDisk):
    """A model with rinna's sentencepiece vocabulary. A job makes an ordinary folder of it."""

    kind: Literal["rinna"]
    path: PathText | None = Field(  # type: ignore[assignment]
        None, description="Folder; `{data}` stands for the data folder, else below the project"
    )
    model: str | None = Field(None, description="Name on the hub, instead of path")
    revision: Commit | None = Field(None, description="Commit on the hub")
    released: str | None = RELEASED

    @model_validator(mode="after")
    def _one_place(self) -> "RinnaSource":
        if (self.path is None) == (self.model is None) or (self.model is None) != (self.revision is None):
            raise ValueError("set either path, or model and revision")
        return self


class RinnaEncoder(Pooled, RinnaSource):
    """A RoBERTa by rinna: positions count from 0, and the start token has to be added."""

    shape: Shape | None = SHAPE


class RinnaLanguageModel(RinnaSource):
    """A GPT-2 with rinna's vocabulary."""

    shape: LanguageModelShape | None = SHAPE


class TrainedRun(Noted):
    """An encoder that is trained here, with the first seed."""

    kind: Literal["run"]
    pairs: PairsId = Field(description="Id of a pair set")
    recipe: RecipeId = Field(description="Id of a recipe")


class VectorsFile(ModelOnDisk):
    """Word vectors in GloVe's text format, which may be gzipped; a sentence is the mean of its words."""

    kind: Literal["vectors"]
    trainable: ClassVar[bool] = False


class EmbeddingEndpoint(ConnectionParams, Noted):
    """An encoder at an OpenAI-compatible endpoint: its vectors are paid for once, and never trained."""

    kind: Literal["endpoint"]
    trainable: ClassVar[bool] = False
    model: str = Field(description="Name of the model at the endpoint")
    dimensions: int | None = Field(
        None, ge=1, description="Length of the vectors; null: the model's own, as not all can shorten theirs"
    )
    prompts: Prompts | None = Field(None, description="Text before sentences, as some models need it")
    batch: int = Field(64, ge=1, le=2048, description="Texts in a request, at most what OpenAI takes")

    def connection(self, role: str) -> Connection:
        return Connection(role=role, section="encoders", **dict(part_of(self, ConnectionParams)))


class TrainedVectors(Noted):
    """Word vectors trained here. GloVe; the defaults are those of its paper or its code."""

    kind: Literal["glove"]
    trainable: ClassVar[bool] = False
    corpus: CorpusName = Field(description="Sentences that they are trained on, a name under corpora")
    dimensions: int = Field(300, ge=1)
    window: int = Field(10, ge=1, description="Words of context on each side")
    min_count: int = Field(5, ge=1, description="Words that occur fewer times have no vector")
    x_max: float = Field(100.0, gt=0, description="Co-occurrence count from which pairs have full weight")
    alpha: float = Field(0.75, gt=0, description="Exponent of the weight of rarer pairs")
    learning_rate: float = Field(0.05, gt=0, description="Learning rate of AdaGrad")
    epochs: int = Field(50, ge=1)
    seed: int = Field(1, ge=0, description="Seed of the initial vectors and of the order of words")


class SmallEncoder(Spec):
    """How a small encoder is pre-trained by masked language modelling."""

    architecture: Literal["bert", "roberta"] = "bert"
    layers: int = Field(2, ge=1)
    hidden: int = Field(128, ge=8)
    heads: int = Field(2, ge=1)
    vocabulary: int = Field(2000, ge=300, description="Size of the vocabulary, special tokens included")
    positions: int = Field(128, ge=16, description="Longest input in tokens")
    texts: int = Field(60_000, ge=100, description="Texts read, from the first; all if there are fewer")
    steps: int = Field(5000, ge=1)
    batch: int = Field(32, ge=1)
    learning_rate: float = Field(1e-3, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    seed: int = 1


class PretrainedEncoder(Pooled, SmallEncoder, Noted):
    """A small encoder that is pre-trained here, for a language without a pretrained encoder."""

    kind: Literal["pretrained"]
    corpus: CorpusName = Field(description="Sentences that it is trained on, a name under corpora")


class ContinuedEncoder(Pooled, Noted):
    """An encoder that is trained further by masked language modelling: for the words of another domain.

    Of a sentence encoder this keeps the language and loses most of the similarity that it was trained for.
    """

    kind: Literal["continued"]
    of: EncoderName = Field(description="Role of the encoder that it starts from")
    corpus: CorpusName = Field(description="Sentences that it is trained on, a name under corpora")
    steps: int = Field(2000, ge=2, description="Of the optimiser; ours, with which the loss is nearly flat")
    batch: int = Field(64, ge=1, description="Sentences in a step")
    learning_rate: float = Field(5e-4, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    max_length: int = Field(64, ge=2, description="Tokens read of a sentence")
    seed: int = Field(1, description="Of the order and of what is masked")


class SmallLanguageModel(Spec):
    """How a small GPT-2 is trained, on texts or on instructions with pairs of sentences after them."""

    layers: int = Field(4, ge=1)
    hidden: int = Field(192, ge=8)
    heads: int = Field(4, ge=1)
    dropout: float = Field(0.1, ge=0, lt=1)
    vocabulary: int = Field(2000, ge=300, description="Size of the vocabulary, special tokens included")
    positions: int = Field(192, ge=64, description="Longest input in tokens")
    documents: int = Field(
        60_000, ge=100, description="Documents read, drawn at random; all if there are fewer"
    )
    steps: int = Field(4000, ge=1)
    batch: int = Field(16, ge=1)
    learning_rate: float = Field(1e-3, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    seed: int = 1


class PretrainedLanguageModel(SmallLanguageModel, Noted):
    """A small language model that is trained here, where no published one is at hand."""

    kind: Literal["pretrained"]
    instructions: list[InstructionsName] = Field(
        [],
        description="File names under config/prompts/dino/ without .yaml; it is trained on them with labelled"
        " pairs filled in",
    )
    corpus: CorpusName | None = Field(
        None, description="Sentences that it is trained on instead, a name under corpora"
    )

    @model_validator(mode="after")
    def _one_source(self) -> "PretrainedLanguageModel":
        if bool(self.instructions) == (self.corpus is not None):
            raise ValueError("set either instructions or corpus")
        return self


EncoderSource = Annotated[
    Annotated[EncoderFolder, Tag("folder")]
    | Annotated[EncoderHub, Tag("hub")]
    | Annotated[VectorsFile, Tag("vectors")]
    | Annotated[TrainedVectors, Tag("glove")]
    | Annotated[EmbeddingEndpoint, Tag("endpoint")]
    | Annotated[PretrainedEncoder, Tag("pretrained")]
    | Annotated[ContinuedEncoder, Tag("continued")]
    | Annotated[RinnaEncoder, Tag("rinna")]
    | Annotated[TrainedRun, Tag("run")],
    by_kind("folder"),
]


LanguageModelSource = Annotated[
    Annotated[LanguageModelFolder, Tag("folder")]
    | Annotated[LanguageModelHub, Tag("hub")]
    | Annotated[PretrainedLanguageModel, Tag("pretrained")]
    | Annotated[RinnaLanguageModel, Tag("rinna")],
    by_kind("folder"),
]
