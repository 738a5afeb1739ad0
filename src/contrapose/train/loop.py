"""The one training loop: it reads PAIRS and knows no strategy."""

import logging
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch import Tensor
from tqdm import tqdm

from contrapose.config import Recipe
from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.tables import HISTORY
from contrapose.train.batches import TokenisedPairs, batches, steps_per_epoch, tokenised_pairs
from contrapose.train.checkpoint import Progress, copied, identity, resumed, save_checkpoint
from contrapose.train.dev import dev_score
from contrapose.train.devices import chosen_device
from contrapose.train.encoder import SentenceEncoder
from contrapose.train.losses import LOSSES
from contrapose.train.schedule import adamw, learning_rate

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_WORDS = 5  # of the progress line


@dataclass(frozen=True)
class Surroundings:
    """What a training runs in.  Nothing here changes its result, but for rounding on another device."""

    device: str = "auto"
    batch_size: int = 32  # sentences encoded at once for a dev score
    state: Path | None = None  # folder of the checkpoint; none is written without one
    checkpoint_seconds: float = 60  # a killed training loses at most this and a step


def train_encoder(
    encoder: SentenceEncoder,
    pairs: pd.DataFrame,
    dev: pd.DataFrame,
    recipe: Recipe,
    seed: int,
    surroundings: Surroundings | None = None,
) -> pd.DataFrame:
    """Train an encoder in place; in the end it has the weights of its best dev score.

    SimCSE's training (methods 1.3 to 1.5) with slots (thesis, section 4.1), and one dev score more: after
    the last step, if that is not one of every `dev_every`.  A score must be strictly greater than the best
    so far to be kept; the untrained encoder is not scored.  The order of pairs and the dropout follow from
    the seed: on one machine with one number of threads, equal runs give equal bytes, and so does a run
    that is killed and goes on from its checkpoint.

    Memory: see `tokenised_pairs`; beside the data, twice the weights for AdamW and once for the best step.

    Parameters
    ----------
    encoder : SentenceEncoder
        From `new_encoder`, with the same recipe and seed.
    pairs : PAIRS table
    dev : BENCHMARK table
        Rows of STS-B dev, see `stsb_dev`.
    recipe : Recipe
        With the world's learning rate and `dev_every` put in.
    seed : int
        Of the run.
    surroundings : Surroundings, optional

    Returns
    -------
    HISTORY table, one row per optimiser step

    Raises
    ------
    TableError
        The pairs cannot be trained on.
    ConfigError
        The loss is not finite, or the recipe does not fit the encoder or the machine.
    """
    around = surroundings or Surroundings()
    encoder.check_length(recipe.max_length)
    data = tokenised_pairs(pairs, encoder.tokenizer, recipe.max_length)
    accelerator = _accelerator(around.device, recipe.precision)
    encoder.to(accelerator.device).train()
    optimiser = accelerator.prepare_optimizer(adamw(encoder, recipe))
    torch.manual_seed(derived_seed("dropout", seed))
    kept = (encoder, optimiser, accelerator.scaler, accelerator.device)
    progress, who = Progress(), ""
    if around.state is not None:
        who = _identity(encoder, data, dev, recipe, seed)
        progress = resumed(around.state, who, *kept)
    steps = sum(steps_per_epoch(data.slots, recipe.batch_size, recipe.epochs))
    bar = tqdm(
        total=steps, initial=progress.step, unit="step", mininterval=SECONDS_BETWEEN_WORDS, desc="train"
    )
    words = _Words(bar, progress)
    saved = time.monotonic()
    rest = batches(data.slots, recipe.batch_size, recipe.epochs, seed, progress.step)
    for epoch, rows in rest:
        rate = learning_rate(progress.step, steps, recipe)
        loss = _step(accelerator, encoder, optimiser, data.tokens.batch(rows.reshape(-1)), rows, rate, recipe)
        progress.step += 1
        if not math.isfinite(loss):
            raise ConfigError(
                f"the loss is {loss} at step {progress.step} of {steps} (learning rate {rate:g}, precision "
                f"{recipe.precision}). Lower the recipe's learning_rate, or set its precision to no."
            )
        _note(progress, epoch, loss, rate, rows, data.tokens.count(rows.reshape(-1)))
        if progress.step % recipe.dev_every == 0 or progress.step == steps:
            _select(progress, encoder, dev_score(encoder, dev, around.batch_size))
        words.say(progress)
        if around.state is not None and time.monotonic() - saved >= around.checkpoint_seconds:
            save_checkpoint(around.state, who, progress, *kept)
            saved = time.monotonic()
    bar.close()
    return _finished(progress, encoder)


def _step(
    accelerator: Accelerator,
    encoder: SentenceEncoder,
    optimiser: Any,
    batch: dict[str, Tensor],
    rows: np.ndarray,
    rate: float,
    recipe: Recipe,
) -> float:
    """Do one optimiser step and return the loss."""
    for group in optimiser.param_groups:
        group["lr"] = rate
    with accelerator.autocast():
        vectors = encoder({name: each.to(accelerator.device) for name, each in batch.items()})
    # Item-major: anchor and positive (and negative) of a pair stand side by side (methods 1.3).
    exact = vectors.to(
        torch.promote_types(vectors.dtype, torch.float32)
    )  # cosines are not for half precision
    sides = exact.view(*rows.shape, -1).unbind(dim=1)  # 2 or 3 of (N, D)
    loss = LOSSES[recipe.loss](sides[0], sides[1], recipe.temperature, *sides[2:])
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(encoder.parameters(), recipe.clip)
    optimiser.step()
    optimiser.zero_grad()
    return float(loss.detach())


def _note(progress: Progress, epoch: int, loss: float, rate: float, rows: np.ndarray, tokens: int) -> None:
    """Add a row of HISTORY."""
    before = progress.history[-1] if progress.history else {"sentences": 0, "tokens": 0}
    row = {
        "step": progress.step,
        "epoch": epoch,
        "loss": loss,
        "learning_rate": rate,
        "dev_score": None,
        "best": False,
        "sentences": before["sentences"] + rows.size,
        "tokens": before["tokens"] + tokens,
    }
    progress.history.append(row)


def _select(progress: Progress, encoder: SentenceEncoder, score: float) -> None:
    """Keep the weights if `score` is strictly greater than the best so far (methods 1.5)."""
    row = progress.history[-1]
    if math.isnan(score):
        logger.warning("step %d: no dev score, all cosines are equal", progress.step)
        return
    row["dev_score"] = score
    row["best"] = progress.best_score is None or score > progress.best_score
    if row["best"]:
        progress.best_score = score
        progress.best = copied(encoder.state_dict().items())
    logger.info("step %d: dev score %.4f%s", progress.step, score, ", the best so far" * row["best"])


def _finished(progress: Progress, encoder: SentenceEncoder) -> pd.DataFrame:
    """Give the encoder its best weights and return the history."""
    if progress.best is None:
        logger.warning("no dev score could be had: the weights of the last step are kept")
    else:
        encoder.load_state_dict(progress.best)
        logger.info("best dev score: %.4f", progress.best_score)
    encoder.eval()
    history = pd.DataFrame(progress.history, columns=HISTORY.columns)
    history["dev_score"] = history["dev_score"].astype("float64")
    return history


def _accelerator(device: str, precision: str) -> Accelerator:
    where = chosen_device(device)
    if precision == "fp16" and where.type == "cpu":
        raise ConfigError(
            "recipe: precision fp16 needs a GPU and the device is cpu. Use precision no or bf16."
        )
    # Accelerate keeps the precision of the first training of a process and refuses another one.
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=where.type == "cpu", mixed_precision=precision)
    if accelerator.num_processes > 1:
        raise ConfigError("one encoder is trained by one process: start it without a launcher.")
    return accelerator


def _identity(
    encoder: SentenceEncoder, data: TokenisedPairs, dev: pd.DataFrame, recipe: Recipe, seed: int
) -> str:
    """Return the digest of what decides the result: a checkpoint counts for nothing else."""
    made_by = f"{recipe.model_dump_json()} {seed} {torch.__version__} {encoder.device.type}"
    texts = dev[["sentence1", "sentence2", "score"]].to_csv(index=False)
    arrays = (each.tobytes() for each in (data.tokens.ids, data.tokens.start, *data.slots))
    return identity(made_by, texts, *arrays, *encoder.state_dict().values())


class _Words:
    """The progress line: rates since this process began."""

    def __init__(self, bar: Any, progress: Progress) -> None:
        self.bar = bar
        self.began = time.monotonic()
        self.before = progress.history[-1] if progress.history else {"sentences": 0, "tokens": 0}

    def say(self, progress: Progress) -> None:
        """Count a step."""
        row = progress.history[-1]
        seconds = max(time.monotonic() - self.began, 1e-9)
        sentences = (row["sentences"] - self.before["sentences"]) / seconds
        tokens = (row["tokens"] - self.before["tokens"]) / seconds
        best = "" if progress.best_score is None else f", best dev {progress.best_score:.4f}"
        text = f"{sentences:.0f} sentences/s, {tokens:.0f} tokens/s, loss {row['loss']:.4f}{best}"
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update()
