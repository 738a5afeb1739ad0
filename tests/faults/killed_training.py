"""Run one training many times, each killed somewhere else, and print what came of it as JSON.

Usage: killed_training.py ENCODER FOLDER

A process of its own: it imports once and forks for every training, before PyTorch has started threads.
"""

import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers.models.bert import BertModel, BertTokenizer  # noqa: F401 (imported once, before forks)

from contrapose.base.errors import StoppedError
from contrapose.jobs.state import LOCK
from contrapose.models import checkpoint
from contrapose.models.checkpoint import Checkpoints
from contrapose.models.sentence_encoder import new_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import HISTORY, write_table
from contrapose.train import loop
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe

RECIPE = Recipe(batch_size=4, max_length=8, learning_rate=1e-2, epochs=3, dropout=0.1, dev_every=2)
WORDS = ["cat", "dog", "bird", "mat", "park", "tree", "big", "small", "red", "quick"]
TEXTS = pd.Series([f"the {word} sat" for word in WORDS])  # 3 batches an epoch
DEV = pd.DataFrame({"sentence1": TEXTS, "sentence2": TEXTS[::-1].tolist(), "score": np.arange(10.0) * 7 % 10})


def train(encoder_folder: Path, folder: Path, state: Path | None, seconds: float = 0) -> None:
    slots = [
        as_pairs(TEXTS.index.astype(str).to_series(), TEXTS, TEXTS + " on" * slot, slot=slot)
        for slot in (0, 1)
    ]
    encoder = new_encoder(encoder_folder, RECIPE, 42)
    # By default a checkpoint after every step.
    options = RunOptions("cpu", checkpoints=state and Checkpoints(state, seconds))
    history, _ = train_encoder(encoder, pd.concat(slots), DEV, RECIPE, 42, options)
    encoder.save(folder / "encoder")
    write_table(history, folder / "history.parquet", HISTORY)


def after_call(module: object, name: str, number: int, what: signal.Signals = signal.SIGKILL) -> None:
    """Get a signal when `module.name` has been called `number` times."""
    original, calls = getattr(module, name), []

    def counted(*arguments: object, **options: object) -> object:
        result = original(*arguments, **options)
        calls.append(1)
        if len(calls) == number:
            os.kill(os.getpid(), what)
        return result

    setattr(module, name, counted)


def written_at_once() -> None:
    """Let a training wait for its checkpoints, so that it is known what it leaves."""
    save = checkpoint.CheckpointWriter.save

    def waiting(writer: checkpoint.CheckpointWriter, *arguments: object) -> None:
        save(writer, *arguments)
        writer.wait()

    checkpoint.CheckpointWriter.save = waiting


ASKED = "asked to end, long before a checkpoint"
KILLS: dict[str, Callable[[], object]] = {
    "before the first checkpoint": lambda: after_call(loop.Training, "step", 1),
    "while a checkpoint is written": lambda: after_call(checkpoint, "save_file", 3),
    "after a checkpoint": lambda: after_call(checkpoint, "write_checkpoint", 4),
    "between step and dev score": lambda: (written_at_once(), after_call(loop.Training, "step", 2)),
    "while weights become the best": lambda: (written_at_once(), after_call(loop, "copied", 1)),
    "after the last step": lambda: after_call(loop.Training, "finished", 1),
    ASKED: lambda: after_call(loop.Training, "step", 4, signal.SIGTERM),
}


def in_a_child(work: Callable[[], None]) -> int:
    """Return the signal that ended the child, itself or as an error, or 0."""
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        code = 1
        try:
            work()
            code = 0
        except StoppedError:
            code = 128 + signal.SIGTERM
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    if code == 128 + signal.SIGTERM:
        return signal.SIGTERM
    if code > 0:
        sys.exit("a training failed")
    return -code


def digests(folder: Path) -> list[str]:
    files = [folder / "encoder" / "model.safetensors", folder / "history.parquet"]
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def main(encoder_folder: Path, folder: Path) -> None:
    results: dict[str, object] = {}
    in_a_child(lambda: train(encoder_folder, folder / "whole", None))
    results["whole"] = digests(folder / "whole")
    for number, (when, prepare) in enumerate(KILLS.items()):
        place, state = folder / str(number), folder / f"state{number}"

        def killed(prepare: Callable[[], object] = prepare, place: Path = place, state: Path = state) -> None:
            prepare()
            train(encoder_folder, place, state, seconds=1000 if prepare is KILLS[ASKED] else 0)

        ended = in_a_child(killed)
        left = sorted(path.suffix for path in state.glob("*") if path.name != LOCK)
        in_a_child(lambda place=place, state=state: train(encoder_folder, place, state))
        drafts = len(list(state.glob(".*.draft")))
        results[when] = {"signal": ended, "left": left, "after": digests(place), "drafts": drafts}
    print(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
