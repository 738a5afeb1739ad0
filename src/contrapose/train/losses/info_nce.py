"""InfoNCE, SimCSE's loss, with EdaCSE's further views and RankCSE's rankings."""

from itertools import islice
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from contrapose.train.losses.base import RowIds, Sides, Tensor, WithTeacher, WithTemperatures

Ranking = Literal["listmle", "listmle_mean", "listnet"]
Candidates = Literal["positives", "anchors"]


class InfoNCE(WithTemperatures, WithTeacher):
    """The other pairs of the batch are negatives."""

    negatives: ClassVar[int | None] = None

    view_weight: float = Field(
        1.0, ge=0, description="Weight of the loss of views after the first: EdaCSE's lambda"
    )
    candidates: Candidates = Field(
        "positives",
        description="What an anchor chooses among: the positives of the batch, as in SimCSE; or its own "
        "positive and the other anchors, as the thesis's wording may be read",
    )
    consistency: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking consistency of two views")
    distillation: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking distillation")
    ranking: Ranking = Field(
        "listmle", description="Loss of the distillation; listmle_mean: divided by the length of the list"
    )

    @model_validator(mode="after")
    def _whole_rankings(self) -> Self:
        if self.ranks and self.matryoshka:
            raise ValueError("consistency and distillation rank whole vectors: remove them, or matryoshka")
        return self

    @property
    def ranks(self) -> bool:
        """Whether RankCSE's terms are added to the loss."""
        return self.consistency > 0 or self.distillation > 0


def build(spec: InfoNCE, sides: Sides, rows: RowIds) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3."""
    import torch

    from contrapose.encoders.devices import on_device

    anchor, *others = sides.unbind(dim=1)  # each (B, D)
    rest = iter(zip(others, rows.present.T[1:], strict=True))
    terms = []
    for number, most in enumerate(rows.negatives):
        positive, _ = next(rest)
        hard = list(islice(rest, most))
        negative = torch.cat([each for each, _ in hard]) if hard else None
        masks = np.concatenate([each for _, each in hard]) if hard else np.array([])
        present = None if masks.all() else on_device(masks, sides.device)
        loss = info_nce(anchor, positive, spec.temperature, negative, present, spec.candidates)
        terms.append(loss * (spec.view_weight if number else 1.0))
    return torch.stack(terms).sum()


def info_nce(
    anchor: Tensor,
    positive: Tensor,
    temperature: float,
    negative: Tensor | None = None,
    present: Tensor | None = None,
    candidates: Candidates = "positives",
) -> Tensor:
    """Mean cross-entropy of picking each anchor's own positive, in nats.

    Anchors choose among positives, not vice versa: the loss is not symmetrised.  SimCSE, equations
    1 and 5 and `simcse/models.py`.  Cosines are divided by `temperature`, > 0.

    `anchor`, `positive`: of shape (B, D).
    `negative`: of shape (k B, D), hard negatives: the first of each anchor, then the second of each ...
        Candidates for all anchors.
    `present`: bool of shape (k B,), which hard negatives are real, the others being padding; by default all.
    `candidates`: `anchors`, if the other anchors are candidates in place of their positives.
    """
    import torch
    from torch.nn import functional

    anchor = functional.normalize(anchor, dim=-1)
    logits = anchor @ functional.normalize(positive, dim=-1).T / temperature  # (B, B)
    if candidates == "anchors":
        own = torch.eye(len(anchor), dtype=torch.bool, device=anchor.device)
        logits = torch.where(own, logits, anchor @ anchor.T / temperature)
    if negative is not None:
        harder = anchor @ functional.normalize(negative, dim=-1).T / temperature  # (B, k B)
        if present is not None:
            harder = harder.masked_fill(~present, -torch.inf)
        logits = torch.cat([logits, harder], dim=1)  # (B, B + k B)
    numbers = torch.arange(len(anchor), device=anchor.device)  # row i's positive is column i
    return functional.cross_entropy(logits, numbers)
