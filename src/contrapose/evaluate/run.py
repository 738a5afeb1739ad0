"""Scores of an encoder on a suite of evaluation sets, by the cosines of the pairs."""

from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from contrapose.encoders.cosines import paired_cosines
from contrapose.evaluate.evaluation import Evaluation, Folder, sentence_vectors
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.steps import Device, Rows, with_facts
from contrapose.tables import BENCHMARK, COSINES, SCORES


class RunScores(NamedTuple):
    """Scores and the cosines behind them."""

    cosines: Annotated[pd.DataFrame, Rows(COSINES)]
    scores: Annotated[pd.DataFrame, Rows(SCORES)]


def build(
    spec: Evaluation,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    source: Folder,
    device: Device,
) -> RunScores:
    """Score one encoder on a suite of evaluation sets: one of a run, or any folder.

    The file of scores also says the `pooling`, as from `sentence_vectors`, and `lacking_sets`, why some sets
    have no scores.
    """
    pairs = scored_pairs(benchmarks)
    vectors, pooling = sentence_vectors(spec, source, [*pairs.sentence1, *pairs.sentence2], device)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = sts_scores(pairs, cosines, spec)
    scores = with_facts(scores, pooling=pooling, lacking_sets=scores.attrs["lacking"])
    return RunScores(cosine_table(pairs, cosines), scores)
