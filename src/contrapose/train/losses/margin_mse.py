"""MarginMSE: the margin of a cross-encoder.  Hofstätter et al. (2020)."""

from typing import ClassVar

from contrapose.settings.spec import LabelKind
from contrapose.train.losses.loss_settings import Sides, Tensor, WithTemperature, labels_of
from contrapose.train.rows import RowIds


class MarginMSE(WithTemperature):
    """The cosine with the positive should exceed that with the hard negative by the label.
    Cosines are divided by the temperature first. The loss is the mean squared error.
    """

    labelled: ClassVar[bool] = True
    labels: ClassVar[LabelKind] = "margin"
    negatives: ClassVar[int | None] = 1


def build(spec: MarginMSE, sides: Sides, rows: RowIds) -> Tensor:
    """Return equation 6 of Hofstätter et al.; `MarginMSELoss` of sentence-transformers.

    There similarities are dot products by default; here they are cosines over the temperature, so that their
    margins can be as large as a cross-encoder's, and all evaluations compare cosines.
    """
    from torch.nn.functional import cosine_similarity, mse_loss

    anchor, positive, negative = sides.unbind(dim=1)  # each (B, D)
    margin = cosine_similarity(anchor, positive, dim=-1) - cosine_similarity(anchor, negative, dim=-1)
    return mse_loss(margin / spec.temperature, labels_of(rows, sides))
