"""One batch over two processes (gloo, on the CPU) against the whole batch in one."""

import os
import runpy
import subprocess
import sys

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file

from contrapose.train import loop

PROGRAM = """
import os, signal, sys
from pathlib import Path
import pandas as pd
from safetensors.torch import save_file
from torch import distributed
from contrapose.settings.recipes import Recipe
from contrapose.errors import StoppedError
from contrapose.pairs.rows import as_pairs
from contrapose.train.checkpoint import Checkpoints, copied
from contrapose.train.encoder import load_encoder, new_encoder
from contrapose.train import loop

folder, out = sys.argv[1:]
TEXTS = pd.Series(["a cat sat", "the dog ran away", "big bird", "a small red tree", "the mat", "quick cat"])
DEV = pd.DataFrame({"sentence1": TEXTS, "sentence2": TEXTS[::-1].array, "score": [1.0, 3, 2, 5, 4, 0]})
ids = TEXTS.index.astype(str).to_series()
views = [
    as_pairs(ids, TEXTS, TEXTS + " on a mat", negative=TEXTS[::-1].array),
    as_pairs(ids, TEXTS, TEXTS + " in the park", view=1),
]
weights = pd.Series([0.1, 0.9, 0.3, 1, 0.7, 0.2])
labelled = as_pairs(ids, TEXTS, TEXTS[::-1], label=0.9 * weights[::-1], weight=weights)
kinds = {
    "info_nce": (pd.concat(views, ignore_index=True), {"dev_every": 1}),
    "cosine_error": (labelled, {"loss": "cosine_error", "dev_every": 1}),
    # Ends after two of four epochs, as only the first process can say.
    "rankcse": (
        as_pairs(ids, TEXTS, TEXTS),
        {
            "consistency": 1.0, "distillation": 0.5, "teacher": "any", "pooler": "avg",
            "dev_every": "epoch", "patience": 1, "epochs": 4,
        },
    ),
}
kinds = {"stopped": kinds["info_nce"], **kinds}

seen = []
summing = loop.sum_gradients
def noted(module):
    summing(module)
    seen.append({name: each.grad.clone() for name, each in module.named_parameters()})
loop.sum_gradients = noted

# Until the last process is asked to end in its second step.
def stopped(around):
    step = loop.Training.step
    def asked(training, *rest):
        step(training, *rest)
        if training.progress.step == 2 and training.accelerator.process_index == loop.ranks() - 1:
            os.kill(os.getpid(), signal.SIGTERM)
    loop.Training.step = asked
    try:
        loop.train_encoder(new_encoder(folder, recipe, 42).double(), table, DEV, recipe, 42, around)
    except StoppedError as error:
        assert "after step 2 of 4" in str(error)
    else:
        raise AssertionError("nobody stopped it")
    finally:
        loop.Training.step = step

teacher = load_encoder(folder, pooling="avg")
for kind, (table, changes) in kinds.items():
    settings = {"batch_size": 5, "max_length": 8, "learning_rate": 1e-3, "dropout": 0.0, "epochs": 2}
    recipe = Recipe(**{**settings, "view_weight": 0.5, **changes})
    if kind == "rankcse":
        loop.dev_scorer = lambda *_: lambda: next(scores)
        scores = iter([0.5, 0.4])
    encoder = new_encoder(folder, recipe, 42).double()
    checkpoints = Checkpoints(Path(f"{out}-state")) if kind == "stopped" else None
    around = loop.Surroundings("cpu", checkpoints=checkpoints)
    seen.clear()
    if kind == "stopped" and "RANK" in os.environ:
        stopped(around)
    taught = teacher if recipe.teacher else None
    history, _ = loop.train_encoder(encoder, table, DEV, recipe, 42, around, taught)
    rank = distributed.get_rank() if distributed.is_initialized() else 0
    history.to_json(f"{out}-{kind}-{rank}.json")
    save_file(copied(seen[0].items()), f"{out}-{kind}-{rank}.gradients")
    save_file(copied(encoder.state_dict().items()), f"{out}-{kind}-{rank}.weights")
"""


RANKS = 2


def test_two_processes_train_as_one_with_the_whole_batch(tiny_encoder, tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    arguments = [str(program), str(tiny_encoder("bert")), str(tmp_path / "alone")]
    monkeypatch.setattr(sys, "argv", arguments)
    for replaced in ("sum_gradients", "dev_scorer"):  # by the program
        monkeypatch.setattr(loop, replaced, getattr(loop, replaced))
    runpy.run_path(str(program))
    arguments[-1] = str(tmp_path / "many")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "torch.distributed.run",
            f"--nproc-per-node={RANKS}",
            "--standalone",
            *arguments,
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    # Batches of 5 and 1 pairs: of the last one, a process has no pair at all.
    assert_same(tmp_path, "info_nce", [20, 24, 44, 48])
    assert_same(tmp_path, "cosine_error", [10, 12, 22, 24])
    assert_same(tmp_path, "rankcse", [10, 12, 22, 24])
    # One of two processes is asked to end in the middle: both do, and go on from the checkpoint.
    assert_same(tmp_path, "stopped", [20, 24, 44, 48])


def assert_same(folder, loss, sentences):
    expected, found = (pd.read_json(folder / f"{name}-{loss}-0.json") for name in ("alone", "many"))
    assert expected.sentences.tolist() == found.sentences.tolist() == sentences
    assert found.loss.to_numpy() == pytest.approx(expected.loss.to_numpy(), abs=1e-9)
    assert found.dev_score.to_numpy() == pytest.approx(expected.dev_score, abs=1e-9, nan_ok=True)
    for kind in ("gradients", "weights"):
        one = load_file(folder / f"alone-{loss}-0.{kind}")
        for rank in range(RANKS):
            other = load_file(folder / f"many-{loss}-{rank}.{kind}")
            assert one.keys() == other.keys()
            for name, each in one.items():
                assert torch.allclose(each, other[name], rtol=1e-9, atol=1e-9), (loss, kind, rank, name)
