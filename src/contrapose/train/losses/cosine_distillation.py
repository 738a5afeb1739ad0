"""An encoder's cosines of the texts of a batch are distilled; pairs need no labels."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from contrapose.train.losses.loss_settings import Sides, Tensor, WithTeacher, WithTemperatures
from contrapose.train.losses.score_distillation import divergence
from contrapose.train.rows import RowIds


class CosineDistillation(WithTemperatures, WithTeacher):
    """The cosines within a batch should equal those of the teacher."""

    negatives: ClassVar[int | None] = None
    distils: ClassVar[bool] = True

    measure: Literal["kl", "mse"] = Field(
        "kl",
        description="With `kl`, the softmaxes of each anchor's cosines with all other texts of the "
        "batch are compared. With `mse`, the cosines are.",
    )


def build(spec: CosineDistillation, sides: Sides, rows: RowIds, targets: Tensor) -> Tensor:
    """Compare the cosines of each anchor with the positives and hard negatives of the batch with a teacher's.

    `kl`: as TCT-ColBERT in a batch (https://arxiv.org/abs/2010.11386); on dropout pairs, RankCSE's ListNet
    without the teacher's entropy, which is constant: a text is not in its own list.  `mse`: the similarity
    loss of Jasper and Stella (https://arxiv.org/abs/2412.19048), here between the sides of the pairs.  The
    default temperatures are RankCSE's.
    """
    from torch.nn.functional import mse_loss

    from contrapose.models.devices import on_device

    cosines, wanted = (_cosines(each) for each in (sides, targets.to(sides.dtype)))  # (B, B (S - 1))
    present = rows.present[:, 1:].ravel()
    if spec.measure == "mse":
        at = on_device(np.flatnonzero(present), sides.device)
        return mse_loss(cosines[:, at], wanted[:, at])
    others = on_device(present & (rows.texts[:, :1] != rows.texts[:, 1:].ravel()), sides.device)
    return divergence(cosines / spec.temperature, wanted / spec.teacher_temperature, others)


def _cosines(sides: Sides) -> Tensor:
    from torch.nn import functional

    units = functional.normalize(sides, dim=-1)
    return units[:, 0] @ units[:, 1:].flatten(end_dim=1).T
