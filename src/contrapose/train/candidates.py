"""What an anchor of InfoNCE chooses among, and how much each candidate counts."""

from collections.abc import Iterator
from itertools import repeat

import torch
from torch import Tensor
from torch.nn.functional import normalize

from contrapose.models.devices import on_device
from contrapose.train.losses.info_nce_settings import Candidates, InfoNCE
from contrapose.train.rows import RowIds, View


def views_of(
    sides: Tensor, rows: RowIds, guide: Tensor | None = None, queue: Tensor | None = None
) -> Iterator[View]:
    """Yield the views of a batch, which share their anchors; `guide`, (B, S, D'), has the guide's vectors."""
    anchor, *others = sides.unbind(dim=1)  # each (B, D)
    guides = repeat(None) if guide is None else views_of(guide, rows)
    first = 0
    for number, most in enumerate(rows.negatives):
        hard = slice(first + 1, first + 1 + most)
        present = rows.present[:, 1:][:, hard].T.ravel()
        arrays = {
            "present": None if present.all() else present,
            "weights": None if rows.weights is None else rows.weights[:, number],
            "texts": None if rows.equal is None else rows.equal[:, [0, *range(first + 1, first + 2 + most)]],
        }
        tensors = {name: on_device(each, sides.device) for name, each in arrays.items() if each is not None}
        negative = torch.cat(others[hard]) if most else None
        yield View(anchor, others[first], negative, guide=next(guides), queue=queue, **tensors)
        first += 1 + most


def logits_of(spec: InfoNCE, view: View) -> Tensor:
    """Return the logits of all candidates of each anchor, (B, M); column i is the positive of anchor i."""
    similarities = cosines(view, spec.candidates)
    logits = similarities / spec.temperature
    if spec.hard_negative_weight:
        logits = logits + spec.hard_negative_weight * own_negatives(view, logits)
    if view.guide is not None:
        guided = cosines(view.guide, spec.candidates).to(similarities.dtype)
        value = 0.0 if spec.false_negatives == "zero" else -torch.inf
        logits = logits.masked_fill(false_negatives(spec, guided), value)
    if view.texts is not None:
        logits = logits.masked_fill(equal_texts(view.texts, spec.candidates), -torch.inf)
    if spec.mixcse_lambda is not None:
        logits = torch.cat([logits, mixed(view, spec.mixcse_lambda) / spec.temperature], dim=1)
    if view.queue is not None:
        earlier = (
            normalize(view.anchor, dim=-1) @ normalize(view.queue, dim=-1).T / spec.temperature
        )  # (B, Q)
        logits = torch.cat([logits, _filled(earlier, ~view.queue.any(dim=1))], dim=1)
    return logits


def cosines(view: View, candidates: Candidates) -> Tensor:
    """Return the cosine of each candidate, (B, M), -inf for padding and where a text meets itself.

    First those of the positives, then of all hard negatives, both with the anchor, then the blocks of
    `candidates`, each row's with its anchor or positive: `gistembed` (`GISTEmbedLoss` of
    sentence-transformers), `gte` (Li et al. 2023, https://arxiv.org/abs/2308.03281;
    `MultipleNegativesRankingLoss` there with all `directions`).
    """
    anchor, positive = normalize(view.anchor, dim=-1), normalize(view.positive, dim=-1)
    diagonal = torch.eye(len(anchor), dtype=torch.bool, device=anchor.device)
    pairs = anchor @ positive.T  # (B, B)
    if candidates == "anchors":
        pairs = torch.where(diagonal, pairs, anchor @ anchor.T)
    blocks, of_positives = [pairs], []
    if view.negative is not None:
        negative = normalize(view.negative, dim=-1)
        padding = None if view.present is None else ~view.present
        blocks.append(_filled(anchor @ negative.T, padding))  # (B, k B)
        others = diagonal.repeat(1, len(negative) // len(diagonal))
        of_positives = [_filled(_filled(positive @ negative.T, padding), others)]
    if candidates in ("gistembed", "gte"):
        blocks += [_filled(each @ each.T, diagonal) for each in (anchor, positive)]
    if candidates == "gte":
        blocks += [pairs.T, *of_positives]
    return torch.cat(blocks, dim=1)


def _filled(values: Tensor, at: Tensor | None) -> Tensor:
    return values if at is None else values.masked_fill(at, -torch.inf)


def own_negatives(view: View, logits: Tensor) -> Tensor:
    """Return 1 for each anchor's own hard negatives, else 0, in the shape and type of the logits, (B, M).

    They are what `hard_negative_weight` in SimCSE's `simcse/models.py` is added to.
    """
    rows, size = len(logits), 0 if view.negative is None else len(view.negative)
    chosen = torch.zeros_like(logits)
    chosen[:, rows : rows + size] = torch.eye(rows, device=logits.device).repeat(1, size // rows)
    return chosen


def false_negatives(spec: InfoNCE, guided: Tensor) -> Tensor:
    """Return which candidates are too near for the guide, bool (B, M); never the anchor's own positive.

    GISTEmbed (Solatorio 2024, https://arxiv.org/abs/2402.16829), with the margins of `GISTEmbedLoss`;
    `threshold`: MultiCSR (https://arxiv.org/abs/2310.10962; Circle-Ming/MultiCSR `simcse/models.py`).
    """
    positive = guided.diagonal()[:, None]  # (B, 1), of the positives
    bounds = {
        "absolute": positive - spec.guide_margin,
        "relative": positive - positive.abs() * spec.guide_margin,
        "threshold": torch.full_like(positive, spec.guide_margin),
    }
    return (guided > bounds[spec.guide_margin_kind]).fill_diagonal_(False)


def equal_texts(texts: Tensor, candidates: Candidates) -> Tensor:
    """Return which candidates are no negatives of a row as it has their texts, bool (B, M), as in `cosines`.

    Anchor and positive of other rows that share a text with its own ones, and hard negatives that are its
    anchor or positive.  `texts`, (B, 2 + k), are those of a view.
    """
    own, hard = texts[:, :2], texts[:, 2:].T.ravel()
    of_rows = (own[:, None, :, None] == own[None, :, None, :]).any(dim=(2, 3)).fill_diagonal_(False)  # (B, B)
    of_hard = (own[:, :, None] == hard).any(dim=1)  # (B, k B)
    blocks = [of_rows, of_hard]
    if candidates in ("gistembed", "gte"):
        blocks += [of_rows, of_rows]
    if candidates == "gte":
        blocks += [of_rows, of_hard]
    return torch.cat(blocks, dim=1)


def mixed(view: View, share: float) -> Tensor:
    """Return cosines with mixed negatives, (B, 2 B).

    MixCSE (Zhang et al. 2022; BDBC-KG-NLP/MixCSE_AAAI2022 `mixcse/models_mix.py`): each anchor with all
    mixtures of positives, and the mixture of each anchor with all positives.  A mixture is `share` x the
    vector of a row + (1 - `share`) x that of the next one, without gradient.  As there, what mostly is the
    positive itself gets the logit 0.
    """
    diagonal = torch.eye(len(view.anchor), dtype=torch.bool, device=view.anchor.device)
    mixtures = [
        normalize((share * each + (1 - share) * each.roll(-1, dims=0)).detach(), dim=-1)
        for each in (view.anchor, view.positive)
    ]
    of_positives = normalize(view.anchor, dim=-1) @ mixtures[1].T  # anchor i's positive is next to i - 1
    of_anchors = mixtures[0] @ normalize(view.positive, dim=-1).T  # anchor i's mixture is mostly anchor i + 1
    zeroed = [(of_positives, diagonal.roll(-1, dims=1)), (of_anchors, diagonal.roll(1, dims=1))]
    return torch.cat([each.masked_fill(near, 0.0) for each, near in zeroed], dim=1)


def bidirectional_margin(spec: InfoNCE, view: View) -> Tensor:
    """Return how far the hard negatives are from where they should be, of each row, (B,).

    relu(apart + least) + relu(-apart - most), where apart = cosine of the anchor with a hard negative - that
    with its positive: SNCSE (https://arxiv.org/abs/2201.05979; Sense-GVT/SNCSE
    `SNCSE/simcse/models.py`).  The mean over the hard negatives of the row; 0 without any.
    """
    rows = len(view.anchor)
    if view.negative is None:
        return view.anchor.new_zeros(rows)
    near = torch.cosine_similarity(view.anchor, view.positive, dim=-1)  # (B,)
    far = torch.cosine_similarity(view.anchor, view.negative.view(-1, *view.anchor.shape), dim=-1)  # (k, B)
    apart = far - near
    margins = torch.relu(apart + spec.soft_negative_least) + torch.relu(-apart - spec.soft_negative_most)
    real = torch.ones_like(far) if view.present is None else view.present.view_as(far).to(far.dtype)
    return (margins * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)
