"""The forward and backward passes of training on CUDA, recorded as CUDA graphs and replayed.

A GPU finishes a small batch before Python has launched the thousand operations of its step.  A CUDA graph is
launched as a whole, but it repeats what it recorded: the same shapes in the same memory.  So the tokens of a
batch are padded with filler tokens, which belong to no sentence, to one of a few shapes, and frequent shapes
are recorded.  Loss, head and optimiser are not recorded: they are few operations.

The vectors and gradients of a batch are those of `flat_vectors` but for rounding and the dropout masks,
which depend on the shape; a pass that is not recorded yet has the same shape, and so the same masks.
"""

import logging
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import AutocastKwargs
from torch import Tensor, nn

from contrapose.train.devices import on_device, piece_tokens
from contrapose.train.encoder import SentenceEncoder
from contrapose.train.flat import Layout, vectors_of_piece, words_and_positions
from contrapose.train.tokens import Tokens

logger = logging.getLogger(__name__)

# Shapes are padded to multiples of these.  64 pairs of Wikipedia, truncated to 32 tokens, have 2,750 +- 100
# tokens, so nearly all such batches have one of three shapes.  PyTorch's masked attention needs lengths
# divisible by 8.
TOKENS, LENGTH = 256, 8
SEEN = 3  # batches of a shape before it is recorded; recording takes as long as about four of them
SHAPES = 8  # most shapes recorded: each keeps its own gradients, 4 bytes per parameter


class Shape(NamedTuple):
    """What batches must have in common to share a graph."""

    sentences: int  # B
    longest: int  # T, padded
    tokens: int  # N, padded


class GraphedEncoder:
    """An encoder for training that replays recorded graphs for shapes that repeat.

    One batch at a time: the next batch, of any shape, overwrites the vectors of the previous one and all that
    its backward pass needs.

    Parameters
    ----------
    encoder : SentenceEncoder
        A `flat` one on CUDA, in training mode.  Its weights may change in place, but not move.
    autocast : callable
        Returns the context that a pass runs in, without a cache of weights in lower precision: such a cache
        would be recorded in one graph and missing in the others.
    """

    def __init__(self, encoder: SentenceEncoder, autocast: Callable[[], AbstractContextManager[Any]]) -> None:
        self.encoder, self.autocast = encoder, autocast
        self.seen: Counter[Shape] = Counter()
        self.passes: dict[Shape, _Pass] = {}
        self.recorded: set[Shape] = set()
        self.memory: Any = None  # of all graphs: they never run at the same time

    def __call__(self, batch: Tokens) -> Tensor:
        """Return the vectors of a batch, head included: (B, D)."""
        shape = shape_of(batch)
        if shape.tokens > piece_tokens(self.encoder.device):
            with self.autocast():
                return self.encoder(batch)
        if shape not in self.passes:
            self.passes[shape] = _Pass(self.encoder, shape, self.autocast)
        arrays = filled(self.encoder.model, batch, shape)
        given = tuple(on_device(each, self.encoder.device) for each in arrays)
        self.seen[shape] += 1
        if self.seen[shape] == SEEN and len(self.recorded) < SHAPES:
            self._record(shape, given)
        vectors = self.passes[shape](*given)
        with self.autocast():
            return self.encoder.head(vectors)

    def _record(self, shape: Shape, given: tuple[Tensor, ...]) -> None:
        if self.memory is None:
            self.memory = torch.cuda.graph_pool_handle()
        # PyTorch runs the pass a few times first; their dropout must not change that of this step.
        with torch.random.fork_rng([torch.cuda.current_device()]):
            # The Tensors given here are kept: those of later batches are copied into them.
            torch.cuda.make_graphed_callables(self.passes[shape], given, pool=self.memory)
        self.recorded.add(shape)
        logger.info(
            "recorded a CUDA graph for %d sentences of up to %d tokens, %d in all (%d of at most %d)",
            *(*shape, len(self.recorded), SHAPES),
        )


class _Pass(nn.Module):
    """The pass of one shape, from Tensors to a Tensor; its parameters are those of the encoder."""

    def __init__(
        self, encoder: SentenceEncoder, shape: Shape, autocast: Callable[[], AbstractContextManager[Any]]
    ) -> None:
        super().__init__()
        self.model = encoder.model
        self.pooling = (encoder.pool, encoder.layers)
        self.shape, self.autocast = shape, autocast

    def forward(self, words: Tensor, positions: Tensor, slots: Tensor, first: Tensor, mask: Tensor) -> Tensor:
        layout = Layout(self.shape.sentences, self.shape.longest, slots, first, mask, nowhere=1)
        with self.autocast():
            return vectors_of_piece(self.model, words, positions, layout, *self.pooling)


def not_graphed(encoder: SentenceEncoder, recompute: bool) -> str:
    """Return why the passes of an encoder cannot be recorded; empty if they can."""
    if encoder.device.type != "cuda":
        return f"the device is {encoder.device.type}, not cuda"
    if not encoder.flat:
        return f"type {encoder.model.config.model_type} runs with padding"
    return "recompute runs each batch in pieces" if recompute else ""


def graphed_encoder(
    encoder: SentenceEncoder, accelerator: Accelerator, recompute: bool
) -> GraphedEncoder | None:
    """Return an encoder that records its passes, or None if that is impossible, with a log message."""
    if reason := not_graphed(encoder, recompute):
        logger.info("cuda_graphs is ignored: %s", reason)
        return None
    return GraphedEncoder(encoder, partial(accelerator.autocast, AutocastKwargs(cache_enabled=False)))


def shape_of(batch: Tokens) -> Shape:
    """Return the shape that a batch is padded to."""
    longest, tokens = int(batch.lengths.max()), int(batch.lengths.sum())
    return Shape(len(batch), longest + -longest % LENGTH, tokens + -tokens % TOKENS)


def filled(model: Any, batch: Tokens, shape: Shape) -> tuple[np.ndarray, ...]:
    """Return the inputs to the pass of a shape: the batch, as arrays whose sizes follow from the shape.

    Returns
    -------
    words, positions : int64 arrays of shape (N,)
        Filler tokens are at the end, and repeat the first token.
    slots : int64 array of shape (N,)
        The place of each token in (B T,); B T for filler tokens.
    first : int64 array of shape (B,)
    mask : bool array of shape (B, T)
    """
    words, positions = words_and_positions(model, batch)
    spare = shape.tokens - len(words)
    mask = np.arange(shape.longest) < batch.lengths[:, None]
    slots = np.concatenate([np.flatnonzero(mask), np.full(spare, mask.size)])
    repeated = (np.concatenate([each, np.repeat(each[:1], spare)]) for each in (words, positions))
    return *repeated, slots, batch.start[:-1], mask
