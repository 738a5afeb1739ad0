"""Settings of the stage corpus."""

from pydantic import Field

from contrapose.config.corpora import SampledCorpus
from contrapose.config.spec import Language, Spec, Split
from contrapose.config.worlds import SentenceSource
from contrapose.tasks import Task


class CorpusDraws(SampledCorpus):
    """What the drawing of a corpus needs beside it: the size of the work."""

    draws: int = Field(ge=1, description="Draws made; those that give no sentence count too")


class CorpusSample(CorpusDraws):
    """What the joining of a corpus needs beside its draws: how many sentences to keep."""

    sentences: int = Field(ge=1, description="Sentences wanted")


class CorpusSegments(Spec):
    """Which sentences of a collection may come into a corpus: those of lowest rank."""

    language: Language = Field(description="Decides how text is split into sentences")
    seed: int = Field(ge=0, description="Of the ranks")
    candidates: int = Field(ge=1, description="Sentences of lowest rank that are kept")


class SegmentedSample(CorpusSegments):
    """Which of them do, and how many."""

    sentences: int = Field(ge=1, description="Sentences wanted")
    min_words: int = Field(ge=1, description="Fewest words, inclusive")
    max_words: int = Field(ge=1, description="Most words, inclusive")
    confidence: float = Field(ge=0, le=1, description="Least that langdetect gives the language")


class PublishedSample(Spec):
    """What a published corpus is made of."""

    file: str = Field(description="Name in the world's sentence_files")
    source: SentenceSource = Field(description="Where the file is, without its note")
    sentences: int | None = Field(ge=1, description="Sentences wanted; null: every line")
    seed: int = Field(ge=0, description="Which lines, if not every one")


class TaskSentences(Spec):
    """What a corpus of the sentences of evaluation sets is made of."""

    tasks: list[Task] = Field(description="Sets, in the order in which they are joined before the shuffling")
    split: Split
    sentences: int | None = Field(ge=1, description="Sentences wanted; null: every one")
    at_most: bool = Field(False, description="Fewer will do")
    seed: int = Field(ge=0, description="Of the order")


class PunktTraining(Spec):
    """How the sentence splitter is trained where NLTK's own English parameters are not installed."""

    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on, from the first")
