"""Texts near to the anchors of a pair set, by the scores of a cross-encoder; material of mined negatives."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.jobs.inputs import CorpusTexts, Neighbours, Pairs
from contrapose.jobs.step import Rows
from contrapose.models.scorer import plan
from contrapose.score.relevance import AT_ONCE, CrossEncoder
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import NEIGHBOURS

__all__ = ["build", "plan"]  # the settings are those of the encoder alone


def build(
    spec: EncoderSettings,
    pairs: Pairs,
    neighbours: Neighbours,
    model: CrossEncoder,
    corpus: CorpusTexts = (),
) -> Annotated[pd.DataFrame, Rows(NEIGHBOURS)]:
    """Score each anchor with its neighbours and its positives, and order the neighbours by score.

    As `mine_hard_negatives` of sentence-transformers with `cross_encoder`; scores are the model's output
    before any activation.

    `neighbours`: NEIGHBOURS, whose `rows` count the positives of `pairs`, then the texts of `corpus`.

    Returns NEIGHBOURS with scores instead of cosines, the highest first; `positive` is the lowest score of an
    anchor with one of its positives.
    """
    from contrapose.models.classifier import outputs_of

    texts = np.array([*pairs.positive, *corpus], object)
    near = neighbours[["anchor", "rows"]].explode("rows").dropna()
    near["text"] = texts[near.rows.to_numpy(int)]
    positives = pairs[["anchor", "positive"]].drop_duplicates().rename(columns={"positive": "text"})
    both = pd.concat([near, positives])[["anchor", "text"]]
    scores = outputs_of(model, list(both.itertuples(index=False, name=None)), AT_ONCE)[:, 0].astype("float32")
    near["score"], positives["score"] = scores[: len(near)], scores[len(near) :]
    by_anchor = near.sort_values("score", ascending=False, kind="stable").groupby("anchor")

    def lists(column: str, kind: str) -> list[np.ndarray]:
        found = {anchor: values.to_numpy(kind) for anchor, values in by_anchor[column]}
        return [found.get(anchor, np.array([], kind)) for anchor in neighbours.anchor]

    return pd.DataFrame(
        {
            "anchor": neighbours.anchor,
            "positive": positives.groupby("anchor").score.min()[neighbours.anchor].to_numpy(),
            "rows": lists("rows", "int32"),
            "cosines": lists("score", "float32"),
        }
    )
