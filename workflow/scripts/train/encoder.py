"""Train one encoder on a table of pairs."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from pathlib import Path

import torch

from contrapose.processes import in_processes
from contrapose.stage import log_to, provenance
from contrapose.state import remove_state
from contrapose.tables import HISTORY, PAIRS, read_provenance, read_table, write_table
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.dev import read_dev
from contrapose.train.encoder import encoder_of, new_encoder
from contrapose.train.jobs import TrainingJob
from contrapose.train.left_out import lacking_pairs, leave_out
from contrapose.train.loop import Surroundings, train_encoder
from contrapose.train.ranks import is_first

with log_to(snakemake.log[0]):
    if why := lacking_pairs(snakemake.input.pairs, snakemake.input.dev):
        leave_out(why, snakemake.output.encoder, snakemake.output.history, provenance(snakemake))
    else:
        job = TrainingJob.model_validate_json(snakemake.params.settings)
        res = snakemake.resources
        torch.set_num_threads(in_processes(res.processes, snakemake.threads, res.device))
        pairs = read_table(snakemake.input.pairs, PAIRS)
        dev = read_dev(snakemake.input.dev, job.recipe)
        hub = job.encoder
        source, revision = (hub.model, hub.revision) if hub else (res.encoder, None)
        encoder = new_encoder(source, job.recipe, job.seed, revision)
        teacher = encoder_of(job.teacher, res.teacher, res.device) if job.teacher else None
        checkpoints = Checkpoints(Path(res.state), res.checkpoint_seconds)
        surroundings = Surroundings(
            res.device,
            job.precision,
            res.batch_size,
            bool(res.recompute),
            bool(res.cuda_graphs),
            checkpoints,
        )
        history, counts = train_encoder(encoder, pairs, dev, job.recipe, job.seed, surroundings, teacher)
        if is_first():
            encoder.save(snakemake.output.encoder)
            counts["dropped"] = read_provenance(snakemake.input.pairs).get("dropped", "")
            write_table(history, snakemake.output.history, HISTORY, {**provenance(snakemake), **counts})
            remove_state(checkpoints.state)
