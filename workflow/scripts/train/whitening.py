"""Whiten the vectors of an encoder on the sentences of a table of pairs."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.stage import log_to
from contrapose.tables import HISTORY, empty
from contrapose.train.batches import distinct_texts
from contrapose.train.encoder import encoder_of
from contrapose.train.job import write_training
from contrapose.train.jobs import TrainingJob
from contrapose.train.whitening import fit_whitening

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, history=HISTORY):
    job, res = TrainingJob.model_validate_json(snakemake.params.settings), snakemake.resources
    pairs = read_pairs(snakemake.input.pairs)
    encoder = encoder_of(job, res.encoder, res.device)
    fit_whitening(encoder, distinct_texts(pairs), job.recipe)
    write_training(encoder, empty(HISTORY), {"pairs": len(pairs), "pairs_used": len(pairs)}, snakemake)
