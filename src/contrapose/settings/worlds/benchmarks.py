"""Where a world's evaluation sets come from, and the models that translate them."""

from typing import Literal

from pydantic import Field, model_validator

from contrapose.refs import LLMName, PromptName, Size
from contrapose.settings.spec import Commit, PathText, Spec, Split, TextForm
from contrapose.tasks import TASKS, Task


class BenchmarkFiles(Spec):
    """An evaluation set in its distribution files."""

    kind: Literal[
        "sts", "stsb", "sick", "senteval_cn", "atec", "bq", "cnsd", "pawsx", "mrpc", "qqp", "paws_qqp",
        "esci", "snli", "paws", "jglue", "jsick", "pairs",
    ] = Field(description="File format; pairs: your own pairs, in CSV")  # fmt: skip
    task: Task
    path: PathText = Field(
        description="Folder below the data folder, or below its senteval/; ./FOLDER: below the project"
    )
    splits: list[Split] | None = Field(
        None, description="Splits that are used, and must exist; null: all that exist"
    )
    form: TextForm = Field(
        "senteval",
        description="Text form. senteval: Moses-tokenised, as in SimCSE's evaluation; raw: as released",
    )
    complete: bool = Field(
        False, description="Refuse the set unless it has the published number of scored pairs"
    )

    @model_validator(mode="after")
    def _own(self) -> "BenchmarkFiles":
        if self.kind == "pairs" and self.task != "own":
            raise ValueError("files of kind pairs are task own")
        if self.task == "own" and self.kind not in ("pairs", "stsb"):
            raise ValueError("task own has files of kind pairs or stsb")
        if self.complete and self.task == "own":
            raise ValueError("complete: no number of pairs is published of task own; leave it out")
        return self


class BenchmarkHub(Spec):
    """An evaluation set of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    task: Task
    dataset: str
    revision: Commit
    name: str | None = Field(None, description="Configuration of the data set")
    splits: dict[Split, str] = Field(
        description="Our split: the hub's split; dev may be part of train where it was released that way"
    )
    columns: dict[Literal["sentence1", "sentence2", "score"], str] = Field(
        {}, description="Our column: the hub's column, where the names differ"
    )
    where: dict[str, int | str] = Field(
        {}, description="Column of the hub: value; only rows with these values belong to the set"
    )
    form: TextForm = "senteval"
    scale: float = Field(1.0, gt=0, description="Factor from the hub's gold scores to the set's scale")

    @model_validator(mode="after")
    def _splits_apart(self) -> "BenchmarkHub":
        parts = TASKS[self.task].labels or TASKS[self.task].cut_dev
        if len(set(self.splits.values())) < len(self.splits) and not parts:
            raise ValueError(f"two splits of {self.task} are one of the hub; give each its own")
        return self


class TransferFiles(Spec):
    """A transfer task in the files that SentEval reads; the task decides their format."""

    path: PathText = Field(description="Folder below the data folder, or below its senteval/")
    complete: bool = Field(False, description="Refuse the task unless it has the published number of items")


class TranslatedPairs(Spec):
    """How much of the Chinese sets is translated; test splits of BQ and LCQMC. PrdSimCSE, table 6."""

    size: Size | None = Field(
        None, description="Name of a size in the world: pairs of each set; null: every pair"
    )
    seed: int = Field(1, ge=0, description="Seed that selects the pairs, if not all are used")


class LLMTranslator(TranslatedPairs):
    """A chat model translates, a sentence a request."""

    kind: Literal["llm"]
    llm: LLMName = Field(description="Role in the world")
    prompt: PromptName = Field("translate", description="File name under config/prompts/ without .txt")


class Seq2SeqTranslator(TranslatedPairs):
    """A `transformers` translation model from Chinese to English, like opus-mt-zh-en, on this machine."""

    kind: Literal["seq2seq"]
    path: PathText = Field(description="Folder; `{data}` stands for the data folder, else below the project")
