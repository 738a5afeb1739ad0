"""The models that translate a catalog's sentences: into English, and into another language and back."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from contrapose.settings.refs import LLMName, PromptName, Size
from contrapose.settings.spec import PathText, Spec


class TranslatedPairs(Spec):
    """How much of the Chinese sets is translated; test splits of BQ and LCQMC. PrdSimCSE, table 6."""

    size: Size | None = Field(
        None, description="Name of a size in the catalog: pairs of each set; null: every pair"
    )
    seed: int = Field(1, ge=0, description="Seed that selects the pairs, if not all are used")


class LLMTranslator(TranslatedPairs):
    """A chat model translates, a sentence a request."""

    kind: Literal["llm"]
    llm: LLMName = Field(description="Role in the catalog")
    prompt: PromptName = Field("translate", description="File name under config/prompts/ without ending")


class Seq2SeqTranslator(TranslatedPairs):
    """A `transformers` translation model from Chinese to English, like opus-mt-zh-en, on this machine."""

    kind: Literal["seq2seq"]
    path: PathText = Field(description="Folder; `{data}` stands for the data folder, else below the project")


class Seq2SeqBackTranslator(Spec):
    """Two `transformers` translation models on this machine, like opus-mt-en-de and opus-mt-de-en."""

    kind: Literal["seq2seq"]
    there: PathText = Field(
        description="Folder of the model into another language; `{data}` stands for the data folder, else "
        "below the project"
    )
    back: PathText = Field(description="Likewise, of the model back into the language of the sentences")

    @property
    def files(self) -> list[str]:
        return [self.there, self.back]


class LLMBackTranslator(Spec):
    """A chat model translates, one text per request, with a prompt for each direction."""

    kind: Literal["llm"]
    llm: LLMName = Field(description="Role in the catalog")
    there: PromptName = Field(
        "into_german", description="File name under config/prompts/ without ending: into another language"
    )
    back: PromptName = Field("from_german", description="Likewise, back into the language of the sentences")

    @model_validator(mode="after")
    def _two_prompts(self) -> "LLMBackTranslator":
        if self.there == self.back:
            raise ValueError(f"there and back are both '{self.there}': name a prompt for each way")
        return self


Translator = Annotated[LLMTranslator | Seq2SeqTranslator, Field(discriminator="kind")]
BackTranslator = Annotated[LLMBackTranslator | Seq2SeqBackTranslator, Field(discriminator="kind")]
