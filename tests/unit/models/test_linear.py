"""Linear layers, through oneDNN or not, against PyTorch's own; and in bf16 against float32."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

from contrapose.models import linear as module
from contrapose.models.linear import linear, with_fast_layers
from contrapose.models.matmul import Backend

SHAPES = [((7, 5), 3), ((2, 9, 16), 32), ((1, 4), 4), ((300, 128), 512)]


@pytest.fixture(params=[True, False], ids=["onednn", "pytorch"], autouse=True)
def onednn(request, monkeypatch):
    """Let every test run with both choices."""
    monkeypatch.setattr(module, "matmul_backend", lambda: Backend(request.param, bf16=False))
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


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_take_pytorchs_own_way(dtype):
    inputs, weight = torch.ones(2, 3, dtype=dtype), torch.ones(4, 3, dtype=dtype)
    assert torch.equal(linear(inputs, weight), functional.linear(inputs, weight))
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(torch.ones(2, 3), torch.ones(4, 3)).dtype == torch.bfloat16


def test_every_product_goes_through_the_backend_in_few_shapes(monkeypatch, onednn):
    met = set()

    def noted(left, right, bias=None, product=module.onednn_product):
        met.add((left.shape, right.shape))
        return product(left, right, bias)

    monkeypatch.setattr(module, "onednn_product", noted)
    weight = torch.ones(8, 4, requires_grad=True)
    for rows in range(1, 129):
        linear(torch.ones(rows, 4, requires_grad=True), weight).sum().backward()
    assert len(met) == (6 if onednn else 0)  # of 64 and 128 rows: forward, gradients of inputs and weight
    assert torch.equal(weight.grad, torch.full((8, 4), 128 * 129 / 2))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products_in_bf16_have_gradients_in_float32(dtype):
    torch.manual_seed(0)
    inputs, weight, bias = torch.randn(70, 33, dtype=dtype), torch.randn(20, 33), torch.randn(20)
    leaves = [each.requires_grad_() for each in (inputs, weight, bias)]
    with torch.autocast("cpu", torch.bfloat16):
        value = linear(*leaves)
    assert value.dtype == torch.bfloat16
    above = torch.randn(70, 20).bfloat16()
    value.backward(above)
    rounded = [each.detach().bfloat16().double().requires_grad_() for each in leaves]
    exact = functional.linear(*rounded)
    exact.backward(above.double())
    assert torch.allclose(value.double(), exact, rtol=2**-8, atol=2**-8)
    for ours, theirs, expected in zip(leaves, rounded, (dtype, torch.float32, torch.float32), strict=True):
        assert ours.grad.dtype == expected
        assert torch.allclose(ours.grad.double(), theirs.grad, rtol=2**-7, atol=2**-4)


def test_a_model_gives_the_same_with_fast_layers_and_keeps_its_weights():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), Conv1D(5, 12), nn.Linear(5, 2, bias=False))
    inputs = torch.randn(3, 4, 8)
    before, names = model(inputs), {name: each.clone() for name, each in model.state_dict().items()}
    with_fast_layers(model)
    assert [type(each).__name__ for each in model] == ["FastLinear", "ReLU", "FastConv1D", "FastLinear"]
    assert torch.allclose(model(inputs), before, atol=1e-6)
    assert all(torch.equal(each, names[name]) for name, each in model.state_dict().items())
