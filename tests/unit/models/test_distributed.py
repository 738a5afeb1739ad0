"""One batch over two processes (gloo, on the CPU) against the whole batch in one."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from contrapose.base.errors import StoppedError
from contrapose.models.checkpoint import Checkpoints, copied
from contrapose.models.distributed import ranks
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train import loop
from contrapose.train.contrastive import train_encoder
from contrapose.train.recipe import Recipe
from tests.unit.train.test_first_step import BOTH
from tests.unit.train.trainings import IDS, LONGER, RAGGED, SIX, SIX_DEV, WEIGHTED, same

RANKS = 2
ENDS_EARLY = {"dev_every": "epoch", "early_stopping_patience": 1, "epochs": 4}  # after two, as rank 0 says
RANKCSE = {"consistency": 1.0, "distillation": 0.5, "teacher": "any", "pooling": "mean"}
GUIDED = as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED, weight=WEIGHTED.weight)
KINDS = {
    "info_nce": (BOTH, {"view_weight": 0.5}),
    "cosine_similarity": (WEIGHTED, {"loss": "cosine_similarity"}),
    "ragged": (as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED), {}),
    "guided": (GUIDED, {"guide": "any", "candidates": "gte", "mixcse_lambda": 0.2, "pooling": "mean"}),
    "rankcse": (same(SIX), {**RANKCSE, **ENDS_EARLY}),
    "queue": (
        BOTH,
        {
            "momentum_queue_size": 7,
            "momentum": 0.5,
            "repetition": 0.9,
            "token_shuffling": True,
            "feature_cutoff": 0.2,
        },
    ),
    # To the dimensions of two teachers, by a layer that is trained, too.
    "projected": (same(SIX), {"loss": "vector_distillation", "teacher": ["any", "any"], "pooling": "mean"}),
    # One of two processes is asked to end in the middle: both do, and go on from the checkpoint.
    "stopped": (BOTH, {}),
}
# Imports once, then forks: each is a process of the training.
PROGRAM = f"""
import os, sys
from tests.unit.models.test_distributed import train_all
for rank in range(1, {RANKS}):
    if not os.fork():
        break
else:
    rank = 0
os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
train_all(*sys.argv[1:], rank)
if not rank:
    assert os.wait()[1] == 0
"""


def train_all(folder: str, out: str, rank: int = 0) -> None:
    """Do a training of each kind, and save its history, first gradients and weights."""
    seen, scores, scorer = [], iter([0.5, 0.4]), loop.dev_scorer

    def noted(module, summing=loop.sum_gradients):
        summing(module)
        trained = ((name, each.grad) for name, each in module.named_parameters() if each.requires_grad)
        seen.append({name: gradient.clone() for name, gradient in trained})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "sum_gradients", noted)
        for kind, (table, changes) in KINDS.items():
            # Batches of 5 and 1 pairs: of the last one, a process has no pair at all.
            settings = {"batch_size": 5, "max_length": 8, "learning_rate": 1e-3, "dropout": 0.0, "epochs": 2}
            recipe = Recipe(**{**settings, "dev_every": 1, **changes})
            given = (lambda *_: lambda: next(scores)) if kind == "rankcse" else scorer
            patch.setattr(loop, "dev_scorer", given)
            checkpoints = Checkpoints(Path(f"{out}-state")) if kind == "stopped" else None
            around = loop.RunOptions("cpu", checkpoints=checkpoints)
            teachers = [load_encoder(folder, pooling="mean")] * len(recipe.teachers)
            guide = load_encoder(folder, pooling="mean") if recipe.guide else None
            seen.clear()
            if kind == "stopped" and "RANK" in os.environ:
                stop(new_encoder(folder, recipe, 42).double(), table, recipe, around)
            encoder = new_encoder(folder, recipe, 42).double()
            history, _ = train_encoder(encoder, table, SIX_DEV, recipe, 42, around, teachers, guide)
            history.to_json(f"{out}-{kind}-{rank}.json")
            save_file(copied(seen[0].items()), f"{out}-{kind}-{rank}.gradients")
            save_file(copied(encoder.state_dict().items()), f"{out}-{kind}-{rank}.weights")


def stop(encoder, table, recipe, around) -> None:
    """Train until the last process is asked to end in its second step."""

    def asked(training, *rest, step=loop.Training.step):
        step(training, *rest)
        if training.progress.step == 2 and training.accelerator.process_index == ranks() - 1:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Training, "step", asked)
        with pytest.raises(StoppedError, match="after step 2 of 4"):
            train_encoder(encoder, table, SIX_DEV, recipe, 42, around)


def test_two_processes_train_as_one_with_the_whole_batch(tiny_encoder, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {"WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tiny_encoder("bert")), str(tmp_path / "many")],
        env={**os.environ, **shared, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    train_all(str(tiny_encoder("bert")), str(tmp_path / "alone"))
    for kind in KINDS:
        assert_same(tmp_path, kind)


def assert_same(folder, kind):
    one, many = (pd.read_json(folder / f"{name}-{kind}-0.json") for name in ("alone", "many"))
    assert one.sentences.tolist() == many.sentences.tolist()
    assert many.loss.to_numpy() == pytest.approx(one.loss.to_numpy(), abs=1e-9)
    assert many.dev_score.to_numpy() == pytest.approx(one.dev_score, abs=1e-9, nan_ok=True)
    for what in ("gradients", "weights"):
        expected = load_file(folder / f"alone-{kind}-0.{what}")
        for rank in range(RANKS):
            tensors = load_file(folder / f"many-{kind}-{rank}.{what}")
            torch.testing.assert_close(tensors, expected, rtol=1e-9, atol=1e-9)
