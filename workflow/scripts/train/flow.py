"""Fit a flow behind an encoder to the sentences of a table of pairs."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from contrapose.stage import log_to, provenance
from contrapose.tables import HISTORY, PAIRS, read_table, write_table
from contrapose.train.batches import distinct_texts
from contrapose.train.encoder import encoder_of
from contrapose.train.flow import fit_flow
from contrapose.train.jobs import TrainingJob

with log_to(snakemake.log[0], snakemake.threads):
    job = TrainingJob.model_validate_json(snakemake.params.settings)
    res = snakemake.resources
    texts = distinct_texts(read_table(snakemake.input.pairs, PAIRS))
    encoder = encoder_of(job, res.encoder, res.device)
    history = fit_flow(encoder, texts, job.recipe, job.seed)
    encoder.save(snakemake.output.encoder)
    write_table(history, snakemake.output.history, HISTORY, provenance(snakemake))
