"""Score one encoder on a suite of evaluation sets: a run of ours, or any folder."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

import numpy as np

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, COSINES, SCORES, read_table, write_table
from contrapose.train.cosines import paired_cosines

with log_to(snakemake.log[0], snakemake.threads):
    job = EvaluationJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = scored_pairs(read_table(snakemake.input.benchmarks, BENCHMARK))
    source = resources.get("folder") or snakemake.input.get("encoder")
    texts = [*pairs.sentence1, *pairs.sentence2]
    vectors, pooling = sentence_vectors(job, source, texts, resources.device, resources.batch_size)
    cosines = paired_cosines(*np.split(vectors, 2))
    scores = sts_scores(pairs, cosines, job)
    made_by = provenance(snakemake)
    write_table(cosine_table(pairs, cosines), snakemake.output.cosines, COSINES, made_by)
    write_table(scores, snakemake.output.scores, SCORES, {**made_by, "pooling": pooling})
