"""How near to the limit of the machine work is: its matrix products, at the best rate measured in the run."""

import time
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from transformers import PretrainedConfig

from contrapose.models.matmul import BF16, onednn_product, onednn_works, operands

# Rows, inputs, outputs: 1024 tokens at once, the layers of MiniLM and BERT-base.
SHAPES = ((1024, 384, 384), (1024, 384, 1536), (1024, 1536, 384), (1024, 768, 768), (1024, 768, 3072))
ROUNDS = 10

# The least share of the limit that our CPU time has to reach.  None with AMX, whose products in bf16 have six
# to eight times the rate of those in float32: all else then takes most of the time, and peers alone count.
SHARES = {"float32": 0.60, "bf16": 0.55}


def least_share(precision: str) -> float | None:
    """Return the floor of a precision on this processor; None if there is none."""
    amx = precision == "bf16" and torch.cpu.get_capabilities().get(BF16["amx"], False)
    return None if amx else SHARES[precision]


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


def forward_flops(config: PretrainedConfig, lengths: np.ndarray, only_first: bool = False) -> float:
    """Return the operations of the matrix products of BERT's layers for sentences without padding.

    A multiplication and an addition count as two.  A gradient of inputs and one of weights take as many
    again, each.

    Parameters
    ----------
    lengths : tokens of each sentence
    only_first : whether the last layer has to give the first token of each sentence alone
    """
    width, inner = config.hidden_size, config.intermediate_size
    tokens, sentences, squares = float(lengths.sum()), len(lengths), float((lengths**2).sum())
    layers = config.num_hidden_layers - only_first
    of_token = 4 * width**2 + 2 * width * inner  # query, key, value, output; both layers behind
    total = layers * (tokens * of_token + 2 * squares * width)
    if only_first:  # key and value of all tokens
        total += tokens * 2 * width**2 + sentences * (of_token - 2 * width**2) + 2 * tokens * width
    return 2 * total
