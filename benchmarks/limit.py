"""How near to the limit of the machine work is: its matrix products, at the best rate measured in the run."""

import time
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel

from contrapose.models.matmul import BF16, onednn_product, onednn_works, operands

# Rows, inputs, outputs: 1024 tokens at once, the layers of MiniLM and BERT-base.
SHAPES = ((1024, 384, 384), (1024, 384, 1536), (1024, 1536, 384), (1024, 768, 768), (1024, 768, 3072))
ROUNDS = 10

# The least share of the limit that our CPU time has to reach.  None with AMX, whose products in bf16 have six
# to eight times the rate of those in float32: all else then takes most of the time, and peers alone count.
SHARES = {"encoding": 0.60, "training": 0.55}


def has_amx() -> bool:
    """Return whether this processor has AMX for products in bf16."""
    return bool(torch.cpu.get_capabilities().get(BF16["amx"], False))


def floor(work: str, precision: str) -> float | None:
    """Return the least share of the limit for a kind of work on this processor; None if there is none."""
    return None if precision == "bf16" and has_amx() else SHARES[work]


@cache
def product_rate(precision: str) -> float:
    """Return the best rate of matrix products on one thread, by any library: FLOP/s of its CPU time."""
    dtype = {"float32": torch.float32, "bf16": torch.bfloat16}[precision]
    ways = [functional.linear]
    if precision == "float32" and onednn_works():
        ways.append(onednn_product)
    pairs = [(left.to(dtype), right.to(dtype)) for shape in SHAPES for left, right in operands(*shape)]
    return max(_rate(way, *pair) for pair in pairs for way in ways)


def _rate(way: object, left: Tensor, right: Tensor) -> float:
    seconds = []
    with torch.inference_mode():
        for _ in range(ROUNDS):
            start = time.thread_time()
            way(left, right)  # type: ignore[operator]
            seconds.append(time.thread_time() - start)
    return 2 * left.shape[0] * left.shape[1] * right.shape[0] / min(seconds)


def forward_flops(model: PreTrainedModel, lengths: np.ndarray, only_first: bool = False) -> float:
    """Return the operations of the matrix products of a transformer's layers for sentences without padding.

    A multiplication and an addition count as two.  A gradient of inputs and one of weights take as many
    again, each.

    Parameters
    ----------
    lengths : tokens of each sentence
    model : its linear layers are those of its `num_hidden_layers` layers, which are alike
    only_first : whether BERT's last layer has to give the first token of each sentence alone
    """
    config = model.config
    width = config.hidden_size  # that of all heads of queries together
    tokens, sentences, squares = float(lengths.sum()), len(lengths), float((lengths**2).sum())
    layers = config.num_hidden_layers - only_first
    weights = [each.weight.numel() for each in model.modules() if isinstance(each, nn.Linear)]
    of_token = sum(weights) / config.num_hidden_layers
    total = layers * (tokens * of_token + 2 * squares * width)
    if only_first:  # key and value of all tokens
        total += tokens * 2 * width**2 + sentences * (of_token - 2 * width**2) + 2 * tokens * width
    return 2 * total
