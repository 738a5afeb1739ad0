"""Loss functions."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from contrapose.settings.recipes import LossName, Recipe
from contrapose.train.batches import Rows
from contrapose.train.devices import on_device
from contrapose.train.rankings import ranking_loss


def info_nce(
    anchor: Tensor,
    positive: Tensor,
    temperature: float,
    negative: Tensor | None = None,
    negative_weight: float = 0.0,
) -> Tensor:
    """Mean cross-entropy of picking each anchor's own positive, in nats.

    Anchors choose among positives, not the other way round: the loss is not symmetrised.  SimCSE, equations
    1 and 5 and `simcse/models.py` (methods 1.2).

    Parameters
    ----------
    anchor, positive : Tensor of shape (B, D)
    temperature : float, > 0
        Cosines are divided by it.
    negative : Tensor of shape (B, D), optional
        Hard negatives.  All of them are candidates for every anchor.
    negative_weight : float
        Logarithm of the weight of an anchor's own hard negative, 0 for weight 1; the hard negatives of the
        others keep weight 1.
    """
    anchor = functional.normalize(anchor, dim=-1)
    logits = anchor @ functional.normalize(positive, dim=-1).T / temperature  # (B, B)
    if negative is not None:
        harder = anchor @ functional.normalize(negative, dim=-1).T / temperature  # (B, B)
        own_negative = torch.eye(len(anchor), device=anchor.device)
        logits = torch.cat([logits, harder + negative_weight * own_negative], dim=1)  # (B, 2B)
    own = torch.arange(len(anchor), device=anchor.device)  # row i's positive is column i
    return functional.cross_entropy(logits, own)


def cosine_error(anchor: Tensor, positive: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """Mean over the batch of weight x (cosine - label)^2.

    The sum of RISE's equations 1 and 3 over the number of pairs, never over the sum of their weights
    (methods 5.3).  DINO's loss, where every weight is 1.

    Anchor and positive have the shape (B, D); label, what the cosines should be, and weight the shape (B,).
    """
    cosines = functional.cosine_similarity(anchor, positive, dim=-1)  # (B,)
    return (weight * (cosines - label) ** 2).mean()


def info_nce_of_views(sides: Tensor, rows: Rows, recipe: Recipe) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3 (SPEC 3.1).

    Parameters
    ----------
    sides : Tensor of shape (B, S, D)
        The anchor, then the positive and, where there is one, the hard negative of each view.
    recipe : Recipe
        Its `view_weight` counts for every view after the first.
    """
    anchor, *others = sides.unbind(dim=1)  # each (B, D)
    rest = iter(others)
    terms = [
        info_nce(anchor, next(rest), recipe.temperature, next(rest) if hard else None)
        * (recipe.view_weight if view else 1.0)
        for view, hard in enumerate(rows.negatives)
    ]
    return torch.stack(terms).sum()


def cosine_error_of_labels(sides: Tensor, rows: Rows, recipe: Recipe) -> Tensor:
    """Compare the cosines of a batch with its labels; parameters as of `info_nce_of_views`."""
    assert rows.labels is not None
    assert rows.weights is not None
    anchor, positive = sides.unbind(dim=1)  # each (B, D)
    label, weight = (on_device(each, sides.device) for each in (rows.labels, rows.weights))
    return cosine_error(anchor, positive, label, weight)


Loss = Callable[[Tensor, Rows, Recipe], Tensor]  # of all sides of a batch, (B, S, D)
LOSSES: dict[LossName, Loss] = {"info_nce": info_nce_of_views, "cosine_error": cosine_error_of_labels}


def batch_loss(sides: Tensor, rows: Rows, taught: np.ndarray | None, recipe: Recipe) -> Tensor:
    """Return the loss of a batch, with RankCSE's terms if the recipe has weights for them.

    `taught`, float32 of shape (texts, D'), are the teacher's vectors of all texts.
    """
    loss = LOSSES[recipe.loss](sides, rows, recipe)
    if not recipe.ranks:
        return loss
    wanted = None if taught is None else on_device(taught[rows.texts], sides.device)  # (B, 2, D')
    return loss + ranking_loss(sides, wanted, recipe)
