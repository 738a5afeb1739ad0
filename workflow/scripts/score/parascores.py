"""Compute the ParaScore of each paraphrase."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out
from contrapose.score.parascore import parascores
from contrapose.score.texts import read_texts
from contrapose.stage import log_to, provenance
from contrapose.tables import PARASCORES, write_table
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import EncoderJob

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, parascores=PARASCORES):
    job = EncoderJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = read_texts(snakemake.input)
    encoder = encoder_of(job, resources.encoder, resources.device)
    write_table(parascores(pairs, encoder), snakemake.output.parascores, PARASCORES, provenance(snakemake))
