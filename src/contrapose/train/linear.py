"""Linear layers in float32 on a CPU, with the faster of two libraries for each product.

`contrapose.train.products` says which: PyTorch's own way or oneDNN.  All else is left to PyTorch.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

from contrapose.train.products import Choice, choice, onednn_product

# Rows are padded with zeros to a multiple of this: oneDNN caches up to 2 MB for each shape it has seen, which
# added up to gigabytes for the varying token counts of training.
ROWS = 64


def spare_rows(rows: int, device: torch.device) -> int:
    """Return how many zero rows `linear` would add; adding them once beforehand avoids its copies."""
    return -rows % ROWS if device.type == "cpu" and any(choice()) else 0


def _product(onednn: bool, left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left (n, k) times the transpose of right (m, k), plus bias (m,): (n, m)."""
    return (onednn_product if onednn else functional.linear)(left, right, bias)


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None, through: Choice) -> Tensor:
        rows = len(inputs)
        filled = functional.pad(inputs, (0, 0, 0, -rows % ROWS)) if rows % ROWS else inputs
        context.rows, context.through = rows, through
        context.save_for_backward(filled, weight)
        return _product(through.forward, filled, weight, bias)[:rows]

    @staticmethod
    @once_differentiable
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = context.saved_tensors
        above = gradients[0].contiguous()
        if spare := len(inputs) - context.rows:
            above = functional.pad(above, (0, 0, 0, spare))
        wanted, through = context.needs_input_grad, context.through
        return (
            _product(through.inputs, above, weight.t())[: context.rows] if wanted[0] else None,
            _product(through.weight, above.t(), inputs.t()) if wanted[1] else None,
            above.sum(dim=0) if wanted[2] else None,
            None,
        )


def _is_float32_on_cpu(inputs: Tensor, weight: Tensor) -> bool:
    return (
        inputs.device.type == "cpu"
        and inputs.dtype == weight.dtype == torch.float32
        and inputs.numel() > 0
        and not torch.is_autocast_enabled("cpu")  # lower precision goes through oneDNN anyway
    )


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `nn.functional.linear`, in float32 on a CPU through what is faster there.

    Equal but for rounding; no second derivatives.  Inputs (..., k), weight (m, k) and bias (m,) give
    (..., m).
    """
    if not _is_float32_on_cpu(inputs, weight) or not any(through := choice()):
        return functional.linear(inputs, weight, bias)
    flat = inputs.reshape(-1, inputs.shape[-1])
    return _Linear.apply(flat, weight, bias, through).view(*inputs.shape[:-1], -1)


class FastLinear(nn.Linear):
    """An `nn.Linear` that uses `linear`."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (..., k) to (..., m)."""
        return linear(inputs, self.weight, self.bias)


class FastConv1D(Conv1D):
    """GPT-2's linear layer, whose weight is (k, m), using `linear`."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Map (..., k) to (..., m)."""
        return linear(inputs, self.weight.t(), self.bias)


def with_fast_layers(model: nn.Module) -> nn.Module:
    """Make every linear layer use `linear`.  The model is modified in place; its weights stay the same."""
    for module in model.modules():
        for plain, fast in ((nn.Linear, FastLinear), (Conv1D, FastConv1D)):
            if type(module) is plain:
                module.__class__ = fast
    return model
