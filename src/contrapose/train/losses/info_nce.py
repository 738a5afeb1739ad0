"""InfoNCE, SimCSE's loss, with EdaCSE's further views and RankCSE's rankings."""

from itertools import islice
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from contrapose.refs import TrainableName
from contrapose.train.losses.base import RowIds, Sides, Tensor, WithTemperature

Ranking = Literal["listmle", "listmle_mean", "listnet"]
Candidates = Literal["positives", "anchors"]


class InfoNCE(WithTemperature):
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
    queue: int = Field(
        0,
        ge=0,
        description="Anchors of earlier batches that are further negatives. ESimCSE: 160, 2.5 batches",
    )
    momentum: float = Field(
        0.995, ge=0, lt=1, description="Of the average of the encoder's weights that makes the queue. ESimCSE"
    )
    teacher: TrainableName | None = Field(
        None, description="Role of the encoder whose rankings are distilled. RankCSE"
    )
    consistency: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking consistency of two views")
    distillation: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking distillation")
    teacher_temperature: float = Field(0.05, gt=0, description="The teacher's cosines are divided by it")
    ranking: Ranking = Field(
        "listmle", description="Loss of the distillation; listmle_mean: divided by the length of the list"
    )

    @model_validator(mode="after")
    def _a_teacher(self) -> Self:
        if (self.teacher is None) != (self.distillation == 0):
            raise ValueError("set both teacher and distillation, or neither")
        return self

    @model_validator(mode="after")
    def _whole_rankings(self) -> Self:
        if self.ranks and self.matryoshka:
            raise ValueError("consistency and distillation rank whole vectors: remove them, or matryoshka")
        return self

    @property
    def ranks(self) -> bool:
        """Whether RankCSE's terms are added to the loss."""
        return self.consistency > 0 or self.distillation > 0


def build(spec: InfoNCE, sides: Sides, rows: RowIds, queue: Tensor | None = None) -> Tensor:
    """Add up the losses of all views of a batch, which share their anchors.  EdaCSE, section 3.3.

    `queue`: further negatives, see `info_nce`.
    """
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
        loss = info_nce(anchor, positive, spec.temperature, negative, present, spec.candidates, queue)
        terms.append(loss * (spec.view_weight if number else 1.0))
    return torch.stack(terms).sum()


def info_nce(
    anchor: Tensor,
    positive: Tensor,
    temperature: float,
    negative: Tensor | None = None,
    present: Tensor | None = None,
    candidates: Candidates = "positives",
    queue: Tensor | None = None,
) -> Tensor:
    """Mean cross-entropy of picking each anchor's own positive, in nats.

    Anchors choose among positives, not vice versa: the loss is not symmetrised.  SimCSE, equations
    1 and 5 and `simcse/models.py`.  Cosines are divided by `temperature`, > 0.

    `anchor`, `positive`: of shape (B, D).
    `negative`: of shape (k B, D), hard negatives: the first of each anchor, then the second of each ...
        Candidates for all anchors.
    `present`: bool of shape (k B,), which hard negatives are real, the others being padding; by default all.
    `candidates`: `anchors`, if the other anchors are candidates in place of their positives.
    `queue`: of shape (Q, D), further candidates for all anchors; rows of zeros are none.
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
    if queue is not None:
        earlier = anchor @ functional.normalize(queue, dim=-1).T / temperature  # (B, Q)
        logits = torch.cat([logits, earlier.masked_fill(~queue.any(dim=1), -torch.inf)], dim=1)
    numbers = torch.arange(len(anchor), device=anchor.device)  # row i's positive is column i
    return functional.cross_entropy(logits, numbers)
