"""What runs a model runs in the precision that is asked for, and that is near float32."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from contrapose import stage
from contrapose.encoders import devices
from contrapose.encoders.devices import chosen_precision
from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import encoder_of, load_encoder
from contrapose.encoders.products import Choice
from contrapose.errors import ConfigError
from contrapose.pairs.rows import as_pairs
from contrapose.score import parascores
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.train.classifier import new_classifier, outputs_of
from contrapose.train.loop import RunOptions
from contrapose.train.tension import train_contrastive_tension
from tests.unit.train.test_loop import recipe, trained
from tests.unit.train.trainings import DEV, SIX, equal_weights

TEXTS = SIX.tolist()
ROUNDING = 2**-8  # of bf16, whose fraction has 7 bits; errors of a few layers add up


def near(found: np.ndarray, exact: np.ndarray) -> bool:
    """Whether numbers are those of bf16: not equal, and no further away than a few roundings."""
    return 0 < np.abs(found - exact).max() < 8 * ROUNDING * np.abs(exact).max()


def test_auto_is_bf16_on_a_gpu_that_has_it_and_float32_elsewhere(monkeypatch):
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    monkeypatch.setattr(devices, "choice", lambda: Choice(onednn=True, bf16=False))
    assert chosen_precision("auto", cpu, of_encoder=True) == torch.float32
    assert chosen_precision("float32", cpu) == torch.float32
    assert chosen_precision("bf16", cpu) == torch.bfloat16
    before = torch.backends.cuda.matmul.fp32_precision
    assert before != "tf32"
    try:
        for has_it, expected in ((True, torch.bfloat16), (False, torch.float32)):
            monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda has_it=has_it, **_: has_it)
            assert chosen_precision("auto", gpu) == expected
        assert torch.backends.cuda.matmul.fp32_precision == "tf32"
        assert chosen_precision("fp16", gpu) == torch.float16
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


def test_auto_is_bf16_for_an_encoder_on_a_cpu_that_is_faster_in_it(monkeypatch):
    monkeypatch.setattr(devices, "choice", lambda: Choice(onednn=False, bf16=True))
    cpu = torch.device("cpu")
    assert chosen_precision("auto", cpu, of_encoder=True) == torch.bfloat16
    assert chosen_precision("auto", cpu) == chosen_precision("float32", cpu, of_encoder=True) == torch.float32


def test_fp16_on_a_cpu_is_an_error():
    with pytest.raises(ConfigError, match="precision fp16 needs a GPU and the device is cpu"):
        chosen_precision("fp16", torch.device("cpu"))


def test_tables_name_the_precision_of_the_models_behind_them(monkeypatch):
    job = SimpleNamespace(rule="x", wildcards={}, params=SimpleNamespace(settings="{}", code=""))
    monkeypatch.setattr(devices, "USED", set())
    assert "precision" not in stage.provenance(job)
    chosen_precision("bf16", torch.device("cpu"))
    assert stage.provenance(job)["precision"] == ["bf16"]


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_an_encoder_in_bf16_gives_float32_vectors_near_those_of_float32(tiny_encoder, model_type):
    folder = str(tiny_encoder(model_type))
    exact = embeddings(load_encoder(folder), TEXTS)
    found = embeddings(encoder_of(EncoderSettings(precision="bf16"), folder, "cpu"), TEXTS)
    assert found.dtype == np.float32
    assert near(found, exact)
    same = embeddings(encoder_of(EncoderSettings(), folder, "cpu"), TEXTS)
    assert np.array_equal(same, exact)


def test_bertscore_runs_in_the_encoders_precision(tiny_encoder):
    pairs = as_pairs(SIX.index.astype(str).to_series(), SIX, SIX[::-1].set_axis(SIX.index)).assign(slot=0)
    jobs = [EncoderSettings(precision=precision) for precision in ("float32", "bf16")]
    exact, found = (parascores.build(job, pairs, encoder_of(job, str(tiny_encoder()), "cpu")) for job in jobs)
    assert near(found.f1.to_numpy(), exact.f1.to_numpy())


def test_a_classifier_in_bf16_gives_outputs_near_those_of_float32(tiny_encoder):
    classifier = new_classifier(tiny_encoder(), 2, 42, 16)
    exact = outputs_of(classifier, TEXTS, 3)
    assert near(outputs_of(classifier.on("cpu", "bf16"), TEXTS, 3), exact)
    assert np.array_equal(outputs_of(classifier.on("cpu", "auto"), TEXTS, 3), exact)


def test_a_recipe_without_a_precision_trains_in_that_of_the_config_and_its_own_comes_first(tiny_encoder):
    plain, folder = {"dropout": 0.0, "dev_every": 1}, tiny_encoder("bert")
    exact, exact_history = trained(folder, recipe(**plain))
    found, history = trained(folder, recipe(**plain), precision="bf16")
    assert 0 < abs(history.loss[0] - exact_history.loss[0]) < 0.1
    assert found.precision == torch.bfloat16  # of its dev scores
    _, own_history = trained(folder, recipe(**plain, precision="float32"), precision="bf16")
    assert own_history.loss[0] == exact_history.loss[0]
    assert {each.dtype for each in found.parameters()} == {torch.float32}
    assert not equal_weights(found, exact)


def test_contrastive_tension_trains_in_the_precision_of_the_config(tiny_encoder):
    spec = ContrastiveTensionRecipe(
        kind="contrastive_tension", encoder="x", batch_size=8, negatives=3, steps=2, max_length=8
    )
    losses = []
    for precision in ("float32", "bf16"):
        around = RunOptions("cpu", precision)
        history, _ = train_contrastive_tension(load_encoder(tiny_encoder()), TEXTS, DEV, spec, 1, around)
        losses.append(pd.Series(history.loss).to_numpy())
    assert 0 < abs(losses[0][0] - losses[1][0]) < 0.1 * abs(losses[0][0])
