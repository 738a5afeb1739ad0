"""Where a world's causal language models come from."""

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from contrapose.refs import CorpusName, InstructionsName
from contrapose.settings.spec import Commit, PathText, Spec, by_kind
from contrapose.settings.worlds.encoders import SHAPE, RinnaSource


class LanguageModelFolder(Spec):
    """A causal language model in a `transformers` folder on disk."""

    kind: Literal["folder"] = "folder"
    path: PathText = Field(description="Folder; `{data}` stands for the data folder, else below the project")
    optional: bool = Field(False, description="Without the folder, rows that need it have no numbers")
    note: str = Field("", description="Note that is printed below tables")


class LanguageModelShape(Spec):
    """Sizes of a model like GPT-2, by the names of its config.json."""

    n_layer: int = Field(ge=1)
    n_embd: int = Field(ge=1)
    vocab_size: int = Field(ge=1)
    n_positions: int = Field(ge=1)


class LanguageModelHub(Spec):
    """A causal language model of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    model: str
    revision: Commit
    shape: LanguageModelShape | None = SHAPE


class RinnaLanguageModel(RinnaSource):
    """A GPT-2 with rinna's vocabulary."""

    shape: LanguageModelShape | None = SHAPE


class SmallLanguageModel(Spec):
    """How a small GPT-2 is trained, on texts or on instructions with pairs of sentences behind them."""

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


class PretrainedLanguageModel(SmallLanguageModel):
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
    note: str = Field("", description="Note that is printed below tables")

    @model_validator(mode="after")
    def _one_source(self) -> "PretrainedLanguageModel":
        if bool(self.instructions) == (self.corpus is not None):
            raise ValueError("set either instructions or corpus")
        return self


LanguageModelSource = Annotated[
    Annotated[LanguageModelFolder, Tag("folder")]
    | Annotated[LanguageModelHub, Tag("hub")]
    | Annotated[PretrainedLanguageModel, Tag("pretrained")]
    | Annotated[RinnaLanguageModel, Tag("rinna")],
    by_kind("folder"),
]
