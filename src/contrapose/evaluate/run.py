"""Scores of an encoder on a suite of evaluation sets, by the cosines of the pairs."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.encoders.cosines import paired_cosines
from contrapose.evaluate.evaluation import Evaluation, Folder, run_settings, sentence_vectors
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.status import with_status
from contrapose.steps import Device, Outputs, Project, Rows, planned
from contrapose.tables import BENCHMARK, COSINES, SCORES


@planned
def plan(project: Project, suite: str, run: str) -> Evaluation:
    return run_settings(Evaluation, project, run)


def build(
    spec: Evaluation,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    source: Folder,
    device: Device,
) -> Annotated[tuple, Outputs(cosines=COSINES, scores=SCORES)]:
    """Score one encoder on a suite of evaluation sets: one of a run, or any folder.

    The status of the scores has the `pooling`, as from `sentence_vectors`, and why sets were skipped.
    """
    pairs = scored_pairs(benchmarks)
    vectors, pooling = sentence_vectors(spec, source, [*pairs.sentence1, *pairs.sentence2], device)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = with_status(sts_scores(pairs, cosines, spec), facts={"pooling": pooling})
    return (cosine_table(pairs, cosines), scores)
