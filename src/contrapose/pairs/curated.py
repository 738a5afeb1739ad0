"""Pairs of another set that a judge finds similar, with hard negatives that it does not."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.jobs.inputs import Pairs, Relevance
from contrapose.pairs.judges import JudgedPairs, scores_of
from contrapose.pairs.pair_rows import rows_kept
from contrapose.settings.plan import Plan


class CuratedPairs(JudgedPairs):
    """Another pair set is filtered by the scores of its texts. First, texts change places: if a hard negative
    of a pair scores higher than its positive, the highest-scoring one becomes the positive, and the positive
    becomes a hard negative. Then hard negatives are dropped if they score above `negative_at_most`, or not
    below their positive. Last, a pair is dropped if its positive scores below `positive_at_least`, or if all
    its hard negatives were dropped. A text without a score is dropped like a text out of bounds. MultiCSR.

    Wang et al. 2024. The bounds are those of type 15 in `flan_filter.py` (Circle-Ming/MultiCSR), for scores
    of a language model; a cross-encoder's have no fixed range, so set the bounds, too.
    """

    kind: Literal["curated"]
    positive_at_least: float = Field(3.0, description="The positive of a pair must have at least this score.")
    negative_at_most: float = Field(3.0, description="A hard negative must have at most this score.")

    def rows(self, project: Plan) -> float | None:
        return None  # the scores decide


class Curated(NamedTuple):
    """A row after the texts were swapped and dropped."""

    positive: str
    negatives: list[str]
    negative_scores: list[float]
    kept: bool


def build(spec: CuratedPairs, pairs: Pairs, relevance: Relevance) -> Pairs:
    """Swap and drop texts by their scores: see `curated`.

    `relevance`: scores of these pairs; some may be missing.  The hard negatives get theirs.
    """
    rows = zip(pairs.positive, pairs.negatives, *scores_of(pairs, relevance), strict=True)
    made = pd.DataFrame([curated(spec, *row) for row in rows], columns=Curated._fields)
    table = pairs.assign(**{name: made[name].array for name in Curated._fields[:3]})
    return rows_kept(table, made.kept, "a similar positive and, if they had any, a dissimilar hard negative")


def curated(
    spec: CuratedPairs, positive: str, negatives: Sequence[str], score: float, scores: Sequence[float]
) -> Curated:
    """Return a row after its positive changed places with a hard negative of a higher score, if there is one.

    Hard negatives above their bound, not below the positive, or without a score are dropped.  The row is not
    kept if its positive is below its bound or without a score, or if it loses all its hard negatives.  So
    MultiCSR treats its rows, each with one hard negative.
    """
    texts, every = [positive, *negatives], np.array([score, *scores], "float32")
    best = 0 if np.isnan(score) else int(np.nanargmax(every))
    order = np.arange(len(texts))
    order[[0, best]] = best, 0
    every = every[order]
    left = np.flatnonzero((every <= spec.negative_at_most) & (every < every[0]))
    kept = every[0] >= spec.positive_at_least and (len(left) > 0 or len(texts) == 1)
    return Curated(texts[best], [texts[each] for each in order[left]], every[left].tolist(), bool(kept))
