"""The value of a recipe's loss for a batch, with RankCSE's ranking consistency and ranking distillation.

The rankings follow the formulae of RankCSE, not the public code (perceptiveshawty/RankCSE), which clamps the
divergence to nothing.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from contrapose.encoders.devices import on_device
from contrapose.train.batches import RowIds
from contrapose.train.losses.info_nce import InfoNCE, Ranking
from contrapose.train.recipe import LOSSES, Recipe


def batch_loss(
    sides: Tensor,
    rows: RowIds,
    teacher_vectors: np.ndarray | None,
    recipe: Recipe,
    guide_vectors: np.ndarray | None = None,
    queue: Tensor | None = None,
) -> Tensor:
    """Return the loss of a batch, with RankCSE's terms if the recipe has weights for them.

    With `matryoshka`, the sum of the losses of all lengths of vectors, each with weight 1 (Kusupati et al.
    2022, equation 1; `MatryoshkaLoss` of sentence-transformers).

    `teacher_vectors`, float32 of shape (texts, D'), are the teacher's vectors of all texts, see
    `contrapose.train.teachers`, `guide_vectors` those of the guide; `queue`, of shape (Q, D), has further
    negatives for InfoNCE.
    """
    # What stands where a row has no text is never looked at.
    targets, guide = (
        None if vectors is None else on_device(vectors[rows.texts], sides.device)  # (B, S, D')
        for vectors in (teacher_vectors, guide_vectors)
    )
    further = {"targets": targets if recipe.of_loss.distils else None, "guide": guide, "queue": queue}
    further = {name: each for name, each in further.items() if each is not None}
    losses = []
    for length in recipe.matryoshka or [sides.shape[-1]]:
        if queue is not None:
            further["queue"] = queue[:, :length]
        losses.append(LOSSES[recipe.loss].build(recipe, sides[..., :length], rows, **further))
    loss = torch.stack(losses).sum()
    return loss + ranking_loss(sides, targets, recipe) if recipe.ranks else loss


def ranking_loss(sides: Tensor, teacher_vectors: Tensor | None, recipe: InfoNCE) -> Tensor:
    """Return consistency x Jensen-Shannon divergence + distillation x loss of the teacher's ranking.

    Sentence i's list holds its cosines with the other views of all sentences of the batch, including its
    own, divided by the recipe's temperature: S = cos(z1, z2) / t, and S' = cos(z2, z1) / t.

    `sides`, of shape (B, 2, D), are two views of each sentence; `teacher_vectors`, of shape (B, 2, D'), are
    the teacher's vectors of the same texts; without them there is no distillation.
    """
    scores = _cosines(sides) / recipe.temperature  # (B, B)
    loss = recipe.consistency * jensen_shannon(scores, scores.T)
    if teacher_vectors is None:
        return loss
    targets = (_cosines(teacher_vectors) / recipe.teacher_temperature).to(scores.dtype)
    return loss + recipe.distillation * RANKINGS[recipe.ranking](scores, targets)


def jensen_shannon(first: Tensor, second: Tensor) -> Tensor:
    """Return the Jensen-Shannon divergence of the rows' softmaxes, mean over rows, in nats: 0 to ln 2.

    (KL(P || M) + KL(Q || M)) / 2 with M = (P + Q) / 2, of two Tensors of shape (B, N).
    """
    first, second = first.log_softmax(dim=1), second.log_softmax(dim=1)
    middle = torch.logaddexp(first, second) - math.log(2)
    apart = first.exp() * (first - middle) + second.exp() * (second - middle)  # (B, N)
    return apart.sum(dim=1).mean() / 2


def listmle(scores: Tensor, targets: Tensor) -> Tensor:
    """Return minus the log-likelihood of the wanted order under the scores, mean over rows, in nats.

    Sums over positions the log-probability of choosing the next item from those that remain.  A sentence's
    list includes itself, as in the public code.  Only the order of the wanted values counts; ties keep the
    order of the batch, whereas the public code breaks them at random.  Both have shape (B, N).
    """
    ordered = scores.gather(1, targets.argsort(dim=1, descending=True, stable=True))
    left = ordered.flip(1).logcumsumexp(dim=1).flip(1)  # (B, N), over this and all later positions
    return (left - ordered).sum(dim=1).mean()


def listmle_mean(scores: Tensor, targets: Tensor) -> Tensor:
    """Return `listmle` divided by the length of its list, N: the scale of the contrastive loss."""
    return listmle(scores, targets) / scores.shape[1]


def listnet(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy of the softmax of the scores against that of the wanted ones, in nats.

    The mean over rows of shape (B, B).  A sentence's list does not include itself.
    """
    others = ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    scores, targets = (each[others].view(len(each), len(each) - 1) for each in (scores, targets))
    return -(targets.softmax(dim=1) * scores.log_softmax(dim=1)).sum(dim=1).mean()


RANKINGS: dict[Ranking, Callable[[Tensor, Tensor], Tensor]] = {
    **{"listmle": listmle, "listmle_mean": listmle_mean, "listnet": listnet}
}


def _cosines(sides: Tensor) -> Tensor:
    """Return the cosines between first and second sides: (B, 2, D) to (B, B)."""
    first, second = functional.normalize(sides, dim=-1).unbind(dim=1)
    return first @ second.T
