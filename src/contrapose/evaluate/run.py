"""Scores of an encoder on a suite of evaluation sets."""

import numpy as np
import pandas as pd

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.tables import COSINES, SCORES, empty
from contrapose.train.cosines import paired_cosines
from contrapose.train.left_out import why_left_out


def run_scores(
    benchmarks: pd.DataFrame, job: EvaluationJob, source: str | None, device: str, batch_size: int
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, str]]:
    """Score an encoder by the cosines of the pairs.

    Parameters
    ----------
    benchmarks : BENCHMARK table
    source : str, optional
        Folder or file of an encoder on disk; none is needed of one of the hub.
    device, batch_size : as for `sentence_vectors`

    Returns
    -------
    SCORES table, COSINES table
        Without rows if there is no encoder, as its pair set has too few pairs.
    dict
        `pooling`; or `lacking`, why there is no encoder.
    """
    if why := why_left_out(source or ""):
        return empty(SCORES), empty(COSINES), {"lacking": why}
    pairs = scored_pairs(benchmarks)
    texts = [*pairs.sentence1, *pairs.sentence2]
    vectors, pooling = sentence_vectors(job, source or "", texts, device, batch_size)
    cosines = paired_cosines(*np.split(vectors, 2))
    return sts_scores(pairs, cosines, job), cosine_table(pairs, cosines), {"pooling": pooling}
