"""Loss functions."""

from collections.abc import Callable
from itertools import islice

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from contrapose.encoders.devices import on_device
from contrapose.settings.recipes import LossName, Recipe
from contrapose.train.batches import RowIds
from contrapose.train.rankings import ranking_loss


def info_nce(
    anchor: Tensor,
    positive: Tensor,
    temperature: float,
    negative: Tensor | None = None,
    negative_weight: float = 0.0,
    there: Tensor | None = None,
) -> Tensor:
    """Mean cross-entropy of picking each anchor's own positive, in nats.

    Anchors choose among positives, not vice versa: the loss is not symmetrised.  SimCSE, equations
    1 and 5 and `simcse/models.py`.  Cosines are divided by `temperature`, > 0.

    `anchor`, `positive`: of shape (B, D).
    `negative`: of shape (k B, D), hard negatives: the first of each anchor, then the second of each ...
        Candidates for all anchors.
    `negative_weight`: logarithm of the weight of an anchor's own hard negatives, 0 for weight 1; those of
        other anchors have weight 1.
    `there`: bool of shape (k B,), which hard negatives are real, the others being padding; by default all.
    """
    anchor = functional.normalize(anchor, dim=-1)
    logits = anchor @ functional.normalize(positive, dim=-1).T / temperature  # (B, B)
    if negative is not None:
        harder = anchor @ functional.normalize(negative, dim=-1).T / temperature  # (B, k B)
        own_negatives = torch.eye(len(anchor), device=anchor.device).repeat(1, len(negative) // len(anchor))
        harder = harder + negative_weight * own_negatives
        if there is not None:
            harder = harder.masked_fill(~there, -torch.inf)
        logits = torch.cat([logits, harder], dim=1)  # (B, B + k B)
    own = torch.arange(len(anchor), device=anchor.device)  # row i's positive is column i
    return functional.cross_entropy(logits, own)


def cosine_error(anchor: Tensor, positive: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """Mean over the batch of weight x (cosine - label)^2.

    The sum of RISE's equations 1 and 3 over the number of pairs, never over the sum of their weights,
    as in RISE's code.  DINO's loss, where every weight is 1.

    Anchor and positive have shape (B, D); label (the target cosines) and weight have shape (B,).
    """
    cosines = functional.cosine_similarity(anchor, positive, dim=-1)  # (B,)
    return (weight * (cosines - label) ** 2).mean()


def cosent(similarity: Tensor, label: Tensor, temperature: float) -> Tensor:
    """Return how far the similarities of a batch are from the order of its labels, in nats.

    The logarithm of 1 + the sum of exp((s_i - s_j) / temperature) over all i, j with label i < label j, where
    s are the similarities.  CoSENT (Su 2022, https://kexue.fm/archives/8847); `CoSENTLoss` of
    sentence-transformers, with `scale` = 1 / temperature.

    Similarities and labels, on any scale, have the shape (B,).
    """
    excess = (similarity[:, None] - similarity) / temperature  # (B, B)
    excess = excess.masked_fill(label[:, None] >= label, -torch.inf)
    return torch.cat([excess.new_zeros(1), excess.flatten()]).logsumexp(dim=0)


def angle_similarity(one: Tensor, other: Tensor) -> Tensor:
    """Return |cosine + sine| of vectors of shape (B, D), in [0, sqrt(2)], shape (B,).

    The first half of a vector is taken as real parts, the second half as imaginary ones; an odd D gets a
    zero.  AnglE (Li and Li 2023, section 3.4, https://arxiv.org/abs/2309.12871), normalised as in
    `pairwise_angle_sim` of sentence-transformers.
    """
    odd = one.shape[-1] % 2
    one, other = (functional.normalize(functional.pad(each, (0, odd)), dim=-1) for each in (one, other))
    (real, imaginary), (other_real, other_imaginary) = one.chunk(2, dim=-1), other.chunk(2, dim=-1)
    sine = (imaginary * other_real - real * other_imaginary).sum(dim=-1)
    return ((one * other).sum(dim=-1) + sine).abs()


def info_nce_of_views(sides: Tensor, rows: RowIds, recipe: Recipe) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3.

    `sides`, of shape (B, S, D), are the anchor, then for each view the positive and the hard negatives; zeros
    where `rows` has no text.  `view_weight` of the recipe applies to every view after the first.
    """
    anchor, *others = sides.unbind(dim=1)  # each (B, D)
    rest = iter(zip(others, rows.there.T[1:], strict=True))
    terms = []
    for number, most in enumerate(rows.negatives):
        positive, _ = next(rest)
        negative, there = _side_by_side(list(islice(rest, most)))
        loss = info_nce(anchor, positive, recipe.temperature, negative, there=there)
        terms.append(loss * (recipe.view_weight if number else 1.0))
    return torch.stack(terms).sum()


def _side_by_side(hard: list[tuple[Tensor, np.ndarray]]) -> tuple[Tensor | None, Tensor | None]:
    """Return the hard negatives of a view for `info_nce`: k times (B, D), and which of them are real."""
    if not hard:
        return None, None
    vectors, masks = zip(*hard, strict=True)
    negative, there = torch.cat(vectors), np.concatenate(masks)
    return negative, None if there.all() else on_device(there, negative.device)


def in_places(vectors: Tensor, there: np.ndarray) -> Tensor:
    """Scatter vectors (M, D), row by row, to where `there` (N, S) is True: (N, S, D), else zeros."""
    if not there.all():
        padded = vectors.new_zeros(there.size, vectors.shape[-1])
        vectors = padded.index_copy(0, on_device(np.flatnonzero(there), vectors.device), vectors)
    return vectors.view(*there.shape, -1)


def cosine_error_of_labels(sides: Tensor, rows: RowIds, recipe: Recipe) -> Tensor:
    """Compare the cosines of a batch with its labels; parameters as of `info_nce_of_views`."""
    assert rows.weights is not None
    anchor, positive = sides.unbind(dim=1)  # each (B, D)
    return cosine_error(anchor, positive, _labels(sides, rows), on_device(rows.weights, sides.device))


def cosent_of_labels(sides: Tensor, rows: RowIds, recipe: Recipe) -> Tensor:
    """Compare the order of the cosines of a batch with that of its labels; parameters as above."""
    anchor, positive = sides.unbind(dim=1)  # each (B, D)
    cosines = functional.cosine_similarity(anchor, positive, dim=-1)
    return cosent(cosines, _labels(sides, rows), recipe.temperature)


def angle_of_labels(sides: Tensor, rows: RowIds, recipe: Recipe) -> Tensor:
    """Compare the order of AnglE's similarities with that of the labels; parameters as above."""
    return cosent(angle_similarity(*sides.unbind(dim=1)), _labels(sides, rows), recipe.temperature)


def margin_mse_of_labels(sides: Tensor, rows: RowIds, recipe: Recipe) -> Tensor:
    """Mean of (cosine with the positive - cosine with the hard negative - label)^2.

    Hofstätter et al. 2020, equation 6; `MarginMSELoss` of sentence-transformers.  There similarities are dot
    products by default; here they are cosines over `recipe.temperature`, so that their margins can be as
    large as a cross-encoder's, and all evaluations compare cosines.
    """
    anchor, positive, negative = sides.unbind(dim=1)  # each (B, D)
    margin = functional.cosine_similarity(anchor, positive, dim=-1)
    margin = margin - functional.cosine_similarity(anchor, negative, dim=-1)
    return functional.mse_loss(margin / recipe.temperature, _labels(sides, rows))


def _labels(sides: Tensor, rows: RowIds) -> Tensor:
    assert rows.labels is not None
    return on_device(rows.labels, sides.device)


Loss = Callable[[Tensor, RowIds, Recipe], Tensor]  # of all sides of a batch, (B, S, D)
LOSSES: dict[LossName, Loss] = {
    "info_nce": info_nce_of_views,
    "cosine_error": cosine_error_of_labels,
    "cosent": cosent_of_labels,
    "angle": angle_of_labels,
    "margin_mse": margin_mse_of_labels,
}


def batch_loss(sides: Tensor, rows: RowIds, teacher_vectors: np.ndarray | None, recipe: Recipe) -> Tensor:
    """Return the loss of a batch, with RankCSE's terms if the recipe has weights for them.

    With `matryoshka`, the sum of the losses of all lengths of vectors, each with weight 1 (Kusupati et al.
    2022, equation 1; `MatryoshkaLoss` of sentence-transformers).

    `teacher_vectors`, float32 of shape (texts, D'), are the teacher's vectors of all texts.
    """
    lengths = recipe.matryoshka or [sides.shape[-1]]
    losses = [LOSSES[recipe.loss](sides[..., :length], rows, recipe) for length in lengths]
    loss = torch.stack(losses).sum()
    if not recipe.ranks:
        return loss
    if teacher_vectors is None:
        return loss + ranking_loss(sides, None, recipe)
    wanted = on_device(teacher_vectors[rows.texts], sides.device)  # (B, 2, D')
    return loss + ranking_loss(sides, wanted, recipe)
