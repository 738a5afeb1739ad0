"""The loss of DINO and RISE: squared errors of cosines."""

from typing import ClassVar

from contrapose.train.losses.loss_settings import OfVectors, Sides, Tensor, labels_of, weighted_mean
from contrapose.train.rows import RowIds


class CosineError(OfVectors):
    """The cosine of a pair should equal its label: the mean of weight x (cosine - label)^2."""

    labelled: ClassVar[bool] = True
    weighted: ClassVar[bool] = True


def build(spec: CosineError, sides: Sides, rows: RowIds) -> Tensor:
    """Return the sum of RISE's equations 1 and 3 over the number of pairs, see `weighted_mean`.

    DINO's loss, where every weight is 1.
    """
    from torch.nn.functional import cosine_similarity

    from contrapose.models.devices import on_device

    cosines = cosine_similarity(sides[:, 0], sides[:, 1], dim=-1)  # (B,)
    weights = None if rows.weights is None else on_device(rows.weights[:, 0], sides.device)
    return weighted_mean((cosines - labels_of(rows, sides)) ** 2, weights)
