"""What training makes small."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

Loss = Callable[[Tensor, Tensor, float, Tensor | None], Tensor]  # of anchors, positives and negatives


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


LOSSES: dict[str, Loss] = {"info_nce": info_nce}


def loss_of_views(
    sides: Tensor, negatives: Sequence[bool], loss: Loss, temperature: float, weight: float
) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3 (SPEC 3.1).

    Parameters
    ----------
    sides : Tensor of shape (B, S, D)
        The anchor, then the positive and, where there is one, the hard negative of each view.
    negatives : sequence of bool
        Whether each view has hard negatives.
    loss : callable
        One of LOSSES.
    temperature : float, > 0
    weight : float
        Of every view after the first.
    """
    anchor, *others = sides.unbind(dim=1)  # each (B, D)
    rest = iter(others)
    terms = [
        loss(anchor, next(rest), temperature, next(rest) if hard else None) * (weight if view else 1.0)
        for view, hard in enumerate(negatives)
    ]
    return torch.stack(terms).sum()
