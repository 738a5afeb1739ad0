"""What runs a model runs in the precision that is asked for, and that is near float32."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from contrapose.jobs import stage
from contrapose.models import devices
from contrapose.models.classifier import new_classifier, outputs_of
from contrapose.models.devices import chosen_precision
from contrapose.models.embeddings import embeddings
from contrapose.models.matmul import Backend
from contrapose.models.sentence_encoder import encoder_of
from contrapose.pairs.pair_rows import as_pairs
from contrapose.score import parascores
from contrapose.settings.encoders import EncoderSettings
from tests.unit.train.test_loop import recipe, trained
from tests.unit.train.trainings import IDS, SIX, equal_weights

TEXTS = SIX.tolist()
ROUNDING = 2**-8  # of bf16, whose fraction has 7 bits; errors of a few layers add up


CPU, GPU = torch.device("cpu"), torch.device("cuda")


@pytest.mark.parametrize(
    ("precision", "of_encoder", "faster_in_bf16", "expected"),
    [
        ("auto", True, False, torch.float32),
        ("auto", True, True, torch.bfloat16),
        ("auto", False, True, torch.float32),
        ("float32", True, True, torch.float32),
        ("bf16", False, False, torch.bfloat16),
    ],
)
def test_auto_is_bf16_for_an_encoder_on_a_cpu_that_is_faster_in_it(
    precision, of_encoder, faster_in_bf16, expected, monkeypatch
):
    monkeypatch.setattr(devices, "matmul_backend", lambda: Backend(onednn=True, bf16=faster_in_bf16))
    assert chosen_precision(precision, CPU, of_encoder=of_encoder) == expected


def test_auto_is_bf16_on_a_gpu_that_has_it_and_products_take_tf32_elsewhere(monkeypatch):
    before = torch.backends.cuda.matmul.fp32_precision
    assert before != "tf32"
    try:
        for has_it, expected in ((True, torch.bfloat16), (False, torch.float32)):
            monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda has_it=has_it, **_: has_it)
            assert chosen_precision("auto", GPU) == expected
        assert torch.backends.cuda.matmul.fp32_precision == "tf32"
        assert chosen_precision("fp16", GPU) == torch.float16
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


def test_tables_name_the_precision_of_the_models_behind_them(monkeypatch):
    job = SimpleNamespace(rule="x", wildcards={}, params=SimpleNamespace(settings="{}", code=""))
    monkeypatch.setattr(devices, "USED", set())
    assert "precision" not in stage.provenance(job)
    chosen_precision("bf16", CPU)
    assert stage.provenance(job)["precision"] == ["bf16"]


def vectors(precision, folder):
    return embeddings(encoder_of(EncoderSettings(precision=precision), str(folder), "cpu"), TEXTS)


def f1_of_bertscore(precision, folder):
    job = EncoderSettings(precision=precision)
    pairs = as_pairs(IDS[:6], SIX, SIX[::-1].set_axis(SIX.index)).assign(slot=0)
    return parascores.build(job, pairs, encoder_of(job, str(folder), "cpu")).f1.to_numpy()


def outputs_of_a_classifier(precision, folder):
    return outputs_of(new_classifier(folder, 2, 42, 16).on("cpu", precision), TEXTS, 3)


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
@pytest.mark.parametrize("numbers", [vectors, f1_of_bertscore, outputs_of_a_classifier])
def test_numbers_in_bf16_are_near_those_of_float32(numbers, model_type, tiny_encoder):
    exact, rounded, auto = (numbers(each, tiny_encoder(model_type)) for each in ("float32", "bf16", "auto"))
    assert rounded.dtype == exact.dtype
    assert 0 < np.abs(rounded - exact).max() < 8 * ROUNDING * np.abs(exact).max()
    assert np.array_equal(auto, exact)


def test_the_precision_of_a_recipe_precedes_that_of_the_config(tiny_encoder):
    plain, folder = {"dropout": 0.0, "dev_every": 1}, tiny_encoder("bert")
    exact, exact_history = trained(folder, recipe(**plain))
    encoder, history = trained(folder, recipe(**plain), precision="bf16")
    assert 0 < abs(history.loss[0] - exact_history.loss[0]) < 0.1
    assert encoder.precision == torch.bfloat16  # of its dev scores
    for of_config, of_recipe, expected in (("bf16", "float32", exact_history), ("auto", "bf16", history)):
        _, by_recipe = trained(folder, recipe(**plain, precision=of_recipe), precision=of_config)
        assert by_recipe.loss[0] == expected.loss[0]
    assert {each.dtype for each in encoder.parameters()} == {torch.float32}
    assert not equal_weights(encoder, exact)


@pytest.mark.parametrize("has", [True, False])
def test_bf16_that_a_processor_only_emulates_is_warned_of(has: bool, caplog, monkeypatch):
    monkeypatch.setattr(devices, "has_bf16", lambda: has)
    assert chosen_precision("bf16", CPU) is torch.bfloat16
    assert ("many times slower than float32" in caplog.text) is not has
