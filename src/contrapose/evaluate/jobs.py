"""Inputs of the jobs of the stage evaluate."""

from typing import Annotated, Literal

from pydantic import Field

from contrapose.settings.recipes import LengthProbe, Recipe
from contrapose.settings.worlds import MtebTasks
from contrapose.tasks import Task
from contrapose.train.jobs import EncoderJob

RunName = Annotated[
    str, Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling} or /seed{seed}")
]
Resamples = Annotated[int, Field(ge=100, description="Resamples behind each 95 % interval")]


class EvaluationJob(EncoderJob):
    """What the scores of one encoder depend on, beside its folder and the benchmarks."""

    run: RunName
    bootstrap: Resamples = 1000


class TransferJob(EncoderJob):
    """What the scores of one encoder on the transfer tasks depend on, beside its folder and the tasks."""

    run: RunName
    bootstrap: Resamples = 1000
    folds: int = Field(10, ge=2, description="Of tasks without given splits, and to choose penalties")


class MtebJob(EncoderJob):
    """What the scores of one encoder on tasks of mteb depend on, beside its folder and their files."""

    run: RunName
    tasks: MtebTasks
    bootstrap: Resamples = 1000


class FineTunedJob(EncoderJob):
    """What the scores of one fine-tuned encoder on a task depend on, beside its folder and the benchmarks."""

    run: RunName
    task: Task
    recipe: Recipe = Field(description="Of the fine-tuning, with the task's max_length and the world's rate")
    bert_pooler: Literal["new", "kept"]
    train_pairs: int | None = Field(description="Most pairs learned from; null: every one")
    seed: int = Field(ge=0, description="Of new layers, dropout and the order of pairs")
    bootstrap: Resamples = 1000


class GeometryJob(EncoderJob):
    """What alignment and uniformity of one encoder depend on, beside its folder and the benchmarks."""

    run: RunName


class LengthBiasJob(EncoderJob):
    """What the length bias of one encoder depends on, beside its folder and the benchmarks."""

    run: RunName
    probe: str = Field(description="Its name")
    pairs: LengthProbe
    bootstrap: Resamples = 1000


class SimilaritiesJob(EncoderJob):
    """What the cosines of given texts depend on, beside the encoder's folder."""

    run: RunName
    sentence: str
    texts: list[tuple[str, str]] = Field(min_length=1, description="Label and text")
