"""Whiten the vectors of an encoder on the sentences of a table of pairs."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from contrapose.stage import log_to
from contrapose.tables import PAIRS, read_table
from contrapose.train.batches import distinct_texts
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import TrainingJob
from contrapose.train.whitening import fit_whitening

with log_to(snakemake.log[0], snakemake.threads):
    job = TrainingJob.model_validate_json(snakemake.params.settings)
    res = snakemake.resources
    texts = distinct_texts(read_table(snakemake.input.pairs, PAIRS))
    encoder = encoder_of(job, res.encoder, res.device)
    fit_whitening(encoder, texts, job.recipe, res.batch_size)
    encoder.save(snakemake.output.encoder)
