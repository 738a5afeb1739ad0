"""Who translates a world's sentences into another language and back."""

from typing import Literal

from pydantic import Field

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
        """Both folders."""
        return [self.there, self.back]
