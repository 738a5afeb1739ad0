"""Scores of an encoder on a suite of evaluation sets."""

import numpy as np
import pandas as pd

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.train.cosines import paired_cosines


def run_scores(
    benchmarks: pd.DataFrame, job: EvaluationJob, source: str | None, device: str
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, object]]:
    """Score an encoder by the cosines of the pairs.

    Parameters
    ----------
    benchmarks : BENCHMARK table
    source : str, optional
        Folder or file of an encoder on disk; not needed for an encoder on the hub.
    device : as for `sentence_vectors`

    Returns
    -------
    SCORES table, COSINES table
    dict
        `pooling`, as from `sentence_vectors`; `lacking_sets`, why some sets have no scores.
    """
    pairs = scored_pairs(benchmarks)
    texts = [*pairs.sentence1, *pairs.sentence2]
    vectors, pooling = sentence_vectors(job, source or "", texts, device)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = sts_scores(pairs, cosines, job)
    told = {"pooling": pooling, "lacking_sets": scores.attrs["lacking"]}
    return scores, cosine_table(pairs, cosines), told
