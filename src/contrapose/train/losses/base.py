"""What losses share.

A loss is a module of this package: a settings class, whose docstring explains the loss in config/README.md,
and `build`, which maps these settings, the sides of a batch and its rows to the loss.  The settings are keys
of recipes with this loss.  Planning reads them, so PyTorch is imported where it computes.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from contrapose.settings.spec import Spec

if TYPE_CHECKING:
    from torch import Tensor

    from contrapose.train.batches import RowIds
else:
    Tensor = RowIds = Any

# Of shape (B, S, D): the anchor, then for each view the positive and the hard negatives; zeros where the rows
# have no text.
Sides = Tensor


class LossSettings(Spec):
    """Settings of a loss, and what it needs of pairs."""

    labelled: ClassVar[bool] = False  # pairs need labels
    weighted: ClassVar[bool] = False  # the weights of pairs count
    negatives: ClassVar[int | None] = 0  # hard ones of each row; None: any number, in any number of views
    decodes: ClassVar[bool] = False  # `build` maps encoder and seed to a module whose value is the loss
    refused: ClassVar[tuple[str, ...]] = ()  # settings that the loss makes no sense with


class OfVectors(LossSettings):
    """A loss that compares vectors."""

    matryoshka: list[Annotated[int, Field(ge=1)]] | None = Field(
        None,
        min_length=1,
        description="The loss is a sum over vectors cut after so many dimensions; null: whole vectors",
    )


class WithTemperature(OfVectors):
    """A loss of cosines."""

    temperature: float = Field(0.05, gt=0, description="Cosines are divided by it, except in cosine_error")


def labels_of(rows: RowIds, sides: Sides) -> Tensor:
    """Return the labels of a batch of one view, (B,), where its vectors are."""
    from contrapose.encoders.devices import on_device

    assert rows.labels is not None
    return on_device(rows.labels[:, 0], sides.device)


def weighted_mean(losses: Tensor, weights: Tensor | None) -> Tensor:
    """Return the sum of losses x weights of a batch, (B,) both, over the number of rows.

    Never over the sum of the weights, as in the code of RISE and CLHAIF: so a row counts the same whatever
    else is in its batch, and rows of weight 0 alone have the loss 0.  Without weights the mean.
    """
    return (losses if weights is None else weights * losses).mean()
