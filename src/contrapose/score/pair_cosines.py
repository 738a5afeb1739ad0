"""The cosines of the texts of a pair set with their anchors, by an encoder; material of `scored`."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.jobs.inputs import Pairs, pairs_of_texts
from contrapose.jobs.step import Rows
from contrapose.models.scorer import Scorer, plan
from contrapose.score.neighbours import vectors_of_sides
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import RELEVANCE

__all__ = ["build", "plan"]  # the settings are those of the encoder alone


def build(spec: EncoderSettings, pairs: Pairs, encoder: Scorer) -> Annotated[pd.DataFrame, Rows(RELEVANCE)]:
    """Compare each anchor with its positives and hard negatives, each distinct pair of texts once.

    Anchors get the encoder's prompt for queries.  Memory: 4 bytes x dimensions for each distinct text and
    anchor, and twice that for each distinct pair.
    """
    distinct = pairs_of_texts(pairs)
    (anchor, anchors), (text, texts) = (pd.factorize(distinct[side]) for side in ("anchor", "text"))
    of_anchors, of_texts = vectors_of_sides(encoder, anchors, texts)
    cosines = np.einsum("nd,nd->n", of_anchors[anchor], of_texts[text])
    return distinct.assign(score=cosines.clip(-1, 1))[RELEVANCE.columns]
