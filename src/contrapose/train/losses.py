"""What training makes small."""

import torch
from torch import Tensor
from torch.nn import functional


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


LOSSES = {"info_nce": info_nce}
