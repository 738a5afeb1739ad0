"""Measure alignment and uniformity of one encoder: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.evaluate.geometry import geometry, geometry_pairs
from contrapose.evaluate.jobs import GeometryJob
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, GEOMETRY, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, geometry=GEOMETRY):
    job = GeometryJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = geometry_pairs(read_table(snakemake.input.benchmarks, BENCHMARK))
    source = resources.get("folder") or snakemake.input.get("encoder")
    texts = [*pairs.sentence1, *pairs.sentence2]
    vectors, _ = sentence_vectors(job, source, texts, resources.device)
    write_table(geometry(pairs, vectors, job.run), snakemake.output.geometry, GEOMETRY, provenance(snakemake))
