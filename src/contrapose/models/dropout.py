"""Dropout on a CPU with 16 random bits per number, which is faster than PyTorch's own there."""

import torch
from torch import Tensor, nn
from torch.nn import functional

DROPOUT_STEPS = 1 << 16  # of 16 random bits: a probability is rounded to the nearest step
OWN_DROPOUT = {"cpu"}  # elsewhere PyTorch's own is fused and fast


def dropped(values: Tensor, share: float) -> Tensor:
    """Drop a share of the values and scale the others, on a CPU with 16 random bits per number.

    The share is rounded to a multiple of 2^-16 (0.1 becomes 0.100006), and kept values are scaled
    accordingly.  The masks are drawn from PyTorch's global generator.
    """
    if share == 0:
        return values
    if values.device.type not in OWN_DROPOUT or share == 1:
        return functional.dropout(values, share)
    steps = round(share * DROPOUT_STEPS)
    words = torch.empty(-(-values.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
    bits = words.view(torch.int16)[: values.numel()].view(values.shape)  # -2^15 to 2^15 - 1
    # To the values' type directly: by way of bool it takes three times as long.
    kept = torch.ge(bits, steps - DROPOUT_STEPS // 2, out=torch.empty(values.shape, dtype=values.dtype))
    return values * kept.mul_(DROPOUT_STEPS / (DROPOUT_STEPS - steps))


class FastDropout(nn.Dropout):
    """An `nn.Dropout` that uses `dropped`."""

    def forward(self, values: Tensor) -> Tensor:
        return dropped(values, self.p) if self.training else values
