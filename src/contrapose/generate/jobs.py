"""Specs of the jobs of the stage generate."""

from typing import Literal

from pydantic import Field

from contrapose.settings.corpora import DinoTexts, SampledCorpus
from contrapose.settings.instructions import Instructions
from contrapose.settings.spec import Precision, Spec
from contrapose.settings.worlds import Asked, LanguageModelHub

Wanted = Literal["paraphrases", "negative", "translation", "any_translation", "continuation"]


class AskingJob(Spec):
    """Ask one LLM with one prompt about sentences, for five paraphrases or one text of each."""

    llm: str = Field(description="Role in the world")
    asked: Asked
    prompt: str = Field(description="File name under config/prompts/ without .txt")
    text: str = Field(description="Text of that file, so that an edited prompt asks again")
    wanted: Wanted = Field("paraphrases", description="What an answer is read as")
    entry: int = Field(0, ge=0, description="Which of several answers to one prompt, each asked for anew")


class InstructionJob(AskingJob):
    """Ask for a text of a label."""

    label: float = Field(description="Similarity that the text is to have")


class ChatTextsJob(Spec):
    """Ask one LLM for texts of several labels for every sentence."""

    instructions: list[InstructionJob] = Field(min_length=1)

    @property
    def llm(self) -> str:
        """Its role."""
        return self.instructions[0].llm


class BacktranslationJob(Spec):
    """Ask one LLM for a translation of every sentence, and for a translation of that back."""

    there: AskingJob
    back: AskingJob

    @property
    def llm(self) -> str:
        """Its role."""
        return self.there.llm


class ReplacementJob(AskingJob):
    """Put the shards together, and replace the sentences that the LLM could not paraphrase."""

    corpus: SampledCorpus | None = Field(
        None, description="Where new sentences are drawn from; null: nowhere, none is replaced"
    )
    replacements: int = Field(20, ge=0, description="New sentences drawn for one before giving up")


class DinoJob(Spec):
    """What texts of a causal language model depend on, beside the corpus and the files of the model."""

    texts: DinoTexts
    instructions: Instructions = Field(description="Content of their file, so that edited ones write again")
    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")
    precision: Precision = Field("auto", description="The config's precision")


class QueriesJob(Spec):
    """What queries of an encoder-decoder depend on, beside the corpus and the files of the model."""

    queries: int = Field(ge=1, description="Per document")
    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")


class Question(Spec):
    """A corpus that one LLM is asked about with one prompt."""

    corpus: str
    job: AskingJob
    behind: AskingJob | None = Field(
        None, description="The texts are the answers to this, instead of the sentences"
    )


class EstimateJob(Spec):
    """Estimate what asking will take."""

    questions: list[Question]
    codes: list[str] = Field(description="Of the jobs that ask; journals of python: endpoints belong to one")


class CostJob(Spec):
    """Add up what the answers have cost."""

    models: dict[str, str] = Field(description="Role of each LLM that is asked, and its model")
    codes: list[str] = Field(description="Of the jobs that ask; journals of python: endpoints belong to one")
