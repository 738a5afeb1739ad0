"""Corpora of sentences, and texts that a language model writes for them: entries of `config/recipes.yaml`."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, Tag, model_validator

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.settings.prompt_files import Choices
from contrapose.settings.refs import (
    CorpusName,
    InstructionsName,
    LanguageModelName,
    LLMName,
    PromptName,
    Ref,
    Size,
    TaskName,
    as_number,
)
from contrapose.settings.spec import Language, Spec, Split, by_kind


class SampledCorpus(Spec):
    """A corpus of sentences sampled from articles. Thesis, section 3.1."""

    kind: Literal["sampled"] = "sampled"
    method: Literal[1, 2, 3] = Field(
        description="Sampling method of the thesis. 1: a sentence of the first 60 % of an article that has "
        "ten or more; 2: any sentence without a line break; 3: the first four that fit, of articles of more "
        "than twenty"
    )
    seed: int = Field(1, ge=0, description="Seed of the sampling; the thesis's draw x-y has seed y")
    size: Size = Field("small", description="Name of a size in the catalog")
    min_words: int = Field(10, ge=1, description="Fewest NLTK tokens, inclusive")
    max_words: int = Field(50, ge=1, description="Most NLTK tokens, inclusive")
    line_breaks: Literal["delete", "space"] = Field(
        "delete", description="How method 1 removes them; delete gives the thesis's sentence length"
    )


class PublishedCorpus(Spec):
    """A published corpus of sentences, or one of your own."""

    kind: Literal["published"]
    file: Annotated[str, Ref("sentence_files")] = Field(description="Name in the catalog's sentence_files")
    size: Size | None = Field(
        None, description="Name of a size in the catalog; null: all sentences of the file"
    )
    seed: int = Field(1, ge=0, description="Seed that selects the sentences, if not all are used")
    as_published: bool = Field(
        False, description="Keep blank and repeated lines, as SimCSE did; otherwise each text is used once"
    )


class DividedCorpus(Spec):
    """Part of another corpus: whole documents are held out, so that no test sentence is trained on."""

    kind: Literal["divided"]
    corpus: CorpusName = Field(description="The whole, a name under corpora")
    held_out: Size = Field(
        description="Sentences held out, or a few more: whole documents, or sentences where these are unknown"
    )
    part: Literal["train", "test"] = Field("train", description="test: the held-out sentences")
    seed: int = Field(1, ge=0, description="Seed that selects the documents held out")
    size: Size | None = Field(
        None, description="Most sentences of the training part, a seeded sample; null: all"
    )

    amount: ClassVar[str] = "every line that is not held out"


class TaskCorpus(Spec):
    """The distinct sentences of evaluation sets, without their scores, shuffled. EdaCSE, section 4.1."""

    kind: Literal["tasks"]
    tasks: list[TaskName] = Field(min_length=1, description="Sets of one suite")
    split: Split = "train"
    size: Size | None = Field(None, description="Name of a size in the catalog; null: every sentence")
    at_most: bool = Field(False, description="Use all sentences where there are fewer than size")
    seed: int = Field(1, ge=0, description="Seed of the order")

    @model_validator(mode="after")
    def _one_suite(self) -> "TaskCorpus":
        if len({TASKS[task].suite for task in self.tasks}) > 1:
            raise ValueError("tasks of several suites; a corpus has one language")
        return self


class Segments(Spec):
    """Which sentences of a collection come first in a shuffle of all: what may come into a corpus."""

    collection: Annotated[str, Ref("collections")] = Field(description="Name in the catalog's collections")
    language: Language = Field(description="Decides how text is split into sentences and words")
    size: Size = Field(description="Name of a size in the catalog: sentences, the first of the shuffle")
    candidates_per_sentence: int = Field(
        3,
        ge=1,
        description="Sentences examined for each one wanted; more change nothing once enough pass",
    )
    seed: int = Field(1, ge=0, description="Seed of the order, and of langdetect, which is random")

    @property
    def candidates(self) -> int:
        """Number of sentences that come first; the size is a number in the settings of a job."""
        return as_number(self.size) * self.candidates_per_sentence


class SegmentedCorpus(Segments):
    """All sentences of a collection of articles, shuffled. PPDB-CSE, section 4.2."""

    kind: Literal["segmented"]
    min_words: int = Field(6, ge=1, description="Fewest words, inclusive")
    max_words: int = Field(49, ge=1, description="Most words, inclusive")
    confidence: float = Field(0.99, ge=0, le=1, description="Least confidence of langdetect in the language")


class AskedCorpus(Spec):
    """Sentences that a chat model writes about topics in genres. SynCSE-scratch, Zhang et al. 2023."""

    kind: Literal["asked"]
    llm: LLMName = Field("chatgpt", description="Role under the catalog's llms")
    prompt: PromptName = Field(
        "invented", description="File name under config/prompts/ without .yaml, with `answer: sentences`"
    )
    choices: Choices = Field(
        {}, description="Words in place of those of the prompt, by placeholder: your genres and topics"
    )
    size: Size = Field(description="Sentences asked for, all of them distinct at best")
    per_request: int = Field(10, ge=1, description="Sentences in an answer: {number} of the prompt")
    language: Language = Field("english", description="Decides how words are counted")

    at_most: ClassVar[bool] = True

    def check(self, project: Plan) -> None:
        prompt = project.entry("prompts", self.prompt)
        if prompt.asked_for != "sentences":
            raise ConfigError(
                f"corpora: prompt '{self.prompt}' asks about a sentence, not for sentences. Name one with "
                "`answer: sentences`, such as invented."
            )
        for each in self.choices:
            named(dict.fromkeys(prompt.choices), each, f"choices of config/prompts/{self.prompt}.yaml")

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return [("", self.llm, self.prompt)]


class DinoTexts(Spec):
    """Texts that a causal language model writes for sentences, by label. DINO, section 3."""

    kind: Literal["dino"] = "dino"
    corpus: CorpusName = Field(description="Sentences that texts are written for, a name under corpora")
    lm: LanguageModelName = Field("gpt2-xl", description="Role under the catalog's language_models")
    instructions: InstructionsName = Field(
        "sentences", description="File name under config/prompts/dino/ without .yaml"
    )
    entries: int = Field(5, ge=1, description="Texts per sentence and label, refused ones included")
    top_p: float = Field(0.9, gt=0, le=1, description="Nucleus sampling within the top_k tokens")
    top_k: int = Field(5, ge=1, description="Number of likeliest tokens that are sampled from")
    decay: float = Field(100.0, ge=0, description="Decay constant of self-debiasing; 0 turns it off")
    floor: float = Field(0.01, gt=0, le=1, description="Least factor of self-debiasing; the paper's epsilon")
    max_tokens: int = Field(
        40, ge=1, description="A text without a closing quotation mark by then is refused"
    )
    seed: int = Field(42, ge=0, description="Seed of the sampling")


class ChatTexts(Spec):
    """Texts that a chat model writes, by label. It shows no probabilities, so there is no self-debiasing."""

    kind: Literal["asked"]
    corpus: CorpusName = Field(description="Sentences that texts are written for, a name under corpora")
    llm: LLMName = Field("chatgpt", description="Role under the catalog's llms")
    instructions: InstructionsName = Field(
        "sentences", description="File name under config/prompts/dino/ without .yaml"
    )
    entries: int = Field(2, ge=1, description="Texts per sentence and label")


SyntheticTexts = Annotated[
    Annotated[DinoTexts, Tag("dino")] | Annotated[ChatTexts, Tag("asked")], by_kind("dino")
]


class Substitution(Spec):
    """How phrases of a dictionary are put into sentences. PPDB-CSE, section 3.2."""

    language: Language = Field(description="Decides how sentences are split into words")
    floor: float = Field(
        0.1, gt=0, le=1, description="Least p(d|s) of a rule; pair sets may ask for more, not for less"
    )
    substitutions: int = Field(1, ge=1, description="Most phrases replaced in one candidate, not overlapping")
    at_most: int = Field(64, ge=1, le=2**15, description="Most candidates kept of a sentence: the likeliest")


class Rewrites(Substitution):
    """Sentences with phrases of a dictionary in them, judged by a language model. PPDB-CSE, section 3.2.

    Without a language model (ours) there are no perplexities, and candidates are told apart by probability.
    """

    corpus: CorpusName = Field(description="Sentences, a name under corpora")
    dictionary: Annotated[str, Ref("dictionaries")] = Field(description="Name in the catalog's dictionaries")
    lm: LanguageModelName | None = Field(
        description="Role under the catalog's language_models: whose perplexity. null (ours): none is "
        "computed, and pairs take the candidate of highest p(d|s)"
    )

    def check_threshold(self, threshold: float, name: str, where: str) -> None:
        """Raise a ConfigError if there are no candidates at a threshold; `name`, `where`: for the message."""
        if threshold < self.floor:
            raise ConfigError(
                f"{where}: threshold is {threshold:g}, but rewrites.{name} has no rules below "
                f"its floor, {self.floor:g}. Lower the floor, or raise the threshold."
            )


Corpus = Annotated[
    Annotated[SampledCorpus, Tag("sampled")]
    | Annotated[PublishedCorpus, Tag("published")]
    | Annotated[DividedCorpus, Tag("divided")]
    | Annotated[TaskCorpus, Tag("tasks")]
    | Annotated[SegmentedCorpus, Tag("segmented")]
    | Annotated[AskedCorpus, Tag("asked")],
    by_kind("sampled"),
]
