"""Specs of the jobs of the stage generate."""

from typing import Literal

from pydantic import Field

from contrapose.settings.spec import Spec
from contrapose.settings.worlds import Asked

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
        return self.instructions[0].llm


class BacktranslationJob(Spec):
    """Ask one LLM for a translation of every sentence, and for a translation of that back."""

    there: AskingJob
    back: AskingJob

    @property
    def llm(self) -> str:
        return self.there.llm


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
