"""What planning asks of corpora, and the texts and rewrites that models write for them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, Protocol

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import Task
from contrapose.settings.instructions import LabelInstruction
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import (
    CorpusName,
    InstructionsName,
    LanguageModelName,
    LLMName,
    Ref,
)
from contrapose.settings.spec import ByKind, Language, Spec

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

    def sets(self, project: Plan) -> list[Task]:
        """Return the evaluation sets that its sentences are taken from; empty if from none."""
        return []

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
            f"corpora.{name}: this corpus is of kind {self.kind}{how}, which seldom contains the next "
            "sentence of a document. Use a corpus of kind published without a size, whose file "
            "declares where documents end (`documents` of its entry in sentence_files). A corpus of "
            "kind sampled with method 3 is also possible."
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


class TextsKind(Spec):
    """What planning asks of texts that a language model writes; the defaults fit any model."""

    def shards(self, paths: Paths, name: str) -> list[str]:
        """Return the files that jobs on this machine write, shard by shard; none if a service is asked."""
        return []

    def asked(self, project: Plan) -> str:
        """Return the role of the chat model that is asked; empty if the model runs on this machine."""
        return ""

    def requests(self, project: Plan, name: str) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of what a service is asked."""
        return []

    def writer(self, project: Plan) -> str:
        """Return the language model by a name that does not depend on the machine."""
        raise NotImplementedError


class DinoTexts(TextsKind):
    """A causal language model writes texts for sentences, by label. DINO, section 3."""

    kind: Literal["dino"] = "dino"
    corpus: CorpusName = Field(description="The texts are written for the sentences of this corpus.")
    lm: LanguageModelName = Field(
        "gpt2-xl", description="This entry of the catalog's `language_models` writes the texts."
    )
    instructions: InstructionsName = Field(
        "sentences", description="This is a file under config/prompts/dino/ without `.yaml`."
    )
    entries: int = Field(
        5,
        ge=1,
        description="The model writes this many texts for each sentence and label, refused ones included.",
    )
    top_p: float = Field(
        0.9,
        gt=0,
        le=1,
        description="Of the `top_k` tokens, the likeliest ones that together have this probability "
        "can be drawn (nucleus sampling).",
    )
    top_k: int = Field(5, ge=1, description="Tokens are sampled from this many likeliest ones.")
    decay: float = Field(
        100.0,
        ge=0,
        description="This is the decay constant of DINO's self-debiasing, which makes tokens less "
        "likely that fit the other labels as well. The value 0 turns it off.",
    )
    floor: float = Field(
        0.01,
        gt=0,
        le=1,
        description="Self-debiasing multiplies a token's probability by at least this factor, the "
        "paper's epsilon.",
    )
    max_tokens: int = Field(
        40, ge=1, description="A text is refused if it has no closing quotation mark after this many tokens."
    )
    seed: int = Field(42, ge=0, description="This seed draws the tokens.")

    def shards(self, paths: Paths, name: str) -> list[str]:
        return paths.written(name)

    def writer(self, project: Plan) -> str:
        model = project.language_model(self.lm)
        return f"{self.lm}: {model.note}" if model.note else model.name


class ChatTexts(TextsKind):
    """A chat model writes texts by label. It shows no probabilities, so there is no self-debiasing."""

    kind: Literal["llm_generated"]
    corpus: CorpusName = Field(description="The texts are written for the sentences of this corpus.")
    llm: LLMName = Field("chatgpt", description="This entry of the catalog's `llms` writes the texts.")
    instructions: InstructionsName = Field(
        "sentences", description="This is a file under config/prompts/dino/ without `.yaml`."
    )
    entries: int = Field(2, ge=1, description="The model writes this many texts for each sentence and label.")

    def asked(self, project: Plan) -> str:
        return self.llm

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return corpus, llm and prompt of all texts; a row is skipped if one has no recorded answers."""
        return [(self.corpus, self.llm, prompt) for _, _, prompt in self.prompts(project)]

    def requests(self, project: Plan, name: str) -> list[tuple[str, str, str]]:
        return self.questions(project)

    def prompts(self, project: Plan) -> Iterator[tuple[LabelInstruction, int, str]]:
        """Yield each instruction, the number of an answer to it, and a name for what is asked."""
        for instruction in project.entry("instructions", self.instructions).labels:
            for entry in range(self.entries):
                yield instruction, entry, f"dino-{self.instructions}-{instruction.label:g}-{entry}"

    def writer(self, project: Plan) -> str:
        return project.entry("llms", self.llm).player


SyntheticTexts = Annotated[DinoTexts | ChatTexts, ByKind("dino")]


class Substitution(Spec):
    """How phrases of a dictionary are put into sentences. PPDB-CSE, section 3.2."""

    language: Language = Field(description="The language decides how sentences are split into words.")
    floor: float = Field(
        0.1,
        gt=0,
        le=1,
        description="A rule of the dictionary needs at least this p(d|s). A pair set may require more, "
        "but not less.",
    )
    substitutions: int = Field(
        1, ge=1, description="At most this many phrases are replaced in one candidate. They do not overlap."
    )
    max_candidates: int = Field(
        64,
        ge=1,
        le=2**15,
        description="At most this many candidates of a sentence are kept, the likeliest ones.",
    )


class Rewrites(Substitution):
    """Phrases of sentences are replaced by those of a dictionary, and a language model judges the result.
    PPDB-CSE, section 3.2.

    Without a language model (ours) there are no perplexities, and candidates are told apart by probability.
    """

    corpus: CorpusName = Field(description="The phrases are replaced in the sentences of this corpus.")
    dictionary: Annotated[str, Ref("dictionaries")] = Field(
        description="This names an entry of the catalog's `dictionaries`."
    )
    lm: LanguageModelName | None = Field(
        description="This entry of the catalog's `language_models` computes the perplexity. With "
        "null, which is our addition, pairs use the candidate of highest p(d|s)."
    )

    def note(self, project: Plan, name: str) -> str:
        """Name the dictionary and language model of this catalog that are not what their names say."""
        notes = {self.dictionary: project.source("dictionaries", self.dictionary).note}
        if self.lm is None:
            notes[name] = (
                "without a language model, the most probable candidates are used instead of the most "
                "fluent ones"
            )
        else:
            notes[self.lm] = project.language_model(self.lm).note
        return "; ".join(f"{name}: {note}" for name, note in notes.items() if note)

    def check_threshold(self, threshold: float, name: str, where: str) -> None:
        """Raise a ConfigError if there are no candidates at a threshold; `name`, `where`: for the message."""
        if threshold < self.floor:
            raise ConfigError(
                f"{where}: threshold is {threshold:g}, but rewrites.{name} has no rules with a "
                f"probability below its floor, {self.floor:g}. Lower the floor, or raise the "
                "threshold."
            )
