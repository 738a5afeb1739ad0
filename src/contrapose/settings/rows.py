"""Rows and columns of printed tables: parts of `config/studies/*/study.yaml`."""

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from contrapose.refs import (
    CorpusName,
    DetectorName,
    DinoPairsId,
    EncoderName,
    LLMName,
    PairsId,
    PromptName,
    RecipeId,
    Ref,
    RewritesName,
    TriplePairsId,
)
from contrapose.settings.spec import Pooling, Spec, Split, SplitChoice
from contrapose.tasks import TASKS, Task

Setting = int | float | str
OF_PAIRS = "pairs."  # in front of a setting of a pair set
Metric = Literal["spearman", "pearson", "accuracy", "f1", "micro_f1", "macro_f1"]
AnyMetric = Metric | Literal["main_score"]  # the one that a task of mteb reports
Measure = Literal[
    "bleu1", "bleu2", "bleu3", "bleu4", "bleu", "jaccard",
    "distinct1", "distinct2", "distinct3", "distinct", "zipf", "zipf_10_1000",
]  # fmt: skip


class Row(Spec):
    """A row of a table: a run of ours, repeated over the seeds, or a pretrained encoder."""

    group: str = ""
    model: str = Field(description="Label of the row")
    pairs: PairsId | None = Field(
        None, description="Id of a pair set: a name and overrides, `paraphrase+llm=vicuna`"
    )
    recipe: RecipeId | None = Field(
        None, description="Id of a recipe: a name and overrides, `simcse+encoder=roberta-base`"
    )
    grid: dict[str, list[Setting]] = Field(
        {},
        description="Values of settings of the recipe, or of the pair set behind `pairs.`, that `search` "
        "tries, in all combinations",
    )
    choices: list[dict[str, Setting]] = Field(
        [], description="Settings, as in grid, that are always trained; the row shows the best on the dev set"
    )
    redraw: bool = Field(False, description="Draw the pair set's sentences anew for each seed")
    encoder: EncoderName | None = Field(
        None, description="Role of a pretrained encoder, instead of pairs and recipe"
    )
    pooling: Pooling = Field(
        "auto", description="Pooling of the pretrained encoder; auto: as the world or its folder says"
    )
    published: str | None = Field(None, description="The paper's label of its row, if it has one")

    @model_validator(mode="after")
    def _run_or_encoder(self) -> "Row":
        if (self.pairs is None) != (self.recipe is None) or (self.pairs is None) == (self.encoder is None):
            raise ValueError("set either pairs and recipe, or encoder")
        if self.encoder is not None and (self.grid or self.choices or self.redraw):
            raise ValueError("an encoder that is not trained has no grid, no choices and no redraw")
        if self.grid and self.choices:
            raise ValueError("give either a grid, which search adds, or choices, which are always trained")
        if any(not values for values in self.grid.values()):
            raise ValueError("a grid needs at least one value of each setting")
        return self


class PrintedLayout(Spec):
    """How to read the CSV file of a paper's table whose rows and columns differ from ours."""

    rows: list[str] = Field(
        [],
        description="Columns that name a row, also those with numbers; empty: the usual columns with words",
    )
    across: str | None = Field(
        None, description="The file has our rows side by side, with numbers of this column"
    )
    below: tuple[str, str] | None = Field(
        None,
        description="The file has our columns below each other: the column of their names and that of their "
        "numbers",
    )


class TaskMetric(Spec):
    """What a column of scores holds."""

    task: Task
    metric: Metric = Field(
        "spearman",
        description="accuracy, f1: for tasks with labels, on test; micro_f1, macro_f1: for classes that "
        "encoders are fine-tuned on",
    )

    @model_validator(mode="after")
    def _labels(self) -> "TaskMetric":
        if self.metric in ("accuracy", "f1") and not TASKS[self.task].labels:
            raise ValueError(f"{self.task} has no labels, so no {self.metric}: take spearman or pearson")
        if (self.metric in ("micro_f1", "macro_f1")) != bool(TASKS[self.task].classes):
            raise ValueError(
                f"{self.task} has {TASKS[self.task].classes} classes, so no {self.metric}: with classes take "
                "micro_f1 or macro_f1, without them another metric"
            )
        return self


class SettingsRow(Spec):
    """A row of a table of settings: a row of the table it is about."""

    group: str = ""
    model: str
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class Band(Spec):
    """Pairs of sentences by the length of the shorter one, in words between white space."""

    name: str
    at_least: int = Field(0, ge=0, description="Words, inclusive")
    at_most: int | None = Field(None, ge=0, description="Words, inclusive; null: no limit")

    @property
    def most(self) -> float:
        return math.inf if self.at_most is None else self.at_most


class BiasRow(Row):
    """A row of a table of length bias: an encoder, and pairs of a probe."""

    probe: Annotated[str, Ref("probes")] = Field(description="Name under probes")
    label: Literal["positive", "negative"] = Field(description="Label of the pairs")


class BiasColumn(Spec):
    """What a column of a table of length bias holds."""

    added: Literal["filler", "marks"] = Field(
        description="What is added to sentences: the probe's filler, or EdaCSE's six marks"
    )
    comparison: Literal["equalised", "diverged", "bias"] = Field(
        "equalised",
        description="equalised: the shorter sentence is lengthened until both are equally long; "
        "diverged: the longer one in the same ratio; bias: the first against the second",
    )
    measure: Literal["change", "before", "after"] = Field(
        "change",
        description="change: mean change of the cosine, with an interval; before, after: mean cosine",
    )


class EditedText(Spec):
    """An edited form of the sentence."""

    label: str
    text: str
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class PromptRow(Spec):
    """A row of a table of prompts: what a language model answers to a prompt, or paraphrases of a file."""

    label: str
    prompt: PromptName | None = Field(None, description="File name under config/prompts/ without .txt")
    llm: LLMName = Field("chatgpt", description="Role in the world")
    corpus: CorpusName | None = Field(None, description="Sentences it is asked about")
    pairs: TriplePairsId | None = Field(
        None,
        description="Instead of corpus, llm and prompt: id of a pair set of kind triples. Lines with the same"
        " first sentence are its paraphrases",
    )
    published: str | None = Field(None, description="`llm: prompt` of the paper's row, if it has one")

    @model_validator(mode="after")
    def _one_source(self) -> "PromptRow":
        if (self.corpus is None) != (self.prompt is None) or (self.pairs is None) == (self.corpus is None):
            raise ValueError("set either corpus and prompt, or pairs")
        return self

    @property
    def unused(self) -> tuple[str, ...]:
        """Fields without effect: the pairs of a file need no language model."""
        return ("llm",) if self.pairs else ()

    @property
    def question(self) -> tuple[str, str, str] | None:
        """Corpus, llm and prompt of the paraphrases to request; None: they are in a file."""
        return (self.corpus, self.llm, self.prompt) if self.corpus and self.prompt else None


class StatisticsRow(Spec):
    """A row of a table of statistics: either `task` or `corpus` says of what."""

    group: str = ""
    label: str
    task: Task | None = None
    subset: str | None = Field(None, description="Subset of the task; null: all of it")
    split: SplitChoice = Field("all", description="Split of the task; all: all existing splits together")
    corpus: CorpusName | None = Field(None, description="Name under corpora")
    published: str | None = Field(None, description="`group: name` or dataset of the paper's row")

    @model_validator(mode="after")
    def _one_source(self) -> "StatisticsRow":
        if (self.task is None) == (self.corpus is None):
            raise ValueError("set either task or corpus")
        return self


class DetectedPairs(Spec):
    """Machine texts of a pair set, and the classifier that tells them from human ones."""

    pairs: DinoPairsId = Field(description="Id of a pair set of kind dino")
    identifier: DetectorName = Field("sdi", description="Name under identifiers")
    temperature: float = Field(1.0, gt=0, description="The paper's temperature: logits are divided by it")


class DetectionRow(DetectedPairs):
    """A row of a table of synthetic-text detection."""

    group: str = ""
    model: str = Field(description="Label of the row")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class DetectionSource(Spec):
    """Pairs of synthetic texts that a detector has judged."""

    name: str = Field(description="Printed name of what the texts were written for")
    pairs: DinoPairsId = Field(description="Id of a pair set of kind dino")
    identifier: DetectorName = Field("sdi", description="Name under identifiers")


class RewritesRow(Spec):
    """A row of a table of rewrites: what a dictionary offers at a threshold."""

    group: str = ""
    model: str = Field(description="Label of the row")
    rewrites: RewritesName = Field(description="Name under rewrites")
    threshold: float = Field(gt=0, le=1, description="Least p(d|s) of a rule")


class SizesRow(Spec):
    """A row of a table of sizes: pair sets, a split of evaluation sets, or the splits of one set."""

    label: str
    pairs: dict[str, PairsId] = Field({}, description="Column: id of a pair set")
    tasks: dict[str, Task] = Field({}, description="Column: task")
    split: Split = Field("test", description="Split of the tasks")
    task: Task | None = Field(None, description="The one whose splits are counted")
    splits: dict[str, Split] = Field({}, description="Column: split of that task")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")

    @model_validator(mode="after")
    def _one_kind(self) -> "SizesRow":
        if sum(map(bool, (self.pairs, self.tasks, self.splits))) != 1 or bool(self.task) != bool(self.splits):
            raise ValueError("set either pairs, or tasks, or task and splits")
        return self

    @property
    def sets(self) -> dict[str, tuple[Task, Split]]:
        """The task and split that are counted, by column."""
        if self.task:
            return {column: (self.task, split) for column, split in self.splits.items()}
        return {column: (task, self.split) for column, task in self.tasks.items()}
