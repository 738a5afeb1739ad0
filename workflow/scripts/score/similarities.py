"""Measure how similar each paraphrase is to its sentence."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out
from contrapose.score.similarity import similarities
from contrapose.score.texts import read_texts
from contrapose.stage import log_to, provenance
from contrapose.tables import SIMILARITIES, write_table
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import EncoderJob

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, similarities=SIMILARITIES):
    job = EncoderJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = read_texts(snakemake.input)
    encoder = encoder_of(job, resources.encoder, resources.device)
    scores = similarities(pairs, encoder)
    write_table(scores, snakemake.output.similarities, SIMILARITIES, provenance(snakemake))
