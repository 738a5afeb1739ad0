"""The setting of a training job in one process: its run options and its output files."""

from pathlib import Path
from typing import Any

import pandas as pd
import torch

from contrapose.processes import in_processes
from contrapose.stage import provenance
from contrapose.state import remove_state
from contrapose.tables import HISTORY, write_table
from contrapose.train.card import encoder_card
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.distributed import is_first
from contrapose.train.encoder import SentenceEncoder
from contrapose.train.jobs import CardFacts, TrainingJob
from contrapose.train.loop import RunOptions


def run_options(snakemake: Any, job: TrainingJob) -> RunOptions:
    """Return the run options of a training job, in each of its processes, which it starts if several."""
    res = snakemake.resources
    torch.set_num_threads(in_processes(res.processes, snakemake.threads, res.device))
    return RunOptions(
        res.device,
        job.precision,
        recompute=bool(res.get("recompute")),
        checkpoints=Checkpoints.of(res),
    )


def write_training(
    encoder: SentenceEncoder, history: pd.DataFrame, counts: dict[str, Any], snakemake: Any
) -> None:
    """Write an encoder with its model card, and its HISTORY; then remove the job's checkpoint.

    `counts` go into the metadata of the history, see `train_encoder`.  Of several processes the first writes.
    """
    if not is_first():
        return
    facts = CardFacts.model_validate_json(snakemake.resources.card)
    made_by = {**provenance(snakemake), **counts}
    encoder.save(snakemake.output.encoder, encoder_card(facts, made_by, len(history), encoder.head))
    write_table(history, snakemake.output.history, HISTORY, made_by)
    if state := snakemake.resources.get("state"):
        remove_state(Path(state))
