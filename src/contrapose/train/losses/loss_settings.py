"""What losses share.

A loss is a module of this package: a settings class, whose docstring explains the loss in
docs/reference/configuration/training.md, and `build`, which maps these settings, the sides of a batch and
its rows to the loss.  The settings are keys of recipes with this loss.  Planning reads them, so PyTorch is
imported where it computes.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from contrapose.settings.refs import TrainableName
from contrapose.settings.spec import LabelKind, Spec
from contrapose.train.rows import RowIds

if TYPE_CHECKING:
    from torch import Tensor
else:
    Tensor = Any

# Of shape (B, S, D): the anchor, then for each view the positive and the hard negatives; zeros where the rows
# have no text.
Sides = Tensor


class LossSettings(Spec):
    """Settings of a loss, and what it needs of pairs."""

    labelled: ClassVar[bool] = False  # pairs need labels
    labels: ClassVar[LabelKind] = "similarity"  # which, if they do
    weighted: ClassVar[bool] = False  # the weights of pairs count
    negatives: ClassVar[int | None] = 0  # hard ones of each row; None: any number, in any number of views
    distils: ClassVar[bool] = False  # `build` also takes the teacher's vectors of the sides, (B, S, D')
    projects: ClassVar[bool] = False  # these vectors are the sides' targets: a layer maps the sides to D'
    decodes: ClassVar[bool] = False  # `build` maps encoder and seed to a module whose value is the loss
    refused: ClassVar[tuple[str, ...]] = ()  # settings that the loss makes no sense with


class OfVectors(LossSettings):
    """A loss that compares vectors."""

    matryoshka: list[Annotated[int, Field(ge=1)]] | None = Field(
        None,
        min_length=1,
        description="With a list such as `[384, 128, 64]`, the loss is added up over vectors that are "
        "cut after so many dimensions, with equal weights. Then shorter vectors are useful, too. The "
        "whole vector counts only if the list has its length, here 384. With null, only whole vectors "
        "are trained.",
    )


class WithTemperature(OfVectors):
    """A loss of cosines."""

    temperature: float = Field(
        0.05,
        gt=0,
        description="Cosines are divided by this temperature, except in the loss `cosine_similarity`.",
    )


class WithTemperatures(WithTemperature):
    """A loss of cosines, and of a teacher's."""

    teacher_temperature: float = Field(
        0.05,
        gt=0,
        description="The cosines or scores of the teacher are divided by this temperature before the "
        "softmax. The temperature of the trained encoder is `temperature`.",
    )


class WithTeacher(LossSettings):
    """A loss that distils encoders of the catalog."""

    teacher: TrainableName | list[TrainableName] | None = Field(
        None,
        description="This is the catalog's name of the teacher: the encoder that the trained encoder "
        "should imitate. A list names several teachers, whose cosines are averaged, as in RankCSE.",
    )
    teacher_weights: list[Annotated[float, Field(gt=0)]] | None = Field(
        None,
        description="With several teachers, these are their weights in the mean of the cosines. With "
        "null, all teachers count the same.",
    )

    @property
    def teachers(self) -> list[str]:
        """The roles of all teachers."""
        return [self.teacher] if isinstance(self.teacher, str) else self.teacher or []

    @model_validator(mode="after")
    def _a_weight_each(self) -> Self:
        if self.teacher_weights is not None and len(self.teacher_weights) != len(self.teachers):
            counts = f"{len(self.teacher_weights)} teacher_weights for {len(self.teachers)} teachers"
            raise ValueError(f"{counts}: give each teacher one")
        return self


def labels_of(rows: RowIds, sides: Sides) -> Tensor:
    """Return the labels of a batch where its vectors are: of shape (B,), or (B, S - 1) for `similarities`."""
    from contrapose.models.devices import on_device

    assert rows.labels is not None
    labels = rows.labels[:, 0] if rows.scores is None else np.c_[rows.labels, rows.scores[:, 2:]]
    return on_device(labels, sides.device)


def weighted_mean(losses: Tensor, weights: Tensor | None) -> Tensor:
    """Return the sum of losses x weights of a batch, (B,) both, over the number of rows.

    Never over the sum of the weights, as in the code of RISE and CLHAIF: so a row counts the same whatever
    else is in its batch, and rows of weight 0 alone have the loss 0.  Without weights the mean.
    """
    return (losses if weights is None else weights * losses).mean()
