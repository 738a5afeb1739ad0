"""Train one encoder on a table of pairs."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, read_provenance, read_table
from contrapose.train.dev import read_dev
from contrapose.train.encoder import encoder_of, new_encoder_of
from contrapose.train.job import surroundings_of, write_training
from contrapose.train.jobs import TrainingJob
from contrapose.train.left_out import lacking_pairs, leave_out
from contrapose.train.loop import train_encoder

with log_to(snakemake.log[0]):
    if why := lacking_pairs(snakemake.input.pairs, snakemake.input.dev):
        leave_out(why, snakemake.output.encoder, snakemake.output.history, provenance(snakemake))
    else:
        job, res = TrainingJob.model_validate_json(snakemake.params.settings), snakemake.resources
        around = surroundings_of(snakemake, job)
        pairs = read_table(snakemake.input.pairs, PAIRS)
        dev = read_dev(snakemake.input.dev, job.recipe)
        encoder = new_encoder_of(job, res.encoder)
        teacher = encoder_of(job.teacher, res.teacher, res.device) if job.teacher else None
        history, counts = train_encoder(encoder, pairs, dev, job.recipe, job.seed, around, teacher)
        told = {**counts, "dropped": read_provenance(snakemake.input.pairs).get("dropped", "")}
        write_training(encoder, history, told, snakemake)
