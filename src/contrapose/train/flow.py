"""BERT-flow: a frozen encoder, and a flow that makes its vectors normal.  Li et al. (2020)."""

import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from tqdm import tqdm

from contrapose.errors import ConfigError
from contrapose.pairs.strategy import Pairs
from contrapose.seeds import derived_seed
from contrapose.settings.recipes import FlowRecipe
from contrapose.tables import HISTORY
from contrapose.train.training import Finish, Pretrained, Trained, TrainingSettings
from contrapose.train.training import plan as plan

if TYPE_CHECKING:
    import torch

    from contrapose.encoders.glow import Glow
    from contrapose.encoders.sentence_encoder import SentenceEncoder

logger = logging.getLogger(__name__)

# The optimiser of the authors' code, optimization_bert_flow.py.
BETAS = (0.9, 0.999)
EPSILON = 1e-6
WEIGHT_DECAY = 0.01  # for all weights of the flow: the code's list of exceptions names none of them
CLIP = 1.0  # gradient norm


def build(spec: TrainingSettings[FlowRecipe], pairs: Pairs, encoder: Pretrained, finish: Finish) -> Trained:
    """Fit a flow behind an encoder to the sentences of a table of pairs."""
    from contrapose.train.batches import distinct_texts

    history = fit_flow(encoder, distinct_texts(pairs), spec.recipe, spec.seed)
    return finish(encoder, history, pairs=len(pairs), pairs_used=len(pairs))


def fit_flow(encoder: "SentenceEncoder", texts: Sequence[str], recipe: FlowRecipe, seed: int) -> pd.DataFrame:
    """Put a flow behind the pooler of an encoder, fitted to its vectors by maximum likelihood.

    The encoder itself, which has no head, is not changed.  Flow, optimiser, constant learning rate and one
    epoch are those of the authors' code; the weights of the last step are kept.  Differences from the
    authors' code:

    - norms are initialised from the whole first batch; there from its first sides;
    - gradients are clipped for a loss in nats per dimension; there in bits;
    - AdamW corrects the bias of its moments, which matters in the first steps;
    - texts are not truncated at evaluation; there after `max_length` tokens.

    Equal seeds give equal bytes on one machine with a fixed number of threads.  Returns HISTORY, one row per
    step: `loss` is the mean negative log-likelihood in nats per dimension; a ConfigError if it is not finite.
    """
    import torch

    from contrapose.encoders.glow import Glow
    from contrapose.encoders.tokens import tokenised
    from contrapose.train.batches import batches, steps_per_epoch

    encoder.check(recipe.max_length)
    encoder.eval()
    tokens = tokenised([encoder.prompt + text for text in texts], encoder.tokenizer, recipe.max_length)
    draws = torch.Generator().manual_seed(derived_seed("flow", seed))
    size = encoder.model.config.hidden_size
    flow = Glow(size, recipe.levels, recipe.depth, recipe.width, draws).to(encoder.device)
    optimiser = torch.optim.AdamW(flow.parameters(), recipe.learning_rate, BETAS, EPSILON, WEIGHT_DECAY)
    slots = [np.arange(len(texts))]
    steps = sum(steps_per_epoch(slots, recipe.batch_size, recipe.epochs))
    sentences = seen = 0
    history = []
    order = batches(slots, recipe.batch_size, recipe.epochs, seed)
    bar = tqdm(order, total=steps, unit="step", mininterval=5, desc="flow")
    for step, (epoch, rows) in enumerate(bar, 1):
        batch = tokens.take(rows)
        with torch.no_grad():
            vectors = encoder(batch)  # (B, D)
        if step == 1:
            flow.standardise(vectors)
        loss = _improve(flow, vectors, optimiser)
        if not math.isfinite(loss):
            raise ConfigError(
                f"the likelihood is not finite at step {step} of {steps}. Lower the recipe's learning_rate "
                f"({recipe.learning_rate:g}), or check the weights of the encoder."
            )
        sentences, seen = sentences + len(rows), seen + len(batch.ids)
        bar.set_postfix_str(f"{loss:.4f} nats per dimension", refresh=False)
        history.append((step, epoch, loss, recipe.learning_rate, math.nan, False, sentences, seen))
    logger.info("%.4f nats per dimension at first, %.4f at last", history[0][2], history[-1][2])
    encoder.head = torch.nn.Sequential(flow.eval())
    return pd.DataFrame(history, columns=HISTORY.columns)


def _improve(flow: "Glow", vectors: "torch.Tensor", optimiser: "torch.optim.Optimizer") -> float:
    """Take a step on vectors of shape (B, D); return their loss before it, in nats per dimension."""
    import torch

    loss = -flow.log_likelihood(vectors).mean() / vectors.shape[1]
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(flow.parameters(), CLIP)
    optimiser.step()
    return loss.item()
