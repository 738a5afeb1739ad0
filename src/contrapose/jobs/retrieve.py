"""Settings of the stage retrieve."""

from pydantic import Field

from contrapose.config.instructions import Instructions
from contrapose.config.spec import Spec


class TranslationSample(Spec):
    """Which pairs of the Chinese sets are translated."""

    pairs: int | None = Field(ge=1, description="Of each set; null: every one")
    seed: int = Field(ge=0, description="Which pairs, if not every one")


class MiniLanguageModelJob(Spec):
    """What a language model of the mini world depends on, beside its recipe."""

    name: str = Field(description="Of its folder, a name in MINI_LANGUAGE_MODELS")
    # A list: the canonical text of settings sorts the keys of a map, and documents have them in turn.
    instructions: list[tuple[str, Instructions]] = Field(description="Name and content of their files")


class RinnaJob(Spec):
    """Where a model of rinna's form is from; without a model its files are the input."""

    model: str | None = Field(description="Name on the hub")
    revision: str | None = Field(description="Commit on the hub")
