import json
from pathlib import Path

import pytest
import torch
from contrapose.plan import Plan
from safetensors import safe_open
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModel, BertConfig, BertModel

from contrapose.errors import ConfigError
from contrapose.forecast import compute
from contrapose.forecast.compute import Device, forward_flops, parameters, shape_of, training_flops
from contrapose.settings.worlds import Shape

HOME = Path(__file__).parents[3]
HUB = Plan({"world": "hub"}, HOME)
MINI = HOME / "resources" / "mini" / "encoders"


def counted_flops(model, sentences: int, tokens: int, backward: bool) -> int:
    """Count the operations of a forward (and a backward) pass with PyTorch's own counter."""
    ids = torch.ones(sentences, tokens, dtype=torch.long, device=next(model.parameters()).device)
    with FlopCounterMode(display=False) as counter:
        output = model(input_ids=ids).last_hidden_state
        if backward:
            output.sum().backward()
    return counter.get_total_flops()


def bert_base():
    """A model of BERT-base's shape that has no memory: shapes are enough to count operations."""
    with torch.device("meta"):
        return BertModel(BertConfig(attn_implementation="eager"), add_pooling_layer=False).train()


def mini(role: str):
    model = AutoModel.from_pretrained(MINI / role, attn_implementation="eager", add_pooling_layer=False)
    return model.float().train()


@pytest.mark.parametrize("role", ["bert-base", "roberta-base", "roberta-large"])
def test_operations_are_those_that_pytorch_counts(role):
    shape, model = shape_of(Plan({}, HOME), role), mini(role)
    assert 3 * forward_flops(shape, 32) == pytest.approx(counted_flops(model, 3, 32, False), rel=1e-6)
    assert 3 * training_flops(shape, 32) == pytest.approx(counted_flops(model, 3, 32, True), rel=1e-6)


def test_operations_of_bert_base_are_those_that_pytorch_counts():
    shape = shape_of(HUB, "bert-base")
    assert 2 * forward_flops(shape, 64) == pytest.approx(counted_flops(bert_base(), 2, 64, False), rel=1e-6)
    assert 2 * training_flops(shape, 64) == pytest.approx(counted_flops(bert_base(), 2, 64, True), rel=1e-6)


@pytest.mark.parametrize(
    ("role", "published"),
    # Of the released models with their pooling layer: 110M, 125M, 355M.
    [("bert-base", 109_482_240), ("roberta-base", 124_645_632), ("roberta-large", 355_359_744)],
)
def test_hub_shapes_give_the_parameters_of_the_released_models(role, published):
    shape = shape_of(HUB, role)
    assert parameters(shape) + shape.hidden_size**2 + shape.hidden_size == published


@pytest.mark.parametrize("role", ["bert-base", "roberta-base", "roberta-large"])
def test_parameters_are_those_in_the_weights(role):
    with safe_open(MINI / role / "model.safetensors", framework="pt") as file:
        counted = sum(file.get_tensor(name).numel() for name in file.keys() if "pooler" not in name)  # noqa: SIM118
    assert parameters(shape_of(Plan({}, HOME), role)) == counted


def test_a_cached_model_of_another_shape_stops_the_plan(tmp_path, monkeypatch):
    config = tmp_path / "config.json"
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_, **__: str(config))
    told = HUB.world.encoders["bert-base"].shape
    config.write_text(told.model_dump_json())
    assert shape_of(HUB, "bert-base") == told
    config.write_text(json.dumps({**told.model_dump(), "num_hidden_layers": 6}))
    with pytest.raises(ConfigError, match=r"encoders\.bert-base\.shape is num_hidden_layers=12"):
        shape_of(HUB, "bert-base")


def test_a_configuration_in_other_words_than_berts_has_no_known_shape(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "distilbert", "n_layers": 6, "dim": 768, "vocab_size": 30522}')
    assert compute.read_shape(str(path), Shape) is None


def test_hours_follow_precision_and_utilisation():
    device = Device("A", half=300, single=20, utilisation=0.5)
    assert device.hours(150e12 * 3600, "bf16") == 1
    assert device.hours(10e12 * 3600) == 1


def test_attention_grows_with_the_square_of_the_length():
    one = Shape(
        num_hidden_layers=1, hidden_size=2, intermediate_size=3,
        vocab_size=5, max_position_embeddings=7, type_vocab_size=1,
    )  # fmt: skip
    # Per token 2 x (4 x 2 x 2 + 2 x 2 x 3) = 56 for the weights and 4 x 10 x 2 = 80 for attention.
    assert forward_flops(one, 10) == 10 * (56 + 80)
