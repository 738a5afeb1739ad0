"""Fit a flow behind an encoder to the sentences of a table of pairs."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.stage import log_to
from contrapose.tables import HISTORY
from contrapose.train.batches import distinct_texts
from contrapose.train.encoder import encoder_of
from contrapose.train.flow import fit_flow
from contrapose.train.job import write_training
from contrapose.train.jobs import TrainingJob

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, history=HISTORY):
    job, res = TrainingJob.model_validate_json(snakemake.params.settings), snakemake.resources
    pairs = read_pairs(snakemake.input.pairs)
    encoder = encoder_of(job, res.encoder, res.device)
    history = fit_flow(encoder, distinct_texts(pairs), job.recipe, job.seed)
    write_training(encoder, history, {"pairs": len(pairs), "pairs_used": len(pairs)}, snakemake)
