"""Contrastive Tension: two encoders that must agree on a sentence and on nothing else.

Carlsson et al. (2021), and their code `ContrastiveTension/Training.py`.
"""

import copy
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn import functional

from contrapose.base.seeds import generator
from contrapose.models.devices import on_device
from contrapose.models.distributed import accelerator_on, encoded_by_shares
from contrapose.models.epochs import scored_steps
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.train.loop import RunOptions, Training, train
from contrapose.train.rows import RowIds

# From the authors' Training.py: the first rate up to step 500, counted from 0, the second up to 1,000 ...
BOUNDARIES = (500, 1000, 1500, 2000)
SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)  # of the recipe's rate: 1e-5, 8e-6, 6e-6, 4e-6, 2e-6
# Keras's defaults for RMSprop, which the authors use unchanged.
DECAY = 0.9
EPSILON = 1e-7


def train_contrastive_tension(
    encoder: SentenceEncoder,
    texts: Sequence[str],
    dev: pd.DataFrame,
    recipe: ContrastiveTensionRecipe,
    seed: int,
    options: RunOptions | None = None,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Train an encoder and a copy of it; the encoder ends with the best weights that either of them had.

    Pairs, loss, optimiser and learning rates are those of the authors' code: no dropout, no clipping, and
    both sides of a pair of different sentences are drawn anew, whereas a figure of the paper keeps the
    sentence of the identical pair.  Differences from the authors' code:

    - a score must be strictly greater than the best so far; there an equal one suffices;
    - the two sentences of a negative pair always differ; there they may be equal by chance;
    - dev scores are those of SimCSE's evaluation, as everywhere in this package.

    Memory: twice the weights for the copies, as much each for gradients and for RMSprop, and once for the
    best weights.  `recompute` is ignored: the batches are small.  The encoder has no head; `texts` are two or
    more, from `distinct_texts`; `dev` is from `dev_pairs`.

    Returns and raises as `train_encoder`: `loss` is the mean over pairs, in nats; `dev_score` the higher one
    of the two; `epoch` is always 0.
    """
    options = options or RunOptions()
    encoder.check(recipe.max_length)
    tokens = encoder.tokenised(texts, recipe.max_length)
    accelerator = accelerator_on(options.device, options.precision)
    encoder.to(accelerator.device).eval()
    encoders = [encoder, copy.deepcopy(encoder)]
    weights = nn.ModuleList(encoders).parameters()
    optimiser = torch.optim.RMSprop(weights, recipe.learning_rate, DECAY, EPSILON)
    scored = scored_steps([recipe.steps], recipe.dev_every)
    training = _Tension(accelerator, encoders, optimiser, tokens, recipe, seed, recipe.steps, scored)
    return train(training, dev, options)


def drawn_pairs(sentences: int, recipe: ContrastiveTensionRecipe, seed: int, step: int) -> np.ndarray:
    """Draw the pairs of one step: each pair of identical sentences is followed by `negatives` different ones.

    Every sentence is drawn with replacement.  Indices, int64 of shape (batch_size, 2).
    """
    draws = generator("contrastive_tension", seed, step)
    groups = (recipe.batch_size // (recipe.negatives + 1), recipe.negatives + 1)
    first = draws.integers(sentences, size=groups)
    apart = draws.integers(1, sentences, size=groups)  # never a multiple of `sentences`
    apart[:, 0] = 0
    return np.stack([first, (first + apart) % sentences], axis=-1).reshape(-1, 2)


def contrastive_tension(first: Tensor, second: Tensor, identical: Tensor) -> Tensor:
    """Return the binary cross-entropy, in nats, of dot products as logits that two sentences are identical.

    The mean over pairs, as in the authors' code; sentence-transformers takes the sum, for which RMSprop's
    steps are the same but for its epsilon.

    `first` and `second`, of shape (B, D) and any norm, are the vectors of the pairs' first sentences by the
    first encoder, of the second by the second; `identical` is bool of shape (B,).
    """
    products = (first * second).sum(dim=-1)  # (B,)
    return functional.binary_cross_entropy_with_logits(products, identical.to(products.dtype))


def stepped_rate(step: int, recipe: ContrastiveTensionRecipe) -> float:
    """Return the learning rate of a step, from 0."""
    return recipe.learning_rate * SHARES[bisect_left(BOUNDARIES, step)]


@dataclass
class _Tension(Training):
    """Two encoders, one for each side of a pair."""

    recipe: ContrastiveTensionRecipe

    def batches(self, done: int) -> Iterator[tuple[int, RowIds]]:
        for step in range(done, self.steps):
            yield 0, RowIds(drawn_pairs(len(self.tokens), self.recipe, self.seed, step))

    def rate(self, step: int) -> float:
        return stepped_rate(step, self.recipe)

    def loss(self, rows: RowIds) -> Tensor:
        def encode(some: slice) -> Tensor:
            sides = zip(self.encoders, rows.texts[some].T, strict=True)
            return torch.stack([encoder(self.tokens.take(side)) for encoder, side in sides], dim=1)

        first, second = encoded_by_shares(len(rows), encode).unbind(dim=1)  # (B, D)
        identical = on_device(rows.texts[:, 0] == rows.texts[:, 1], self.accelerator.device)
        return contrastive_tension(first, second, identical)
