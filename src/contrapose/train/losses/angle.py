"""AnglE: the order of angles in complex space.  Li and Li (2023)."""

from typing import ClassVar

from contrapose.train.losses.cosent import cosent
from contrapose.train.losses.loss_settings import Sides, Tensor, WithTemperature, labels_of
from contrapose.train.rows import RowIds


class AnglE(WithTemperature):
    """As cosent, with AnglE's similarity."""

    labelled: ClassVar[bool] = True


def build(spec: AnglE, sides: Sides, rows: RowIds) -> Tensor:
    """Compare the order of AnglE's similarities with that of the labels."""
    return cosent(angle_similarity(*sides.unbind(dim=1)), labels_of(rows, sides), spec.temperature)


def angle_similarity(one: Tensor, other: Tensor) -> Tensor:
    """Return |cosine + sine| of vectors of shape (B, D), in [0, sqrt(2)], shape (B,).

    The first half of a vector is taken as real parts, the second half as imaginary ones; an odd D gets a
    zero.  AnglE (section 3.4, https://arxiv.org/abs/2309.12871), normalised as in `pairwise_angle_sim` of
    sentence-transformers.
    """
    from torch.nn import functional

    odd = one.shape[-1] % 2
    one, other = (functional.normalize(functional.pad(each, (0, odd)), dim=-1) for each in (one, other))
    (real, imaginary), (other_real, other_imaginary) = one.chunk(2, dim=-1), other.chunk(2, dim=-1)
    sine = (imaginary * other_real - real * other_imaginary).sum(dim=-1)
    return ((one * other).sum(dim=-1) + sine).abs()
