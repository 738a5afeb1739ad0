"""Specs of the jobs of the stage score."""

from pydantic import Field

from contrapose.settings.recipes import Identifier
from contrapose.settings.spec import Language, Precision, Spec, Split
from contrapose.settings.worlds import LanguageModelHub
from contrapose.tasks import Task
from contrapose.train.jobs import EncoderJob


class PerplexityJob(Spec):
    """What perplexities depend on, beside the texts and the files of the model."""

    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")
    precision: Precision = Field("auto", description="The config's setting, unresolved: auto stays auto")


class NeighboursJob(EncoderJob):
    """What the texts near to anchors depend on, beside the pairs and the files of the encoder."""

    nearest: int = Field(ge=1, description="Texts that are looked at for each anchor")


class RewriteStatisticsJob(Spec):
    """What is counted of candidates, beside them, their perplexities and the corpus."""

    threshold: float = Field(gt=0, le=1, description="Least p(d|s) of a candidate")
    at_most: int = Field(ge=1, description="Candidates of a sentence that are made")
    language: Language


class HumanTexts(Spec):
    """What stands for human texts: all sentences of a corpus, or the second ones of its pairs."""

    tasks: list[Task] = Field([], description="Sets of the pairs; empty: the sentences of the corpus's file")
    split: Split = "train"


class TextsJob(Spec):
    """What scores of the wording of texts depend on, beside them."""

    language: Language = Field("english", description="Decides how texts are cut into words")


class LinguisticsJob(HumanTexts, TextsJob):
    """What the wording of human and machine texts depends on, beside them."""


class IdentificationJob(EncoderJob):
    """What telling machine from human texts depends on, beside the pairs and the files of human texts."""

    identifier: Identifier = Field(description="With the world's learning-rate factor put in")
    human: list[HumanTexts] = Field(description="In each file: of the pairs, then of their dev pairs, if any")
