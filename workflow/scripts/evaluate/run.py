"""Score one encoder on a suite of evaluation sets: a run of ours, or any folder."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

import numpy as np

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, COSINES, SCORES, empty, read_table, write_table
from contrapose.train.cosines import paired_cosines
from contrapose.train.left_out import why_left_out

with log_to(snakemake.log[0], snakemake.threads):
    job = EvaluationJob.model_validate_json(snakemake.params.settings)
    resources, made_by = snakemake.resources, provenance(snakemake)
    source = resources.get("folder") or snakemake.input.get("encoder")
    scores, cosines = empty(SCORES), empty(COSINES)
    if lacking := why_left_out(source or ""):
        made_by["lacking"] = lacking
    else:
        pairs = scored_pairs(read_table(snakemake.input.benchmarks, BENCHMARK))
        texts = [*pairs.sentence1, *pairs.sentence2]
        vectors, made_by["pooling"] = sentence_vectors(
            job, source, texts, resources.device, resources.batch_size
        )
        found = paired_cosines(*np.split(vectors, 2))
        scores, cosines = sts_scores(pairs, found, job), cosine_table(pairs, found)
    write_table(cosines, snakemake.output.cosines, COSINES, provenance(snakemake))
    write_table(scores, snakemake.output.scores, SCORES, made_by)
