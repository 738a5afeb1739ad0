"""Pairs of another set after a judge has looked for positives among their hard negatives."""

import logging
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs.inputs import Pairs, Relevance
from contrapose.pairs.judges import JudgedPairs, scores_of
from contrapose.pairs.pair_rows import rows_kept
from contrapose.settings.plan import Plan

logger = logging.getLogger(__name__)


class RelabelledPairs(JudgedPairs):
    """Hard negatives of another pair set that are as relevant as the positive are removed, or become
    positives.

    By default a row's most relevant text becomes its positive, as in Gecko (Lee et al. 2024). Several
    positives, or only fewer negatives, are the two ways of RLHN (Thakur et al. 2025).
    """

    kind: Literal["relabelled"]
    margin: float = Field(
        0.0,
        description="A hard negative remains one only if its score is more than this below the score of "
        "its positive. Otherwise, it is removed or becomes a positive.",
    )
    positives: int = Field(
        1,
        ge=0,
        description="At most this many texts of a pair become positives, the most relevant first, each "
        "in a slot of its own. With 0, the positive stays.",
    )

    def check(self, project: Plan) -> None:
        super().check(project)
        other = self.other(project)
        if other.sides(project) == 1 + other.views(project):
            raise ConfigError(
                f"pairs: {self.pairs} has no hard negatives, which this kind searches for further "
                "positives. Name a pair set of kind mined."
            )

    @property
    def times(self) -> int:
        """How many slots come of one."""
        return max(1, self.positives)

    def slot_count(self, project: Plan) -> int:
        return self.times * super().slot_count(project)

    def rows(self, project: Plan) -> float | None:
        count = super().rows(project)
        return count and self.times * count


class Relabelled(NamedTuple):
    """The texts of a row."""

    positives: list[str]
    negatives: list[str]
    negative_scores: list[float]


def build(spec: RelabelledPairs, pairs: Pairs, relevance: Relevance) -> Pairs:
    """Choose positives and hard negatives of each row by their scores: see `relabelled`.

    Positive j of a row in slot s of n is in slot s + n j; a row with fewer than others has them again.  Rows
    whose positive has no score are dropped.
    """
    positive, negatives = scores_of(pairs, relevance)
    rows = zip(pairs.positive, pairs.negatives, positive, negatives, strict=True)
    made = pd.DataFrame([relabelled(spec, *row) for row in rows], columns=Relabelled._fields)
    changed = int((made.positives.str[0] != pairs.positive).sum())
    fewer = int(pairs.negatives.str.len().sum() - made.negatives.str.len().sum())
    logger.info(
        "%d rows: %d have another positive, and %d hard negatives are removed", len(made), changed, fewer
    )
    table = pairs.assign(**{name: made[name].array for name in Relabelled._fields[1:]})
    slots = int(pairs.slot.max()) + 1
    parts = [
        table.assign(positive=[each[number % len(each)] for each in made.positives], slot=table.slot + first)
        for number, first in enumerate(range(0, slots * spec.times, slots))
    ]
    scored = pd.concat([positive.notna()] * spec.times, ignore_index=True)
    return rows_kept(pd.concat(parts, ignore_index=True), scored, "a scored positive")


def relabelled(
    spec: RelabelledPairs, positive: str, negatives: Sequence[str], score: float, scores: Sequence[float]
) -> Relabelled:
    """Return the most relevant texts of a row as positives, and what is less relevant than its own positive.

    A hard negative is as relevant if its score is not more than the margin below the positive's.  What is as
    relevant, but not chosen as a positive, is dropped, and so are hard negatives without a score.
    """
    texts, every = [positive, *negatives], np.array([score, *scores], "float32")
    less = every < every[0] - np.float32(spec.margin)
    relevant = ~less & ~np.isnan(every)
    ranked = [each for each in np.argsort(-every, kind="stable") if relevant[each]]
    chosen = ranked[: spec.positives] or [0]
    left = np.flatnonzero(less)
    return Relabelled([texts[each] for each in chosen], [texts[each] for each in left], every[left].tolist())
