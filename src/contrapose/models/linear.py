"""Linear layers on a CPU: in float32 through PyTorch's own way or oneDNN, or with products in bf16."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

from contrapose.models.dropout import FastDropout
from contrapose.models.matmul import matmul_backend, onednn_product

# Rows are padded with zeros to a multiple of this: oneDNN caches up to 2 MB for each shape it has seen, which
# added up to gigabytes for the varying token counts of training.
ROWS = 64


def half_precision(device: torch.device) -> bool:
    """Whether autocast asks for bf16 on a CPU."""
    on_cpu = device.type == "cpu" and torch.is_autocast_enabled("cpu")
    return on_cpu and torch.get_autocast_dtype("cpu") == torch.bfloat16


def spare_rows(rows: int, device: torch.device, half: bool = False) -> int:
    """Return how many zero rows `linear` would add; adding them once beforehand avoids its copies."""
    return -rows % ROWS if device.type == "cpu" and (half or matmul_backend().onednn) else 0


class _Linear(torch.autograd.Function):
    """Products through oneDNN."""

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        context.rows = rows = len(inputs)
        filled = functional.pad(inputs, (0, 0, 0, -rows % ROWS)) if rows % ROWS else inputs
        context.save_for_backward(filled, weight)
        return onednn_product(filled, weight, bias)[:rows]

    @staticmethod
    @once_differentiable
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = context.saved_tensors
        above, needed = gradients[0].contiguous(), context.needs_input_grad
        if spare := len(inputs) - context.rows:
            above = functional.pad(above, (0, 0, 0, spare))
        return (
            onednn_product(above, weight.t())[: context.rows] if needed[0] else None,
            onednn_product(above.t(), inputs.t()) if needed[1] else None,
            above.sum(dim=0) if needed[2] else None,
        )


class _HalfLinear(torch.autograd.Function):
    """Products in bf16; gradients of weight and bias are float32, that of the inputs is like the inputs."""

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None, half: Tensor) -> Tensor:
        context.dtype = inputs.dtype
        inputs = inputs.bfloat16()
        context.save_for_backward(inputs, half)
        return functional.linear(inputs, half, None if bias is None else bias.bfloat16())

    @staticmethod
    @once_differentiable
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, half = context.saved_tensors
        above, needed = gradients[0], context.needs_input_grad
        return (
            (above @ half).to(context.dtype) if needed[0] else None,
            (above.t() @ inputs).float() if needed[1] else None,
            above.sum(dim=0).float() if needed[2] else None,
            None,
        )


_halves: ContextVar[dict[int, Tensor] | None] = ContextVar("halves", default=None)


@contextmanager
def half_weights() -> Iterator[None]:
    """Round each weight to bf16 once, meanwhile, where products are in bf16 on a CPU: not for each piece."""
    token = _halves.set({})
    try:
        yield
    finally:
        _halves.reset(token)


def _half(weight: Tensor) -> Tensor:
    known = _halves.get()
    if known is None:
        return weight.detach().bfloat16()
    if id(weight) not in known:
        known[id(weight)] = weight.detach().bfloat16()
    return known[id(weight)]


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `nn.functional.linear`, on a CPU through what is faster there.

    Equal but for rounding; no second derivatives.  Inputs (..., k), weight (m, k) and bias (m,) give
    (..., m), in bf16 where autocast asks for it: gradients of weight and bias are float32 even so.
    """
    if not inputs.numel() or inputs.device.type != "cpu":
        return functional.linear(inputs, weight, bias)
    rows = inputs.reshape(-1, inputs.shape[-1])
    if half_precision(inputs.device) and weight.dtype == torch.float32:
        return _HalfLinear.apply(rows, weight, bias, _half(weight)).view(*inputs.shape[:-1], -1)
    # Lower precision goes through oneDNN anyway.
    is_float = inputs.dtype == weight.dtype == torch.float32
    if not is_float or torch.is_autocast_enabled("cpu") or not matmul_backend().onednn:
        return functional.linear(inputs, weight, bias)
    return _Linear.apply(rows, weight, bias).view(*inputs.shape[:-1], -1)


class FastLinear(nn.Linear):
    """An `nn.Linear` that uses `linear`."""

    def forward(self, inputs: Tensor) -> Tensor:
        return linear(inputs, self.weight, self.bias)


class FastConv1D(Conv1D):
    """GPT-2's linear layer, whose weight is (k, m), using `linear`."""

    def forward(self, inputs: Tensor) -> Tensor:
        return linear(inputs, self.weight.t(), self.bias)


def with_fast_layers(model: nn.Module) -> nn.Module:
    """Make linear layers use `linear`, and dropout `dropped`.  The model is modified in place.

    Its weights stay the same.
    """
    for module in model.modules():
        for plain, fast in ((nn.Linear, FastLinear), (Conv1D, FastConv1D), (nn.Dropout, FastDropout)):
            if type(module) is plain:
                module.__class__ = fast
    return model
