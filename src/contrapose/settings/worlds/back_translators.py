"""The models that translate a world's sentences into another language and back."""

from typing import Literal

from pydantic import Field, model_validator

from contrapose.refs import LLMName, PromptName
from contrapose.settings.spec import PathText, Spec


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
    llm: LLMName = Field(description="Role in the world")
    there: PromptName = Field(
        "into_german", description="File name under config/prompts/ without .txt: into another language"
    )
    back: PromptName = Field("from_german", description="Likewise, back into the language of the sentences")

    @model_validator(mode="after")
    def _two_prompts(self) -> "LLMBackTranslator":
        if self.there == self.back:
            raise ValueError(f"there and back are both '{self.there}': name a prompt for each way")
        return self
