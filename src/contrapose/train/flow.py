"""BERT-flow: a frozen encoder, and a flow that makes its vectors normal.  Li et al. (2020)."""

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from tqdm import tqdm

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed
from contrapose.jobs.inputs import Pairs
from contrapose.models.given import Checkpointed
from contrapose.settings.recipes import FlowRecipe
from contrapose.tables import HISTORY
from contrapose.train.training import Finish, Pretrained, Trained, TrainingSettings, plan

__all__ = ["build", "plan"]  # planned as every training

if TYPE_CHECKING:
    import torch

    from contrapose.models.checkpoint import Checkpoints, RunProgress
    from contrapose.models.glow import Glow
    from contrapose.models.sentence_encoder import SentenceEncoder
    from contrapose.models.tokens import Tokens

logger = logging.getLogger(__name__)

# The optimiser of the authors' code, optimization_bert_flow.py.
BETAS = (0.9, 0.999)
EPSILON = 1e-6
WEIGHT_DECAY = 0.01  # for all weights of the flow: the code's list of exceptions names none of them
CLIP = 1.0  # gradient norm


def build(
    spec: TrainingSettings[FlowRecipe],
    pairs: Pairs,
    encoder: Pretrained,
    checkpoints: Checkpointed,
    finish: Finish,
) -> Trained:
    """Fit a flow after an encoder to the sentences of a table of pairs."""
    from contrapose.train.batches import distinct_texts

    history = fit_flow(encoder, distinct_texts(pairs), spec.recipe, spec.seed, checkpoints)
    return finish(encoder, history, pairs=len(pairs), pairs_used=len(pairs))


def fit_flow(
    encoder: "SentenceEncoder",
    texts: Sequence[str],
    recipe: FlowRecipe,
    seed: int,
    checkpoints: "Checkpoints | None" = None,
) -> pd.DataFrame:
    """Put a flow after the pooler of an encoder, fitted to its vectors by maximum likelihood.

    The encoder itself is not changed; the flow takes the place of what its folder declares after the
    pooling.  Flow, optimiser, constant learning rate and one epoch are those of the authors' code; the
    weights of the last step are kept.  Differences from the authors' code:

    - norms are initialised from the whole first batch; there from its first sides;
    - gradients are clipped for a loss in nats per dimension; there in bits;
    - AdamW corrects the bias of its moments, which matters in the first steps;
    - texts are not truncated at evaluation; there after `max_length` tokens.

    Equal seeds give equal bytes on one machine with a fixed number of threads, even if the job is killed and
    resumes.  Returns HISTORY, one row per step: `loss` is the mean negative log-likelihood in nats per
    dimension; a ConfigError if it is not finite, a StoppedError as of `run_steps`.
    """
    import torch

    from contrapose.models.checkpoint import RunProgress, identity, run_steps
    from contrapose.models.epochs import steps_per_epoch
    from contrapose.models.glow import Glow

    encoder.check(recipe.max_length)
    encoder.head = torch.nn.Sequential()
    encoder.eval()
    tokens = encoder.tokenised(texts, recipe.max_length)
    draws = torch.Generator().manual_seed(derived_seed("flow", seed))
    flow = Glow(encoder.dimensions, recipe.levels, recipe.depth, recipe.width, draws).to(encoder.device)
    optimiser = torch.optim.AdamW(flow.parameters(), recipe.learning_rate, BETAS, EPSILON, WEIGHT_DECAY)
    steps = sum(steps_per_epoch([np.arange(len(texts))], recipe.batch_size, recipe.epochs))
    fit = _Fit(flow, optimiser, steps, RunProgress())

    def started_from() -> str:
        device = f"{torch.__version__} {encoder.device.type} {encoder.precision}"
        weights = (each for model in (encoder, flow) for each in model.state_dict().values())
        read = (tokens.ids.tobytes(), tokens.lengths.tobytes())
        return identity(f"{recipe.model_dump_json()} {seed} {device}", *read, *weights)

    run_steps(fit, _all_steps(fit, encoder, tokens, recipe, seed), started_from, checkpoints)
    history = pd.DataFrame(fit.progress.history, columns=HISTORY.columns)
    logger.info("%.4f nats per dimension at first, %.4f at last", history.loss.iloc[0], history.loss.iloc[-1])
    encoder.head = torch.nn.Sequential(flow.eval())
    return history


@dataclass
class _Fit:
    """What a checkpoint has of a fit, in which the flow alone learns; see `run_steps`."""

    flow: "Glow"
    optimiser: "torch.optim.Optimizer"
    steps: int
    progress: "RunProgress"  # its history has a row for each step

    def kept(self) -> "tuple[Glow, torch.optim.Optimizer, None]":
        return self.flow, self.optimiser, None


def _all_steps(
    fit: _Fit, encoder: "SentenceEncoder", tokens: "Tokens", recipe: FlowRecipe, seed: int
) -> Iterator[None]:
    import torch

    from contrapose.models.epochs import batches

    done, history = fit.progress.step, fit.progress.history
    sentences, seen = (history[-1]["sentences"], history[-1]["tokens"]) if done else (0, 0)
    order = islice(batches([np.arange(len(tokens))], recipe.batch_size, recipe.epochs, seed), done, None)
    bar = tqdm(order, total=fit.steps, initial=done, unit="step", mininterval=5, desc="flow")
    for step, (epoch, rows) in enumerate(bar, done + 1):
        batch = tokens.take(rows)
        with torch.no_grad():
            vectors = encoder(batch)  # (B, D)
        if step == 1:
            fit.flow.standardise(vectors)
        loss = _improve(fit.flow, vectors, fit.optimiser)
        if not math.isfinite(loss):
            raise ConfigError(
                f"the likelihood is not finite at step {step} of {fit.steps}. Lower the learning_rate "
                f"of the recipe ({recipe.learning_rate:g}), or check the weights of the encoder."
            )
        sentences, seen = sentences + len(rows), seen + len(batch.ids)
        bar.set_postfix_str(f"{loss:.4f} nats per dimension", refresh=False)
        row = (step, epoch, loss, recipe.learning_rate, math.nan, False, sentences, seen)
        history.append(dict(zip(HISTORY.columns, row, strict=True)))
        fit.progress.step = step
        yield


def _improve(flow: "Glow", vectors: "torch.Tensor", optimiser: "torch.optim.Optimizer") -> float:
    """Take a step on vectors of shape (B, D); return their loss before it, in nats per dimension."""
    import torch

    loss = -flow.log_likelihood(vectors).mean() / vectors.shape[1]
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(flow.parameters(), CLIP)
    optimiser.step()
    return loss.item()
