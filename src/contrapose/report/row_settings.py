"""Rows and columns that several kinds of tables and figures have: parts of `config/studies/*/study.yaml`."""

import math
from typing import Literal

from pydantic import Field, model_validator

from contrapose.base.tasks import TASKS
from contrapose.settings.refs import DetectorName, DinoPairsId, EncoderName, PairsId, RecipeId, TaskName
from contrapose.settings.spec import PoolingName, Spec

Setting = int | float | str
OF_PAIRS = "pairs."  # in front of a setting of a pair set
Metric = Literal["spearman", "pearson", "accuracy", "f1", "micro_f1", "macro_f1"]
AnyMetric = Metric | Literal["main_score"]  # the one that a task of mteb reports


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
    pooling: PoolingName = Field(
        "auto", description="Pooling of the pretrained encoder; auto: as the catalog or its folder says"
    )
    published: str | None = Field(
        None, description="The paper's label of its row, if it is of the same quantity as this one"
    )
    fair_for: str | None = Field(
        None,
        description="The paper's label of a row in whose place this one is judged, too: claims are judged by "
        "the paper's own row and by each such row, and the worst verdict counts",
    )

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


class BaselineRow(Spec):
    """A row that others are compared with."""

    row: str = Field(description="`model`, or `group: model`; with `by: encoder` also a group")
    by: Literal["group", "encoder"] = Field(
        "group",
        description="group: in each group that has it, or for all rows if only one group has it; encoder: "
        "for the rows of the same encoder",
    )


class TaskMetric(Spec):
    """What a column of scores holds."""

    task: TaskName
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


class Band(Spec):
    """Pairs of sentences by the length of the shorter one, in words between white space."""

    name: str
    at_least: int = Field(0, ge=0, description="Words, inclusive")
    at_most: int | None = Field(None, ge=0, description="Words, inclusive; null: no limit")

    @property
    def most(self) -> float:
        return math.inf if self.at_most is None else self.at_most


class DetectedPairs(Spec):
    """Machine texts of a pair set, and the classifier that tells them from human ones."""

    pairs: DinoPairsId = Field(description="Id of a pair set of kind dino")
    identifier: DetectorName = Field("sdi", description="Name under identifiers")
    temperature: float = Field(1.0, gt=0, description="The paper's temperature: logits are divided by it")


class DetectionSource(Spec):
    """Pairs of synthetic texts that a detector has judged."""

    name: str = Field(description="Printed name of what the texts were written for")
    pairs: DinoPairsId = Field(description="Id of a pair set of kind dino")
    identifier: DetectorName = Field("sdi", description="Name under identifiers")
