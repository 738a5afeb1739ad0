"""Rows and columns that several kinds of tables and figures have: parts of `config/studies/*/study.yaml`."""

import math
from typing import Literal

from pydantic import Field, model_validator

from contrapose.base.tasks import TASKS
from contrapose.settings.refs import DetectorName, DinoPairsId, EncoderName, PairsId, RecipeId, TaskName
from contrapose.settings.spec import PoolingName, Spec, check_one_of

Setting = int | float | str
OF_PAIRS = "pairs."  # in front of a setting of a pair set
Metric = Literal["spearman", "pearson", "accuracy", "f1", "micro_f1", "macro_f1"]
AnyMetric = Metric | Literal["main_score"]  # the one that a task of mteb reports


class Row(Spec):
    """A row shows a trained encoder, repeated over the seeds, or a pretrained encoder."""

    group: str = Field("", description="Rows with the same group stand under one heading.")
    model: str = Field(description="This is the label of the row.")
    pairs: PairsId | None = Field(
        None,
        description="This is the id of a pair set: a name and changed settings, such as "
        "`paraphrase+llm=vicuna`.",
    )
    recipe: RecipeId | None = Field(
        None,
        description="This is the id of a recipe: a name and changed settings, such as "
        "`simcse+encoder=roberta-base`.",
    )
    grid: dict[str, list[Setting]] = Field(
        {},
        description="Each entry is a key of the recipe, or `pairs.KEY` of the pair set, with the values "
        "to try. With `search: true` in config.yaml, all combinations are trained, and dev scores select "
        "one. Otherwise the grid has no effect.",
    )
    choices: list[dict[str, Setting]] = Field(
        [],
        description="Each entry is a set of settings that is trained in any case, also without `search: "
        "true`. The row shows the one with the best score on the dev set.",
    )
    resample_per_seed: bool = Field(
        False,
        description="If true, the pair set is made again for each seed, with other random choices. "
        "If false, all seeds train on the same pairs.",
    )
    encoder: EncoderName | None = Field(
        None, description="This is the catalog's name of a pretrained encoder, in place of pairs and recipe."
    )
    pooling: PoolingName = Field(
        "auto",
        description="This says how the token vectors of the pretrained encoder become the vector of a text. "
        "With `auto`, the catalog or the encoder's folder decides. With `cls`, the vector of "
        "[CLS] passes the encoder's dense layer. With `cls_before_pooler`, it is the vector of "
        "[CLS] in the last layer. With `mean`, it is the mean over the tokens of the last "
        "layer. With `avg_top2`, it is the mean over the tokens of the last two layers. With "
        "`avg_first_last`, it is that of the first and the last layer. With `lasttoken`, it is "
        "the vector of the last token, as in decoders.",
    )
    published: str | None = Field(
        None,
        description="This is the label that the paper's table has for the same method. The printed "
        "numbers of that row then stand next to the numbers of this row. Leave it null if the two "
        "rows do not show the same quantity.",
    )
    fair_for: str | None = Field(
        None,
        description="A paper's row can be shown by two rows here: for example, by the encoder that its "
        "authors released and by an encoder that is trained here. Only the first row has the printed "
        "numbers, by its key `published`. The second row gives the paper's label here. A claim about "
        "that label is judged with each of these rows, and the worst verdict counts.",
    )

    @model_validator(mode="after")
    def _run_or_encoder(self) -> "Row":
        check_one_of(self, ("pairs", "recipe"), ("encoder",))
        if self.encoder is not None and (self.grid or self.choices or self.resample_per_seed):
            raise ValueError(
                "an encoder without training cannot have grid, choices or resample_per_seed. Remove them"
            )
        if self.grid and self.choices:
            raise ValueError(
                "give grid or choices, but not both. A search adds the settings of grid, and those of "
                "choices are always trained"
            )
        if any(not values for values in self.grid.values()):
            raise ValueError("a grid needs at least one value for each setting")
        return self


class BaselineRow(Spec):
    """The other rows are compared with this row."""

    row: str = Field(
        description="This is the label of the baseline: `model`, or `group: model`. With `by: encoder`, "
        "it can also be a group."
    )
    by: Literal["group", "encoder"] = Field(
        "group",
        description="With `group`, the row is the baseline of the rows of its group. If only one group "
        "has the row, it is the baseline of all rows. With `encoder`, it is the baseline of the rows "
        "that start from the same encoder.",
    )


class TaskMetric(Spec):
    """A column shows a score on a task."""

    task: TaskName = Field(description="The scores are those on this task.")
    metric: Metric = Field(
        "spearman",
        description="This is the score. `accuracy` and `f1` are for tasks with labels, on their test "
        "split. `micro_f1` and `macro_f1` are for the classes that encoders are fine-tuned "
        "on.",
    )

    @model_validator(mode="after")
    def _labels(self) -> "TaskMetric":
        if self.metric in ("accuracy", "f1") and not TASKS[self.task].labels:
            raise ValueError(f"{self.task} has no labels, which {self.metric} needs. Use spearman or pearson")
        if (self.metric in ("micro_f1", "macro_f1")) != bool(TASKS[self.task].classes):
            raise ValueError(
                f"{self.task} has {TASKS[self.task].classes} classes, so {self.metric} is not "
                "possible. With classes, use micro_f1 or macro_f1; without them, use another metric"
            )
        return self


class Band(Spec):
    """A range of lengths: the shorter sentence of a pair counts, in words between white space."""

    name: str = Field(description="This is the printed name of the range.")
    at_least: int = Field(0, ge=0, description="The shorter sentence has at least this many words.")
    at_most: int | None = Field(
        None,
        ge=0,
        description="The shorter sentence has at most this many words. With null, there is no limit.",
    )

    @property
    def most(self) -> float:
        return math.inf if self.at_most is None else self.at_most


class DetectedPairs(Spec):
    """These are machine texts of a pair set, and the classifier that detects them."""

    pairs: DinoPairsId = Field(description="This is the id of a pair set of kind `dino`.")
    identifier: DetectorName = Field("sdi", description="This names an entry under `identifiers`.")
    temperature: float = Field(
        1.0, gt=0, description="The logits of the classifier are divided by this temperature of the paper."
    )


class DetectionSource(Spec):
    """These are pairs of synthetic texts that a detector has judged."""

    name: str = Field(description="This printed name says which sentences the texts were written for.")
    pairs: DinoPairsId = Field(description="This is the id of a pair set of kind `dino`.")
    identifier: DetectorName = Field("sdi", description="This names an entry under `identifiers`.")
