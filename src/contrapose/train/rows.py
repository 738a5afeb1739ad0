"""Rows of a batch: which texts, with which labels, weights and scores; and their vectors."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor
else:
    Tensor = Any  # planning reads this module, too

NO_TEXT = -1  # what pandas' factorize gives for a missing value


@dataclass(frozen=True)
class RowIds:
    """Rows of training data: all of a slot, or those of a batch."""

    # int64 of shape (N, S), indices of texts: the anchor, then for each view the positive and its hard
    # negatives, padded with NO_TEXT to the length of the row with the most hard negatives.
    texts: np.ndarray
    negatives: tuple[int, ...] = (0,)  # per view: largest number of hard negatives in a row
    labels: np.ndarray | None = None  # float32 of shape (N, views): target cosines
    weights: np.ndarray | None = None  # float32 of shape (N, views); None: all are 1
    scores: np.ndarray | None = None  # float32 of shape (N, S), those of hard negatives; else 0
    equal: np.ndarray | None = (
        None  # int64 of shape (N, S), the same for texts that look the same; or NO_TEXT
    )

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, at: np.ndarray) -> "RowIds":
        extra = (self.labels, self.weights, self.scores, self.equal)
        return RowIds(self.texts[at], self.negatives, *(None if each is None else each[at] for each in extra))

    @cached_property
    def present(self) -> np.ndarray:
        """Return which sides are present: bool of shape (N, S)."""
        return self.texts != NO_TEXT

    @property
    def positives(self) -> list[int]:
        """Return the columns of the views' positives."""
        return list(accumulate(self.negatives[:-1], lambda column, most: column + most + 1, initial=1))

    @property
    def arrays(self) -> list[np.ndarray]:
        arrays = (self.texts, np.array(self.negatives), self.labels, self.weights, self.scores, self.equal)
        return [each for each in arrays if each is not None]


@dataclass(frozen=True)
class View:
    """The vectors of one view of a batch, and what its rows come with."""

    anchor: Tensor  # (B, D)
    positive: Tensor  # (B, D)
    # (k B, D), hard negatives: the first of each anchor, then the second of each ...
    negative: Tensor | None = None
    present: Tensor | None = None  # bool (k B,): which of them are real, others being padding; None: all
    weights: Tensor | None = None  # (B,)
    guide: "View | None" = None  # the guide's vectors of the same texts
    queue: Tensor | None = None  # (Q, D), earlier anchors as further negatives; zeros are none
    # (B, 2 + k), numbers of anchor, positive and hard negatives: equal texts have the same one.
    texts: Tensor | None = None

    @property
    def without_negatives(self) -> "View":
        guide = self.guide and self.guide.without_negatives
        texts = None if self.texts is None else self.texts[:, :2]
        return replace(self, negative=None, present=None, texts=texts, guide=guide)

    @property
    def reversed(self) -> "View":
        """Positives as anchors; hard negatives are those of anchors alone."""
        guide, view = self.guide and self.guide.reversed, self.without_negatives
        texts = None if view.texts is None else view.texts.flip(1)
        return replace(view, anchor=self.positive, positive=self.anchor, texts=texts, guide=guide, queue=None)
