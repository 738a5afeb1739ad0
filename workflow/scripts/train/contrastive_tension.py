"""Train two copies of an encoder against each other on the anchors of a table of pairs; keep the better."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.stage import log_to
from contrapose.tables import HISTORY
from contrapose.train.batches import distinct_texts
from contrapose.train.contrastive_tension import train_contrastive_tension
from contrapose.train.dev import read_dev
from contrapose.train.encoder import encoder_of
from contrapose.train.job import run_options, write_training
from contrapose.train.jobs import TrainingJob

with log_to(snakemake.log[0]), or_left_out(snakemake, history=HISTORY):
    job, res = TrainingJob.model_validate_json(snakemake.params.settings), snakemake.resources
    pairs = read_pairs(snakemake.input.pairs)
    texts = distinct_texts(pairs, ["anchor"])
    dev = read_dev(snakemake.input.dev, job.recipe)
    options = run_options(snakemake, job)
    encoder = encoder_of(job, res.encoder, res.device)
    history, counts = train_contrastive_tension(encoder, texts, dev, job.recipe, job.seed, options)
    write_training(encoder, history, {**counts, "pairs": len(pairs)}, snakemake)
