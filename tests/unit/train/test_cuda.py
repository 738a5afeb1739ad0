"""What is tested on the CPU elsewhere gives the same on a GPU, but for rounding."""

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose.models.checkpoint import Checkpoints, CheckpointWriter
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.train.recipe import Recipe
from tests.unit.train.test_resume import STEPS, saving
from tests.unit.train.test_tsdae import PAIRS, TSDAE
from tests.unit.train.trainings import DEV, LABELLED, LONGER, SIX, WEIGHTED, same, trained

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA finds no GPU here")
WITHOUT_CHANCE = {**STEPS, "dropout": 0.0}


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 2e-3), ("bf16", 3e-2), ("fp16", 5e-3)])
def test_vectors_are_those_of_the_cpu(precision, tolerance, tiny_encoder):
    texts = [*SIX, *LONGER] * 50  # more than fit in a batch of the CPU
    cpu, gpu = load_encoder(tiny_encoder()), load_encoder(tiny_encoder()).to("cuda")
    gpu.precision = getattr(torch, {"bf16": "bfloat16", "fp16": "float16"}.get(precision, precision))
    expected, vectors = embeddings(cpu, texts), embeddings(gpu, texts)
    assert (np.linalg.norm(vectors - expected, axis=1) / np.linalg.norm(expected, axis=1)).max() < tolerance


KINDS = {
    "pairs": {"pairs": same()},
    "weights and hard negatives": {"pairs": WEIGHTED, "loss": "cosine_similarity"},
    "cosines as labels": {"pairs": LABELLED, "loss": "cosent"},
    "queue": {"pairs": same(), "momentum_queue_size": 9},
    "MLP": {"pairs": same(), "mlp": "always"},
    "tsdae": {"pairs": PAIRS, **TSDAE},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["float32", "bf16"])
def test_a_training_has_the_losses_of_the_cpu(kind, precision, tiny_encoder):
    pairs, settings = KINDS[kind]["pairs"], {**WITHOUT_CHANCE, **KINDS[kind]}
    recipe = Recipe(**{name: value for name, value in settings.items() if name != "pairs"})
    _, cpu = trained(tiny_encoder(), recipe, pairs, precision="float32")
    encoder, gpu = trained(tiny_encoder(), recipe, pairs, device="cuda", precision=precision)
    assert encoder.device.type == "cuda"
    np.testing.assert_allclose(gpu.loss, cpu.loss, rtol=0.05 if precision == "bf16" else 5e-3, atol=1e-3)


@pytest.mark.parametrize("recompute", [False, True])
def test_a_killed_training_goes_on(recompute, tiny_encoder, tmp_path, monkeypatch):
    recipe, around = Recipe(**STEPS), {"device": "cuda", "recompute": recompute}
    _, whole = trained(tiny_encoder(), recipe, same(), DEV, **around)
    checkpoints = Checkpoints(tmp_path, 0)
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "save", saving([], 2))
        with pytest.raises(KeyboardInterrupt):
            trained(tiny_encoder(), recipe, same(), DEV, checkpoints=checkpoints, **around)
    _, resumed = trained(tiny_encoder(), recipe, same(), DEV, checkpoints=checkpoints, **around)
    pd.testing.assert_frame_equal(resumed, whole, rtol=1e-3)  # dropout's masks go on, too
