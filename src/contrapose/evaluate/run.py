"""Scores of an encoder on a suite of evaluation sets, by the cosines of the pairs."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.encoders.cosines import paired_cosines
from contrapose.evaluate.evaluation import Folder, RunSettings, run_settings, sentence_vectors
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.steps import Device, Outputs, Project, Rows, planned, with_facts
from contrapose.tables import BENCHMARK, COSINES, SCORES


@planned
def plan(project: Project, suite: str, run: str) -> RunSettings:
    return run_settings(RunSettings, project, run)


def build(
    spec: RunSettings,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    source: Folder,
    device: Device,
) -> Annotated[tuple, Outputs(cosines=COSINES, scores=SCORES)]:
    """Score one encoder on a suite of evaluation sets: one of a run, or any folder.

    The file of scores also says the `pooling`, as from `sentence_vectors`, and `lacking_sets`, why some sets
    have no scores.
    """
    pairs = scored_pairs(benchmarks)
    vectors, pooling = sentence_vectors(spec, source, [*pairs.sentence1, *pairs.sentence2], device)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = sts_scores(pairs, cosines, spec)
    scores = with_facts(scores, pooling=pooling, lacking_sets=scores.attrs["lacking"])
    return (cosine_table(pairs, cosines), scores)
