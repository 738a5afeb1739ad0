"""An encoder's vectors are distilled.  Kim et al. (2023), Reimers and Gurevych (2020)."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from contrapose.train.losses.loss_settings import Sides, Tensor, WithTeacher
from contrapose.train.rows import RowIds


class VectorDistillation(WithTeacher):
    """The vector of each text should equal that of the teacher."""

    negatives: ClassVar[int | None] = None
    distils: ClassVar[bool] = True
    projects: ClassVar[bool] = True

    distance: Literal["cosine", "l2", "mse"] = Field(
        "cosine",
        description="This is the distance of two vectors. `cosine` is 1 - cosine, `l2` is the Euclidean "
        "distance of EmbedDistill, and `mse` is the mean squared error of their numbers.",
    )


def build(spec: VectorDistillation, sides: Sides, rows: RowIds, targets: Tensor) -> Tensor:
    """Return the mean distance of all texts of a batch, of vectors of shape (B, S, D') both.

    EmbedDistill (https://arxiv.org/abs/2301.12005); `EmbedDistillLoss` of sentence-transformers, whose
    default is the cosine.
    """
    from torch.nn.functional import cosine_similarity, mse_loss

    from contrapose.models.devices import on_device

    present = on_device(np.flatnonzero(rows.present), sides.device)
    ours, theirs = (each.to(sides.dtype).flatten(end_dim=1)[present] for each in (sides, targets))
    if spec.distance == "cosine":
        return 1 - cosine_similarity(ours, theirs, dim=-1).mean()
    return (ours - theirs).norm(dim=-1).mean() if spec.distance == "l2" else mse_loss(ours, theirs)
