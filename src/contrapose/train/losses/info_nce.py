"""InfoNCE, SimCSE's loss, with EdaCSE's further views, RankCSE's rankings, and what weighs its candidates."""

from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.losses.loss_settings import Sides, Tensor, weighted_mean
from contrapose.train.rows import RowIds, View


def build(
    spec: InfoNCE, sides: Sides, rows: RowIds, guide: Sides | None = None, queue: Tensor | None = None
) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3.

    `guide`: the vectors of the same texts by the guide, (B, S, D'), if there is one.
    `queue`: of shape (Q, D), further candidates for all anchors; rows of zeros are none.
    """
    import torch

    from contrapose.train.candidates import views_of

    views = enumerate(views_of(sides, rows, guide, queue))
    terms = [info_nce(spec, view) * (spec.view_weight if number else 1.0) for number, view in views]
    return torch.stack(terms).sum()


def info_nce(spec: InfoNCE, view: View) -> Tensor:
    """Mean cross-entropy of picking each anchor's own positive, in nats, with what `spec` adds to it.

    SimCSE, equations 1 and 5 and `simcse/models.py`.  Hard negatives are candidates for all anchors.
    By default anchors choose among positives, not vice versa; with `symmetric` it is the mean of both
    (https://arxiv.org/abs/2310.19923; `MultipleNegativesRankingLoss` of sentence-transformers with these
    `directions`, `per_direction`).  Rows count by their weights, see `weighted_mean`.
    """
    from contrapose.train.candidates import bidirectional_margin, logits_of

    chosen = view.without_negatives if spec.soft_negative_weight else view
    loss = cross_entropy(logits_of(spec, chosen), view)
    if spec.symmetric:
        back = spec.model_copy(update={"mixcse_lambda": None})
        loss = (loss + cross_entropy(logits_of(back, view.reversed), view)) / 2
    if spec.soft_negative_weight:
        margins = weighted_mean(bidirectional_margin(spec, view), view.weights)
        loss = loss + spec.soft_negative_weight * margins
    return loss


def cross_entropy(logits: Tensor, view: View) -> Tensor:
    """Return the mean cross-entropy of the softmax of (B, M) logits; column i is the target of row i."""
    import torch
    from torch.nn import functional

    numbers = torch.arange(len(logits), device=logits.device)  # row i's positive is column i
    if view.weights is None:
        return functional.cross_entropy(logits, numbers)
    return weighted_mean(functional.cross_entropy(logits, numbers, reduction="none"), view.weights)
