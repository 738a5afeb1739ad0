"""Cosines of a sentence with edited forms of it.  PrdSimCSE, Table 1."""

import numpy as np
import pandas as pd

from contrapose.evaluate.jobs import SimilaritiesJob
from contrapose.tables import TEXT_SIMILARITIES
from contrapose.train.cosines import paired_cosines


def text_similarities(vectors: np.ndarray, job: SimilaritiesJob) -> pd.DataFrame:
    """Return the cosine of the first vector with each of the others.

    The vectors, of shape (1 + n, D), are those of the sentence and of the n texts; the result is a
    TEXT_SIMILARITIES table.
    """
    cosines = paired_cosines(np.repeat(vectors[:1], len(vectors) - 1, axis=0), vectors[1:])
    labels = [label for label, _ in job.texts]
    return pd.DataFrame({"run": job.run, "label": labels, "cosine": cosines})[TEXT_SIMILARITIES.columns]
