"""Inputs of the jobs of the stage corpus in addition to the settings of a corpus."""

from pydantic import Field

from contrapose.settings.corpora import PublishedCorpus, SampledCorpus
from contrapose.settings.spec import Language, Spec
from contrapose.settings.worlds import SentenceSource


class CorpusDraws(SampledCorpus):
    """What a sampled corpus is drawn with."""

    draws: int = Field(ge=1, description="Draws made; those that give no sentence count too")


class PublishedLines(PublishedCorpus):
    """What a published corpus is made of."""

    source: SentenceSource = Field(description="Where the file is, without its note")
    language: Language = Field("english", description="Of the file")


class PunktTraining(Spec):
    """How the sentence splitter is trained where NLTK's own English parameters are not installed."""

    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on, from the first")
