"""Corpora of sentences, and texts that a language model writes for them: entries of `config/recipes.yaml`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, Protocol

from pydantic import Field, Tag, model_validator

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, Task
from contrapose.settings.ids import named
from contrapose.settings.plan import Paths, Plan
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

if TYPE_CHECKING:
    import pandas as pd

# UTF-8 bytes of a sentence.  Sampled and published: 25.9 and 22.6 words (thesis, Table 4.5) of 5.39 bytes, as
# 2,699 sentences that method 1 draws from 1,000 articles of Wikipedia of November 2023 have.  Segmented:
# 3,000 of these sentences; Japanese ones of PAWS-X.  Evaluation sets: STS test splits; Chinese ones.
LENGTHS: Mapping[str, float] = {
    "sampled": 140, "published": 122, "english": 111, "japanese": 144, "tasks": 61, "chinese": 45,
}  # fmt: skip
DISTINCT = {"tasks": 0.74, "chinese": 0.48}  # share of distinct sentences in the same sets


class Texts(NamedTuple):
    """The sentences of a corpus."""

    sentences: int | None  # None: unknown before the corpus is made
    length: float  # mean UTF-8 bytes of a sentence


class Counts(Plan, Protocol):
    """What estimates ask besides: sentences and pairs that are counted as far as their files are here."""

    def texts(self, corpus: str) -> Texts: ...
    def expected_pairs(self, task: Task, split: str) -> int | None: ...


class CorpusKind(Spec):
    """What planning asks of a corpus; the defaults are those of one whose sentences are drawn singly."""

    if TYPE_CHECKING:
        kind: str
    replaced: ClassVar[bool] = False  # whether a sentence can be drawn in place of another

    def check(self, project: Plan) -> None:
        """Raise a ConfigError if settings do not fit together; the names in them are already checked."""

    def shrinks(self, project: Plan) -> bool:
        """Return whether `--config sentences` may make it smaller."""
        return True

    def whole(self, project: Plan) -> str:
        """Return the name of the corpus that this one is a part of; empty if it is no part."""
        return ""

    def note(self, project: Plan) -> str:
        """Return what readers of tables should know about its sentences; empty if nothing."""
        return ""

    def amount(self, project: Plan, count: int | None) -> str:
        """Return in words how many sentences there are; `count` is None if all are used."""
        return "every line" if count is None else f"{count} sentences"

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return what is asked for its sentences: no corpus, llm and prompt."""
        return []

    def check_documents(self, project: Plan, name: str) -> None:
        """Raise a ConfigError unless the next sentence of a document is mostly in it."""
        raise self._without_documents(project, name)

    def _without_documents(self, project: Plan, name: str, how: str = "") -> ConfigError:
        return ConfigError(
            f"corpora.{name}: is {self.kind}{how}, so the next sentence of a document is seldom in it. Use "
            "a corpus of kind published without a size, whose file says where documents end (`documents` of "
            "its entry in sentence_files), or a sampled one of method 3."
        )

    def lacking_documents(self, project: Plan) -> str:
        """Return that its file does not mark where documents end; empty if it does, or there is no file."""
        return ""

    def lines(self, project: Plan, most: float) -> "pd.DataFrame | None":
        """Return the lines of a file of the user of at most so many bytes; None for any other corpus."""
        return None

    def texts(self, project: Counts, count: int | None) -> Texts:
        """Estimate its sentences; `count` is their number in this catalog, None if all are used."""
        return Texts(count, LENGTHS["sampled"])


class SampledCorpus(CorpusKind):
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

    replaced: ClassVar[bool] = True

    def check(self, project: Plan) -> None:
        project.source("articles")

    def check_documents(self, project: Plan, name: str) -> None:
        if self.method != 3:
            raise self._without_documents(project, name)


class DividedCorpus(CorpusKind):
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

    def shrinks(self, project: Plan) -> bool:
        return self.part == "train"

    def whole(self, project: Plan) -> str:
        return self.corpus

    def note(self, project: Plan) -> str:
        return project.corpus(self.corpus).note(project)

    def amount(self, project: Plan, count: int | None) -> str:
        return "every line that is not held out" if count is None else f"{count} sentences"

    def check_documents(self, project: Plan, name: str) -> None:  # parts are whole documents
        project.entry("corpora", self.corpus).check_documents(project, self.corpus)

    def lacking_documents(self, project: Plan) -> str:
        return project.corpus(self.corpus).lacking_documents(project)

    def texts(self, project: Counts, count: int | None) -> Texts:
        whole, length = project.texts(self.corpus)
        if whole is None:
            return Texts(None, length)
        held_out = min(whole, project.size(self.held_out))
        left = held_out if self.part == "test" else whole - held_out
        return Texts(min(left, count or left), length)


class TaskCorpus(CorpusKind):
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

    def amount(self, project: Plan, count: int | None) -> str:
        return "at most " * (self.at_most and count is not None) + super().amount(project, count)

    def texts(self, project: Counts, count: int | None) -> Texts:
        kind = "chinese" if TASKS[self.tasks[0]].suite == "chinese" else "tasks"
        pairs = sum(project.expected_pairs(task, self.split) or 0 for task in self.tasks)
        every = round(DISTINCT[kind] * 2 * pairs)
        fewer = count is None or (self.at_most and 0 < every < count)
        return Texts((every if fewer else count) or None, LENGTHS[kind])


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


class SegmentedCorpus(Segments, CorpusKind):
    """All sentences of a collection of articles, shuffled. PPDB-CSE, section 4.2."""

    kind: Literal["segmented"]
    min_words: int = Field(6, ge=1, description="Fewest words, inclusive")
    max_words: int = Field(49, ge=1, description="Most words, inclusive")
    confidence: float = Field(0.99, ge=0, le=1, description="Least confidence of langdetect in the language")

    def texts(self, project: Counts, count: int | None) -> Texts:
        return Texts(count, LENGTHS.get(self.language, LENGTHS["sampled"]))


class AskedCorpus(CorpusKind):
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

    def check(self, project: Plan) -> None:
        prompt = project.entry("prompts", self.prompt)
        if prompt.asked_for != "sentences":
            raise ConfigError(
                f"corpora: prompt '{self.prompt}' asks about a sentence, not for sentences. Name one with "
                "`answer: sentences`, such as invented."
            )
        for each in self.choices:
            named(dict.fromkeys(prompt.choices), each, f"choices of config/prompts/{self.prompt}.yaml")

    def note(self, project: Plan) -> str:
        return f"sentences written by {project.notes.player(self.llm)}"

    def amount(self, project: Plan, count: int | None) -> str:
        return f"at most {super().amount(project, count)}"

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return [("", self.llm, self.prompt)]

    def texts(self, project: Counts, count: int | None) -> Texts:
        return Texts(count, LENGTHS.get(self.language, LENGTHS["sampled"]))


class TextsKind(Spec):
    """What planning asks of texts that a language model writes; the defaults fit any model."""

    def shards(self, paths: Paths, name: str) -> list[str]:
        """Return the files that jobs on this machine write, shard by shard; none if a service is asked."""
        return []

    def requests(self, project: Plan, name: str) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of what a service is asked."""
        return []

    def writer(self, project: Plan) -> str:
        """Return the language model by a name that does not depend on the machine."""
        raise NotImplementedError


class DinoTexts(TextsKind):
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

    def shards(self, paths: Paths, name: str) -> list[str]:
        return paths.written(name)

    def writer(self, project: Plan) -> str:
        model = project.language_model(self.lm)
        return f"{self.lm}: {model.note}" if model.note else model.name


class ChatTexts(TextsKind):
    """Texts that a chat model writes, by label. It shows no probabilities, so there is no self-debiasing."""

    kind: Literal["asked"]
    corpus: CorpusName = Field(description="Sentences that texts are written for, a name under corpora")
    llm: LLMName = Field("chatgpt", description="Role under the catalog's llms")
    instructions: InstructionsName = Field(
        "sentences", description="File name under config/prompts/dino/ without .yaml"
    )
    entries: int = Field(2, ge=1, description="Texts per sentence and label")

    def requests(self, project: Plan, name: str) -> list[tuple[str, str, str]]:
        asked = project.llm_requests.instructions(name)
        return [(self.corpus, self.llm, each.prompt) for each in asked]

    def writer(self, project: Plan) -> str:
        return project.notes.player(self.llm)


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

    def note(self, project: Plan, name: str) -> str:
        """Name the dictionary and language model of this catalog that are not what their names say."""
        notes = {self.dictionary: project.source("dictionaries", self.dictionary).note}
        if self.lm is None:
            notes[name] = "without a language model, the likeliest candidates instead of the most fluent"
        else:
            notes[self.lm] = project.language_model(self.lm).note
        return "; ".join(f"{name}: {note}" for name, note in notes.items() if note)

    def check_threshold(self, threshold: float, name: str, where: str) -> None:
        """Raise a ConfigError if there are no candidates at a threshold; `name`, `where`: for the message."""
        if threshold < self.floor:
            raise ConfigError(
                f"{where}: threshold is {threshold:g}, but rewrites.{name} has no rules below "
                f"its floor, {self.floor:g}. Lower the floor, or raise the threshold."
            )
