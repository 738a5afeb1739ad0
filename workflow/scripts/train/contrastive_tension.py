"""Train two copies of an encoder against each other on the anchors of a table of pairs; keep the better."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from pathlib import Path

import torch

from contrapose.processes import in_processes
from contrapose.stage import log_to, provenance
from contrapose.state import remove_state
from contrapose.tables import HISTORY, PAIRS, read_table, write_table
from contrapose.train.batches import distinct_texts
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.contrastive_tension import train_contrastive_tension
from contrapose.train.dev import read_dev
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import TrainingJob
from contrapose.train.loop import Surroundings
from contrapose.train.ranks import is_first

with log_to(snakemake.log[0]):
    job = TrainingJob.model_validate_json(snakemake.params.settings)
    res = snakemake.resources
    torch.set_num_threads(in_processes(res.processes, snakemake.threads, res.device))
    texts = distinct_texts(read_table(snakemake.input.pairs, PAIRS), ["anchor"])
    dev = read_dev(snakemake.input.dev, job.recipe)
    encoder = encoder_of(job, res.encoder, res.device)
    checkpoints = Checkpoints(Path(res.state), res.checkpoint_seconds)
    around = Surroundings(res.device, job.precision, res.batch_size, checkpoints=checkpoints)
    history, counts = train_contrastive_tension(encoder, texts, dev, job.recipe, job.seed, around)
    if is_first():
        encoder.save(snakemake.output.encoder)
        write_table(history, snakemake.output.history, HISTORY, {**provenance(snakemake), **counts})
        remove_state(checkpoints.state)
