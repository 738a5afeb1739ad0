"""What RankCSE adds to the contrastive loss: rankings of a batch that agree, with each other and a teacher's.

After the formulae of RankCSE, not the public code (perceptiveshawty/RankCSE), which clamps the
divergence to nothing.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from contrapose.settings.recipes import Ranking, Recipe


def ranking_loss(sides: Tensor, teacher_vectors: Tensor | None, recipe: Recipe) -> Tensor:
    """Return consistency x Jensen-Shannon divergence + distillation x loss of the teacher's ranking.

    Sentence i's list holds its cosines with the other views of all sentences of the batch, its own among
    them, over the recipe's temperature: S = cos(z1, z2) / t, and S' = cos(z2, z1) / t.

    Parameters
    ----------
    sides : Tensor of shape (B, 2, D)
        Two views of each sentence.
    teacher_vectors : Tensor of shape (B, 2, D'), optional
        The teacher's vectors of the same texts; there is no distillation without one.
    """
    scores = _cosines(sides) / recipe.temperature  # (B, B)
    loss = recipe.consistency * jensen_shannon(scores, scores.T)
    if teacher_vectors is None:
        return loss
    wanted = (_cosines(teacher_vectors) / recipe.teacher_temperature).to(scores.dtype)
    return loss + recipe.distillation * RANKINGS[recipe.ranking](scores, wanted)


def jensen_shannon(first: Tensor, second: Tensor) -> Tensor:
    """Return the divergence of the softmaxes of two sets of rows, mean over rows, in nats: 0 to ln 2.

    (KL(P || M) + KL(Q || M)) / 2 with M = (P + Q) / 2, of two Tensors of shape (B, N).
    """
    first, second = first.log_softmax(dim=1), second.log_softmax(dim=1)
    middle = torch.logaddexp(first, second) - math.log(2)
    apart = first.exp() * (first - middle) + second.exp() * (second - middle)  # (B, N)
    return apart.sum(dim=1).mean() / 2


def listmle(scores: Tensor, wanted: Tensor) -> Tensor:
    """Return minus the log-likelihood of the wanted order under the scores, mean over rows, in nats.

    Summed over positions: how likely the next one is to be chosen from those that are left.  A sentence
    itself is in its list, as in the public code.  Of equals the first in the batch comes first, where the
    public code draws: the wanted values count by their order alone.  Both have the shape (B, N).
    """
    ordered = scores.gather(1, wanted.argsort(dim=1, descending=True, stable=True))
    left = ordered.flip(1).logcumsumexp(dim=1).flip(1)  # (B, N), of positions from here on
    return (left - ordered).sum(dim=1).mean()


def listmle_mean(scores: Tensor, wanted: Tensor) -> Tensor:
    """Return `listmle` over the length of its list, N: of the size of the contrastive loss."""
    return listmle(scores, wanted) / scores.shape[1]


def listnet(scores: Tensor, wanted: Tensor) -> Tensor:
    """Return the cross-entropy of choosing one of a list by the scores, not by the wanted ones, in nats.

    The mean over rows of shape (B, B).  A sentence itself is not in its list.
    """
    others = ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    scores, wanted = (each[others].view(len(each), len(each) - 1) for each in (scores, wanted))
    return -(wanted.softmax(dim=1) * scores.log_softmax(dim=1)).sum(dim=1).mean()


RANKINGS: dict[Ranking, Callable[[Tensor, Tensor], Tensor]] = {
    **{"listmle": listmle, "listmle_mean": listmle_mean, "listnet": listnet}
}


def _cosines(sides: Tensor) -> Tensor:
    """Return the cosines of first with second sides: (B, 2, D) to (B, B)."""
    first, second = functional.normalize(sides, dim=-1).unbind(dim=1)
    return first @ second.T
