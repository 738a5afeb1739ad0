"""How near paraphrases are to their sentence, according to an encoder."""

import numpy as np
import pandas as pd

from contrapose.tables import SIMILARITIES
from contrapose.train.cosines import paired_cosines
from contrapose.train.embeddings import Encoder, embeddings


def similarities(pairs: pd.DataFrame, encoder: Encoder) -> pd.DataFrame:
    """Return the cosine of every sentence with each of its paraphrases, as SIMILARITIES.

    In the order of the pairs, whose anchors are the sentences.
    """
    vectors = embeddings(encoder, [*pairs.anchor, *pairs.positive])  # (2n, D)
    cosines = paired_cosines(*np.split(vectors, 2))
    columns = {"sentence_id": pairs.id.array, "slot": pairs.slot.array, "cosine": cosines}
    return pd.DataFrame(columns, columns=SIMILARITIES.columns)
