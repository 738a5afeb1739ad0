"""How near paraphrases are to their sentence, according to an encoder."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.jobs.step import Rows
from contrapose.models.scorer import Scorer, plan
from contrapose.score.scored_texts import Texts
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import SIMILARITIES

__all__ = ["build", "plan"]  # the settings are those of the encoder alone


def build(
    spec: EncoderSettings, texts: Texts, encoder: Scorer
) -> Annotated[pd.DataFrame, Rows(SIMILARITIES)]:
    """Return the cosine of every sentence, the anchor, with its paraphrases, in the order of the pairs."""
    from contrapose.models.cosines import paired_cosines
    from contrapose.models.embeddings import embeddings

    vectors = embeddings(encoder, [*texts.anchor, *texts.positive])  # (2n, D)
    cosines = paired_cosines(*np.split(vectors, 2))
    columns = {"sentence_id": texts.id.array, "slot": texts.slot.array, "cosine": cosines}
    return pd.DataFrame(columns, columns=SIMILARITIES.columns)
