"""Settings of the stage train."""

from pydantic import Field

from contrapose.config.instructions import Instructions
from contrapose.config.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe, WhiteningRecipe
from contrapose.config.spec import Pooling, Spec
from contrapose.config.worlds import PretrainedLanguageModel
from contrapose.jobs.encoder import EncoderJob, ScorerJob


class LanguageModelJob(Spec):
    """What a small language model depends on, beside the labelled pairs or the corpus."""

    language_model: PretrainedLanguageModel = Field(description="Without its note")
    instructions: list[Instructions]


class TrainingJob(EncoderJob):
    """What training one encoder depends on, beside its pairs and the dev pairs."""

    recipe: Recipe = Field(description="With the world's learning-rate factor and dev_every put in")
    seed: int = Field(ge=0, description="Of MLP head, dropout and the order of pairs")
    teacher: ScorerJob | None = Field(None, description="How the recipe's teacher encodes, if it has one")


class WhiteningJob(EncoderJob):
    """What whitening depends on, beside its sentences.  No seed: nothing is drawn."""

    recipe: WhiteningRecipe

    @property
    def pooling(self) -> Pooling:
        """That of the vectors that are whitened."""
        return self.recipe.pooler


class FlowJob(EncoderJob):
    """What the fitting of a flow depends on, beside its sentences."""

    recipe: FlowRecipe
    seed: int = Field(ge=0, description="Of the flow's first weights and the order of sentences")

    @property
    def pooling(self) -> Pooling:
        """That of the vectors that the flow is fitted to."""
        return self.recipe.pooler


class ContrastiveTensionJob(EncoderJob):
    """What contrastive tension depends on, beside its sentences and the dev rows."""

    recipe: ContrastiveTensionRecipe = Field(description="With what the world changes about training put in")
    seed: int = Field(ge=0, description="Of the draws of pairs")

    @property
    def pooling(self) -> Pooling:
        """That of the vectors whose products are compared."""
        return self.recipe.pooler
