"""Linear layers, each product through oneDNN or not, against PyTorch's own."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

from contrapose.train import linear as module
from contrapose.train.linear import linear, spare_rows, with_fast_layers
from contrapose.train.products import ALL_ONEDNN, ALL_PYTORCH, Choice

SHAPES = [((7, 5), 3), ((2, 9, 16), 32), ((1, 4), 4), ((300, 128), 512)]
CHOICES = [ALL_ONEDNN, ALL_PYTORCH, Choice(True, True, False), Choice(False, False, True)]


@pytest.fixture(params=CHOICES, ids=str, autouse=True)
def through(request, monkeypatch):
    """Let every test run with these choices."""
    monkeypatch.setattr(module, "choice", lambda: request.param)
    return request.param


@pytest.mark.parametrize(("shape", "outputs"), SHAPES)
@pytest.mark.parametrize("with_bias", [True, False])
def test_values_and_gradients_are_those_of_pytorch(shape, outputs, with_bias):
    torch.manual_seed(0)
    leaves = [torch.randn(shape), torch.randn(outputs, shape[-1]), torch.randn(outputs)][: 2 + with_bias]
    results = []
    for function in (functional.linear, linear):
        given = [each.clone().requires_grad_() for each in leaves]
        value = function(*given)
        (value**2).mean().backward()
        results.append([value.detach(), *(each.grad for each in given)])
    for theirs, ours in zip(*results, strict=True):
        assert ours.shape == theirs.shape
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-5 * theirs.abs().max())


def test_inputs_and_weights_may_be_transposed_and_there_may_be_no_row():
    assert linear(torch.ones(0, 3), torch.ones(4, 3)).shape == (0, 4)
    inputs, weight = torch.randn(6, 11), torch.randn(6, 4)
    assert torch.allclose(linear(inputs.t(), weight.t()), inputs.t() @ weight, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_take_pytorchs_own_way(dtype):
    inputs, weight = torch.ones(2, 3, dtype=dtype), torch.ones(4, 3, dtype=dtype)
    assert torch.equal(linear(inputs, weight), functional.linear(inputs, weight))
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(torch.ones(2, 3), torch.ones(4, 3)).dtype == torch.bfloat16


def test_every_product_goes_where_the_choice_says_and_onednn_meets_few_shapes(monkeypatch, through):
    met = {True: set(), False: set()}

    def noted(onednn, left, right, bias=None, product=module._product):
        met[onednn].add((left.shape, right.shape))
        return product(onednn, left, right, bias)

    monkeypatch.setattr(module, "_product", noted)
    weight = torch.ones(8, 4, requires_grad=True)
    for rows in range(1, 129):
        linear(torch.ones(rows, 4, requires_grad=True), weight).sum().backward()
    # Of 64 and 128 rows: forward, and the gradients of inputs and weight.
    assert len(met[True]) == 2 * sum(through)
    assert len(met[False]) == (2 * (3 - sum(through)) if any(through) else 0)  # none: all left to PyTorch
    assert torch.equal(weight.grad, torch.full((8, 4), 128 * 129 / 2))


def test_rows_are_added_for_onednn_alone(through):
    cpu, other = torch.device("cpu"), torch.device("cuda")
    assert [spare_rows(rows, cpu) for rows in (1, 64, 100)] == ([63, 0, 28] if any(through) else [0, 0, 0])
    assert spare_rows(1, other) == 0


def test_a_model_gives_the_same_with_fast_layers_and_keeps_its_weights():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), Conv1D(5, 12), nn.Linear(5, 2, bias=False))
    inputs = torch.randn(3, 4, 8)
    before, names = model(inputs), {name: each.clone() for name, each in model.state_dict().items()}
    with_fast_layers(model)
    assert [type(each).__name__ for each in model] == ["FastLinear", "ReLU", "FastConv1D", "FastLinear"]
    assert torch.allclose(model(inputs), before, atol=1e-6)
    assert all(torch.equal(each, names[name]) for name, each in model.state_dict().items())
