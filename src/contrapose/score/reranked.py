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
    """
    from contrapose.models.classifier import outputs_of

    texts = np.array([*pairs.positive, *corpus], object)
    near = neighbours[["anchor", "rows"]].explode("rows").dropna()
    near["text"] = texts[near.rows.to_numpy(int)]
    positives = pairs[["anchor", "positive"]].drop_duplicates().rename(columns={"positive": "text"})
    both = pd.concat([near, positives], ignore_index=True)
    questions = list(both[["anchor", "text"]].itertuples(index=False, name=None))
    both["score"] = outputs_of(model, questions, AT_ONCE)[:, 0].astype("float32")
    best = both[: len(near)].sort_values("score", ascending=False, kind="stable").groupby("anchor")
    lowest = both[len(near) :].groupby("anchor").score.min()
    columns = {"anchor": neighbours.anchor, "positive": lowest[neighbours.anchor].to_numpy()}
    lists = {"rows": ("rows", "int32"), "cosines": ("score", "float32")}
    for name, (column, kind) in lists.items():
        arrays = {anchor: values.to_numpy(kind) for anchor, values in best[column]}
        columns[name] = [arrays.get(anchor, np.array([], kind)) for anchor in neighbours.anchor]
    return pd.DataFrame(columns, columns=NEIGHBOURS.columns)
