"""Train one encoder on a table of pairs."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.stage import log_to
from contrapose.tables import HISTORY, read_provenance
from contrapose.train.dev import read_dev
from contrapose.train.encoder import encoder_of, new_encoder_of
from contrapose.train.job import run_options, write_training
from contrapose.train.jobs import TrainingJob
from contrapose.train.loop import train_encoder

with log_to(snakemake.log[0]), or_left_out(snakemake, history=HISTORY):
    job, res = TrainingJob.model_validate_json(snakemake.params.settings), snakemake.resources
    pairs = read_pairs(snakemake.input.pairs)
    dev = read_dev(snakemake.input.dev, job.recipe)
    options = run_options(snakemake, job)
    encoder = new_encoder_of(job, res.encoder)
    teacher = encoder_of(job.teacher, res.teacher, res.device) if job.teacher else None
    history, counts = train_encoder(encoder, pairs, dev, job.recipe, job.seed, options, teacher)
    told = {**counts, "dropped": read_provenance(snakemake.input.pairs).get("dropped", "")}
    write_training(encoder, history, told, snakemake)
