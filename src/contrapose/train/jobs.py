"""What jobs read that train or use an encoder."""

from pydantic import Field

from contrapose.settings.instructions import Instructions
from contrapose.settings.recipes import AnyRecipe
from contrapose.settings.spec import Pooling, Precision, Spec
from contrapose.settings.worlds import EncoderHub, PretrainedLanguageModel, Prompts


class EncoderJob(Spec):
    """Settings of a job with an encoder, beside its folder."""

    encoder: EncoderHub | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )
    pooling: Pooling = Field("auto", description="auto is what the folder itself says")
    prompts: Prompts | None = Field(None, description="null is what the folder itself says")
    precision: Precision = Field("auto", description="The config's precision")


class TrainingJob(Spec):
    """What a training depends on, beside its pairs and the dev pairs."""

    recipe: AnyRecipe = Field(description="With what the world changes about training put in")
    seed: int = Field(ge=0, description="Of new weights, dropout, and the order of pairs or of draws")
    encoder: EncoderHub | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )
    prompts: Prompts | None = Field(None, description="null is what the folder itself says")
    precision: Precision = Field("auto", description="The config's precision")
    teacher: EncoderJob | None = Field(None, description="How the recipe's teacher encodes, if it has one")

    @property
    def pooling(self) -> Pooling:
        """That of the vectors that are trained on."""
        return self.recipe.pooler


class CardFacts(Spec):
    """What the model card of a trained encoder says beside the settings of the training."""

    world: str
    world_description: str
    generated: bool = Field(description="The world makes its own text")
    base: str = Field(description="The pretrained encoder, in words")
    base_model: str | None = Field(None, description="Its name on the hub, if it is from there")
    language: str | None = Field(None, description="ISO 639-1 code, if settings say it")


class LanguageModelJob(Spec):
    """What a small language model depends on, beside the labelled pairs or the corpus."""

    language_model: PretrainedLanguageModel = Field(description="Without its note")
    instructions: list[Instructions]
