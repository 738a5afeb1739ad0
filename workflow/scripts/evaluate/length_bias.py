"""Measure the length bias of one encoder: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.evaluate.jobs import LengthBiasJob
from contrapose.evaluate.length_bias import TEXTS, length_bias, probe_pairs
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, LENGTH_BIAS, read_table, write_table
from contrapose.train.embeddings import embeddings
from contrapose.train.encoder import encoder_of

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, bias=LENGTH_BIAS):
    job = LengthBiasJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = probe_pairs(read_table(snakemake.input.benchmarks, BENCHMARK), job.pairs)
    folder = resources.get("folder") or snakemake.input.get("encoder")
    encoder = encoder_of(job, folder, resources.device)
    texts = [text for column in TEXTS for text in pairs[column]]
    bias = length_bias(pairs, embeddings(encoder, texts), job)
    write_table(bias, snakemake.output.bias, LENGTH_BIAS, provenance(snakemake))
