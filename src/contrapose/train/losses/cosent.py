"""CoSENT: the order of cosines."""

from typing import ClassVar

from contrapose.train.losses.loss_settings import Sides, Tensor, WithTemperature, labels_of
from contrapose.train.rows import RowIds


class CoSENT(WithTemperature):
    """A pair with a higher label should have a higher cosine."""

    labelled: ClassVar[bool] = True


def build(spec: CoSENT, sides: Sides, rows: RowIds) -> Tensor:
    """Compare the order of the cosines of a batch with that of its labels."""
    from torch.nn.functional import cosine_similarity

    cosines = cosine_similarity(sides[:, 0], sides[:, 1], dim=-1)
    return cosent(cosines, labels_of(rows, sides), spec.temperature)


def cosent(similarity: Tensor, label: Tensor, temperature: float) -> Tensor:
    """Return how far the similarities of a batch are from the order of its labels, in nats.

    The logarithm of 1 + the sum of exp((s_i - s_j) / temperature) over all i, j with label i < label j, where
    s are the similarities.  CoSENT (Su 2022, https://kexue.fm/archives/8847); `CoSENTLoss` of
    sentence-transformers, with `scale` = 1 / temperature.

    Similarities and labels, on any scale, have the shape (B,).
    """
    import torch

    excess = (similarity[:, None] - similarity) / temperature  # (B, B)
    excess = excess.masked_fill(label[:, None] >= label, -torch.inf)
    return torch.cat([excess.new_zeros(1), excess.flatten()]).logsumexp(dim=0)
