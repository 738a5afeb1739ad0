"""The loss of DINO and RISE: squared errors of cosines."""

from typing import ClassVar

from contrapose.train.losses.base import OfVectors, RowIds, Sides, Tensor, labels_of


class CosineError(OfVectors):
    """Mean of weight x (cosine - label)^2."""

    labelled: ClassVar[bool] = True
    weighted: ClassVar[bool] = True


def build(spec: CosineError, sides: Sides, rows: RowIds) -> Tensor:
    """Return the sum of RISE's equations 1 and 3 over the number of pairs.

    Never over the sum of their weights, as in RISE's code.  DINO's loss, where every weight is 1.
    """
    from torch.nn.functional import cosine_similarity

    from contrapose.encoders.devices import on_device

    assert rows.weights is not None
    cosines = cosine_similarity(sides[:, 0], sides[:, 1], dim=-1)  # (B,)
    weight = on_device(rows.weights, sides.device)
    return (weight * (cosines - labels_of(rows, sides)) ** 2).mean()
