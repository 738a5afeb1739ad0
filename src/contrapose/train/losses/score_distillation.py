"""A teacher's scores of a text with several others, as labels.  Lin et al. (2020)."""

from typing import ClassVar

from contrapose.settings.spec import LabelKind
from contrapose.train.losses.loss_settings import Sides, Tensor, WithTemperatures, labels_of
from contrapose.train.rows import RowIds


class ScoreDistillation(WithTemperatures):
    """The cosines with positive and hard negatives should have the distribution of a teacher's scores (KL
    divergence).
    """

    labelled: ClassVar[bool] = True
    labels: ClassVar[LabelKind] = "similarities"
    negatives: ClassVar[int | None] = None


def build(spec: ScoreDistillation, sides: Sides, rows: RowIds) -> Tensor:
    """Return the divergence of the student's softmax over positive and hard negatives from the teacher's.

    TCT-ColBERT (https://arxiv.org/abs/2010.11386).  `DistillKLDivLoss` of sentence-transformers
    multiplies it by the square of the student's temperature, `kl_div` of FlagEmbedding leaves out the
    teacher's entropy, which is constant.  Rows may have fewer hard negatives than others.
    """
    from torch.nn.functional import cosine_similarity

    from contrapose.models.devices import on_device

    cosines = cosine_similarity(sides[:, :1], sides[:, 1:], dim=-1)  # (B, S - 1)
    scores = labels_of(rows, sides).to(cosines.dtype)
    present = on_device(rows.present[:, 1:], sides.device)
    return divergence(cosines / spec.temperature, scores / spec.teacher_temperature, present)


def divergence(scores: Tensor, wanted: Tensor, present: Tensor) -> Tensor:
    """Return the KL divergence of the softmaxes of `scores` from those of `wanted`, mean over rows, in nats.

    Both have the shape (B, N), as `present`, which says what is in a row's softmax.
    """
    import torch
    from torch.nn import functional

    lowest = torch.finfo(scores.dtype).min  # probability 0; differences of infinities would be NaN
    student, teacher = (each.masked_fill(~present, lowest).log_softmax(dim=1) for each in (scores, wanted))
    return functional.kl_div(student, teacher, reduction="batchmean", log_target=True)
