"""The models that translate a catalog's sentences: into English, and into another language and back."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import ConfigError
from contrapose.settings.catalogs.model_folders import checked_folder, encoder_files
from contrapose.settings.plan import Plan
from contrapose.settings.refs import LLMName, PromptName, Size
from contrapose.settings.spec import PathText, Spec


class TranslatedPairs(Spec):
    """How much of the Chinese sets is translated; test splits of BQ and LCQMC. PrdSimCSE, table 6."""

    size: Size | None = Field(
        None,
        description="This many pairs of each set are translated: a number, or the name of a size of the "
        "catalog. With null, every pair is translated.",
    )
    seed: int = Field(1, ge=0, description="This seed selects the pairs if only some of them are translated.")

    def folder(self, plan: Plan) -> str:
        """Return the folder of the local model; raise a ConfigError if it is none."""
        raise ConfigError(
            f"translator: the entry of the catalog '{plan.catalog_name}' is not a local model. Name "
            "one: translator: {kind: seq2seq, path: FOLDER}."
        )

    def read_by_jobs(self, plan: Plan, role: str = "") -> list[str]:
        """Return the files on this machine that jobs read."""
        return encoder_files(checked_folder(Path(self.folder(plan)), "translator.path", plan.catalog_name))

    def player(self, plan: Plan) -> str:
        """Return who translates, by a name that does not depend on the machine."""
        raise NotImplementedError


class LLMTranslator(TranslatedPairs):
    """A chat model translates one sentence per request."""

    kind: Literal["llm"]
    llm: LLMName = Field(description="This entry of the catalog's `llms` translates.")
    prompt: PromptName = Field(
        "translate",
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without its ending.",
    )

    def player(self, plan: Plan) -> str:
        return plan.entry("llms", self.llm).player


class Seq2SeqTranslator(TranslatedPairs):
    """A `transformers` model on this machine translates from Chinese to English.

    For example, this is opus-mt-zh-en.
    """

    kind: Literal["seq2seq"]
    llm: ClassVar[None] = None
    path: PathText = Field(
        description="This is the folder of the model. `{data}` stands for the data folder; other paths "
        "are below the project."
    )

    def folder(self, plan: Plan) -> str:
        return str(plan.model_path(self.path))

    def player(self, plan: Plan) -> str:
        return Path(self.path).name


class BackTranslation(Spec):
    """What a back-translator answers when jobs are planned."""

    asks: ClassVar[bool] = False  # a chat model

    def lacking(self, plan: Plan, name: str) -> str:
        """Return what the catalog lacks for it; empty if nothing."""
        raise NotImplementedError

    def read_by_jobs(self, plan: Plan, name: str) -> list[str]:
        """Return the files on this machine that jobs read; none for a chat model."""
        return []

    def player(self, plan: Plan) -> str:
        """Return who translates, by names that do not depend on the machine."""
        raise NotImplementedError


class Seq2SeqBackTranslator(BackTranslation):
    """Two `transformers` translation models on this machine are used.

    For example, these are opus-mt-en-de and opus-mt-de-en.
    """

    kind: Literal["seq2seq"]
    there: PathText = Field(
        description="This is the folder of the model that translates into another language. `{data}` "
        "stands for the data folder; other paths are below the project."
    )
    back: PathText = Field(
        description="This is the folder of the model that translates back into the language of the sentences."
    )

    @property
    def files(self) -> list[str]:
        return [self.there, self.back]

    def lacking(self, plan: Plan, name: str) -> str:
        absent = (path for path in self.files if not plan.model_path(path).is_dir())
        return next((f"{path} is missing (back_translators.{name})" for path in absent), "")

    def folder(self, plan: Plan, name: str, way: Literal["there", "back"]) -> str:
        """Return the folder of one of the two models; raise a ConfigError if it is none."""
        path = self.there if way == "there" else self.back
        return checked_folder(plan.model_path(path), f"back_translators.{name}.{way}", plan.catalog_name)

    def both(self, plan: Plan, name: str) -> dict[str, list[str]]:
        """Return the files of each model."""
        ways: tuple[Literal["there", "back"], ...] = ("there", "back")
        return {way: encoder_files(self.folder(plan, name, way)) for way in ways}

    def read_by_jobs(self, plan: Plan, name: str) -> list[str]:
        return [file for files in self.both(plan, name).values() for file in files]

    def player(self, plan: Plan) -> str:
        return " and ".join(Path(path).name for path in self.files)


class LLMBackTranslator(BackTranslation):
    """A chat model translates one text per request, with a prompt for each direction."""

    asks: ClassVar[bool] = True
    kind: Literal["llm"]
    llm: LLMName = Field(description="This entry of the catalog's `llms` translates.")
    there: PromptName = Field(
        "into_german",
        description="This file under config/prompts/, without its ending, requests the translation into "
        "another language.",
    )
    back: PromptName = Field(
        "from_german",
        description="This file under config/prompts/, without its ending, requests the translation back "
        "into the language of the sentences.",
    )

    @model_validator(mode="after")
    def _two_prompts(self) -> "LLMBackTranslator":
        if self.there == self.back:
            raise ValueError(f"there and back are both '{self.there}'. Name one prompt for each direction")
        return self

    def lacking(self, plan: Plan, name: str) -> str:
        """Return which of the prompts recorded answers lack, if the chat model is recorded ones."""
        llm = plan.entry("llms", self.llm)
        return llm.unanswered(self.llm, self.there) or llm.unanswered(self.llm, self.back)

    def player(self, plan: Plan) -> str:
        return plan.entry("llms", self.llm).player


Translator = Annotated[LLMTranslator | Seq2SeqTranslator, Field(discriminator="kind")]
BackTranslator = Annotated[LLMBackTranslator | Seq2SeqBackTranslator, Field(discriminator="kind")]
