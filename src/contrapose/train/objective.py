"""The value of a recipe's loss for a batch, with RankCSE's ranking consistency and ranking distillation.

The rankings follow the formulae of RankCSE, not the public code (perceptiveshawty/RankCSE), which clamps the
divergence to nothing.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from contrapose.models.devices import on_device
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.train.losses.info_nce_settings import InfoNCE, Ranking
from contrapose.train.recipe import LOSSES, Recipe
from contrapose.train.rows import RowIds


def batch_loss(
    sides: Tensor,
    rows: RowIds,
    teachers: np.ndarray | None,
    recipe: Recipe,
    guide_vectors: np.ndarray | None = None,
    queue: Tensor | None = None,
) -> Tensor:
    """Return the loss of a batch, with RankCSE's terms if the recipe has weights for them.

    With `matryoshka`, the sum of the losses of all lengths of vectors, each with weight 1 (Kusupati et al.
    2022, equation 1; `MatryoshkaLoss` of sentence-transformers).

    `teachers`, float32 of shape (texts, D'), are the `teacher_vectors` of all texts, `guide_vectors` those of
    the guide; `queue`, of shape (Q, D), has further negatives for InfoNCE.
    """
    # What stands where a row has no text is never looked at.
    targets, guide = (
        None if vectors is None else on_device(vectors[rows.texts], sides.device)  # (B, S, D')
        for vectors in (teachers, guide_vectors)
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


def teacher_vectors(
    teachers: Sequence[SentenceEncoder], texts: Sequence[str], weights: Sequence[float] | None = None
) -> np.ndarray | None:
    """Return the vectors of texts by one teacher, float32 of shape (texts, D); None without any.

    Of several, unit vectors times the square roots of the weights, side by side: a cosine of two such vectors
    is the weighted mean of the teachers' cosines.  Weights count by their ratios; None: they are equal.
    """
    vectors = [embeddings(each, texts) for each in teachers]
    if len(vectors) < 2:
        return vectors[0] if vectors else None
    shares = np.sqrt(weights or np.ones(len(vectors))).astype(np.float32)
    lengths = (np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in vectors)
    return np.hstack([a * each / length for a, each, length in zip(shares, vectors, lengths, strict=True)])


def ranking_loss(sides: Tensor, teachers: Tensor | None, recipe: InfoNCE) -> Tensor:
    """Return consistency x Jensen-Shannon divergence + distillation x loss of the teacher's ranking.

    Sentence i's list holds its cosines with the other views of all sentences of the batch, including its
    own, divided by the recipe's temperature: S = cos(z1, z2) / t, and S' = cos(z2, z1) / t.

    `sides`, of shape (B, 2, D), are two views of each sentence; `teachers`, of shape (B, 2, D'), are
    the teacher's vectors of the same texts; without them there is no distillation.
    """
    scores = _cosines(sides) / recipe.temperature  # (B, B)
    loss = recipe.consistency * jensen_shannon(scores, scores.T)
    if teachers is None:
        return loss
    targets = (_cosines(teachers) / recipe.teacher_temperature).to(scores.dtype)
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


def listnet(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy of the softmax of the scores against that of the wanted ones, in nats.

    The mean over rows of shape (B, B).  A sentence's list does not include itself.
    """
    others = ~torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    scores, targets = (each[others].view(len(each), len(each) - 1) for each in (scores, targets))
    return -(targets.softmax(dim=1) * scores.log_softmax(dim=1)).sum(dim=1).mean()


RANKINGS: dict[Ranking, Callable[[Tensor, Tensor], Tensor]] = {
    "listmle": listmle,
    "listmle_mean": lambda scores, targets: listmle(scores, targets) / scores.shape[1],
    "listnet": listnet,
}


def _cosines(sides: Tensor) -> Tensor:
    """Return the cosines between first and second sides: (B, 2, D) to (B, B)."""
    first, second = functional.normalize(sides, dim=-1).unbind(dim=1)
    return first @ second.T
