"""Linear layers on a CPU through oneDNN.

PyTorch's own go through MKL, which on AMD processors runs at less than half of oneDNN's rate, forward and
backward (docs/performance.md).  PyTorch has no public API for oneDNN in float32, so this module uses the
operation that PyTorch's compiler uses.  That is safe: torch is pinned exactly, a test compares with
`nn.functional.linear`, and where the operation is missing PyTorch's own is used.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

# Rows are padded with zeros to a multiple of this: oneDNN caches up to 2 MB for each shape it has seen, which
# added up to gigabytes for the varying token counts of training.
ROWS = 64


def spare_rows(rows: int, device: torch.device) -> int:
    """Return how many zero rows `linear` would add; adding them once beforehand avoids its copies."""
    return -rows % ROWS if device.type == "cpu" else 0


def _filled_up(rows: Tensor) -> Tensor:
    spare = spare_rows(len(rows), rows.device)
    return functional.pad(rows, (0, 0, 0, spare)) if spare else rows


def _product(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return left (n, k) times the transpose of right (m, k), plus bias (m,): (n, m)."""
    return torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], "")


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        filled = _filled_up(inputs)
        context.rows = len(inputs)
        context.save_for_backward(filled, weight)
        return _product(filled, weight, bias)[: len(inputs)]

    @staticmethod
    @once_differentiable
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weight = context.saved_tensors
        above = _filled_up(gradients[0].contiguous())
        wanted = context.needs_input_grad
        return (
            _product(above, weight.t())[: context.rows] if wanted[0] else None,
            _product(above.t(), inputs.t()) if wanted[1] else None,
            above.sum(dim=0) if wanted[2] else None,
        )


def _through_onednn(inputs: Tensor, weight: Tensor) -> bool:
    return (
        inputs.device.type == "cpu"
        and inputs.dtype == weight.dtype == torch.float32
        and inputs.numel() > 0
        and not torch.is_autocast_enabled("cpu")  # lower precision goes through oneDNN anyway
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute `nn.functional.linear`, in float32 on a CPU through oneDNN.

    Equal but for rounding; no second derivatives.  Inputs (..., k), weight (m, k) and bias (m,) give
    (..., m).
    """
    if not _through_onednn(inputs, weight):
        return functional.linear(inputs, weight, bias)
    flat = inputs.reshape(-1, inputs.shape[-1])
    return _Linear.apply(flat, weight, bias).view(*inputs.shape[:-1], -1)


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
