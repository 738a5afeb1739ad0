"""The one training loop: it reads PAIRS and knows no strategy."""

import logging
import math
import time
from dataclasses import dataclass, field
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
from contrapose.train.dev import dev_scorer
from contrapose.train.devices import chosen_device
from contrapose.train.encoder import SentenceEncoder
from contrapose.train.losses import LOSSES, loss_of_views
from contrapose.train.ranks import gathered, give_all, share, sum_gradients
from contrapose.train.schedule import adamw, learning_rate

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_WORDS = 5  # of the progress line
# Losses read from a device in one go: reading one waits until the device has nothing left to do.
LOSSES_AT_ONCE = {"cpu": 1}
LOSSES_ELSEWHERE = 50


@dataclass(frozen=True)
class Surroundings:
    """What a training runs in.  Nothing here changes its result, but for rounding on another device."""

    device: str = "auto"
    batch_size: int = 32  # sentences encoded at once for a dev score
    recompute: bool = False  # keep the memory of one piece of a batch, at the price of time
    state: Path | None = None  # folder of the checkpoint; none is written without one
    checkpoint_seconds: float = 60  # a killed training loses at most this and a step


def train_encoder(
    encoder: SentenceEncoder,
    pairs: pd.DataFrame,
    dev: pd.DataFrame,
    recipe: Recipe,
    seed: int,
    surroundings: Surroundings | None = None,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Train an encoder in place; in the end it has the weights of its best dev score.

    SimCSE's training (methods 1.3 to 1.5) with slots (thesis, section 4.1), and one dev score more: after
    the last step, if that is not one of every `dev_every`.  A score must be strictly greater than the best
    so far to be kept; the untrained encoder is not scored.  The order of pairs and the dropout follow from
    the seed: on one machine with one number of threads, equal runs give equal bytes, and so does a run
    that is killed and goes on from its checkpoint.

    Started as several processes (`accelerate launch`, `torchrun`), each encodes its share of every batch,
    and all vectors of the batch are the negatives: loss and gradients are those of one process.  The first
    process selects and writes; in the end all have its weights.

    Memory: see `tokenised_pairs`; beside the data, twice the weights for AdamW and once for the best step,
    and the activations of a batch, or with `recompute` of `piece_tokens` tokens.

    Parameters
    ----------
    encoder : SentenceEncoder
        From `new_encoder`, with the same recipe and seed.
    pairs : PAIRS table
    dev : BENCHMARK table
        Rows of a dev split, see `dev_pairs`.
    recipe : Recipe
        With the world's learning rate and `dev_every` put in.
    seed : int
        Of the run.
    surroundings : Surroundings, optional

    Returns
    -------
    history : HISTORY table, one row per optimiser step
    counts : dict of str -> int
        `texts`, the distinct ones of the pairs, and `cut`, how many of them `max_length` took tokens from.

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
    kept = (encoder, optimiser, accelerator.scaler)
    progress, who = Progress(), ""
    if around.state is not None:
        who = _identity(encoder, data, dev, recipe, seed)
        progress = resumed(around.state, who, *kept)
    steps = sum(steps_per_epoch(data.slots, recipe.batch_size, recipe.epochs))
    training = _Training(
        accelerator, encoder, optimiser, data, recipe, seed, steps, around.recompute, progress
    )
    score = dev_scorer(encoder, dev, around.batch_size)
    words = _Words(progress, steps)
    saved = time.monotonic()
    for epoch, rows in batches(data.slots, recipe.batch_size, recipe.epochs, seed, progress.step):
        training.step(epoch, rows)
        if progress.step % recipe.dev_every == 0 or progress.step == steps:
            training.read_losses()
            if accelerator.is_main_process:
                training.select(score())
        words.say()
        if around.state is not None and time.monotonic() - saved >= around.checkpoint_seconds:
            training.read_losses()
            if accelerator.is_main_process:
                save_checkpoint(around.state, who, progress, *kept)
            saved = time.monotonic()
    words.sum_up()
    return training.finished(), {"texts": len(data.tokens), "cut": data.tokens.cut}


@dataclass
class _Training:
    """A training on its way."""

    accelerator: Accelerator
    encoder: SentenceEncoder
    optimiser: Any
    data: TokenisedPairs
    recipe: Recipe
    seed: int
    steps: int  # of the whole training
    recompute: bool
    progress: Progress
    losses: list[Tensor] = field(default_factory=list)  # of the last steps, not read from the device yet

    def step(self, epoch: int, rows: np.ndarray) -> None:
        """Do one optimiser step on rows of texts, (N, sides), and add a row to the history."""
        number = self.progress.step
        rate = learning_rate(number, self.steps, self.recipe)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        # So a step needs nothing from the steps before it but weights and moments.
        torch.manual_seed(derived_seed("dropout", self.seed, number, self.accelerator.process_index))
        loss = self._loss(rows)
        self.accelerator.backward(loss)
        sum_gradients(self.encoder)
        self.accelerator.clip_grad_norm_(self.encoder.parameters(), self.recipe.clip)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.append(loss.detach())
        self._note(epoch, rate, rows)
        if len(self.losses) == LOSSES_AT_ONCE.get(self.accelerator.device.type, LOSSES_ELSEWHERE):
            self.read_losses()

    def _loss(self, rows: np.ndarray) -> Tensor:
        """Return the loss of a batch, the same on every process."""
        own = share(len(rows))
        # A process without a row encodes one too: so it has gradients, of 0, for the sum.
        encoded = rows[own] if len(rows[own]) else rows[:1]
        with self.accelerator.autocast():
            vectors = self.encoder(self.data.tokens.take(encoded.reshape(-1)), self.recompute)
        # Cosines are not for half precision.
        exact = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        # Item-major: anchor, positive and all other sides of a pair stand side by side (methods 1.3).
        of_rows = exact.view(*encoded.shape, -1)[: len(rows[own])]
        sides = gathered(of_rows, own, len(rows))  # (N, sides, D)
        loss, recipe = LOSSES[self.recipe.loss], self.recipe
        return loss_of_views(sides, self.data.negatives, loss, recipe.temperature, recipe.view_weight)

    def _note(self, epoch: int, rate: float, rows: np.ndarray) -> None:
        """Count a step.  Its loss is still to come."""
        history = self.progress.history
        before = history[-1] if history else {"sentences": 0, "tokens": 0}
        self.progress.step += 1
        row = {
            "step": self.progress.step,
            "epoch": epoch,
            "loss": math.nan,
            "learning_rate": rate,
            "dev_score": None,
            "best": False,
            "sentences": before["sentences"] + rows.size,
            "tokens": before["tokens"] + int(self.data.tokens.lengths[rows].sum()),
        }
        history.append(row)

    def read_losses(self) -> None:
        """Put the losses of the last steps into the history.

        Raises
        ------
        ConfigError
            One is not finite.
        """
        if not self.losses:
            return
        last = self.progress.history[-len(self.losses) :]
        for row, loss in zip(last, torch.stack(self.losses).tolist(), strict=True):
            row["loss"] = loss
            if not math.isfinite(loss):
                rate = row["learning_rate"]
                raise ConfigError(
                    f"the loss is {loss} at step {row['step']} of {self.steps} (learning rate {rate:g}, "
                    f"precision {self.recipe.precision}). Lower the recipe's learning_rate, or set its "
                    "precision to no."
                )
        self.losses.clear()

    def select(self, score: float) -> None:
        """Keep the weights if `score` is strictly greater than the best so far (methods 1.5)."""
        progress, row = self.progress, self.progress.history[-1]
        if math.isnan(score):
            logger.warning("step %d: no dev score, all cosines are equal", progress.step)
            return
        row["dev_score"] = score
        row["best"] = progress.best_score is None or score > progress.best_score
        if row["best"]:
            progress.best_score = score
            progress.best = copied(self.encoder.state_dict().items())
        logger.info("step %d: dev score %.4f%s", progress.step, score, ", the best so far" * row["best"])

    def finished(self) -> pd.DataFrame:
        """Give the encoder its best weights, on every process, and return the history."""
        if self.progress.best is not None:
            self.encoder.load_state_dict(self.progress.best)
            logger.info("best dev score: %.4f", self.progress.best_score)
        elif self.accelerator.is_main_process:
            logger.warning("no dev score could be had: the weights of the last step are kept")
        give_all(self.encoder)
        self.encoder.eval()
        history = pd.DataFrame(self.progress.history, columns=HISTORY.columns)
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
    return Accelerator(cpu=where.type == "cpu", mixed_precision=precision)


def _identity(
    encoder: SentenceEncoder, data: TokenisedPairs, dev: pd.DataFrame, recipe: Recipe, seed: int
) -> str:
    """Return the digest of what decides the result: a checkpoint counts for nothing else."""
    made_by = f"{recipe.model_dump_json()} {seed} {torch.__version__} {encoder.device.type} {data.negatives}"
    texts = dev[["sentence1", "sentence2", "score"]].to_csv(index=False)
    arrays = (each.tobytes() for each in (data.tokens.ids, data.tokens.lengths, *data.slots))
    return identity(made_by, texts, *arrays, *encoder.state_dict().values())


class _Words:
    """The progress line: rates since this process began."""

    def __init__(self, progress: Progress, steps: int) -> None:
        self.progress = progress
        self.bar = tqdm(
            total=steps, initial=progress.step, unit="step", mininterval=SECONDS_BETWEEN_WORDS, desc="train"
        )
        self.began = time.monotonic()
        self.before = progress.history[-1] if progress.history else {"sentences": 0, "tokens": 0}
        self.loss = ""

    def say(self) -> None:
        """Count a step."""
        loss = self.progress.history[-1]["loss"]
        if not math.isnan(loss):  # else it is not read from the device yet
            self.loss = f", loss {loss:.4f}"
        best = self.progress.best_score
        selected = "" if best is None else f", best dev {best:.4f}"
        self.bar.set_postfix_str(f"{self._rates()}{self.loss}{selected}", refresh=False)
        self.bar.update()

    def sum_up(self) -> None:
        """Log the rates of the whole training."""
        self.bar.close()
        if self.progress.history:
            logger.info("%s in %.0f s", self._rates(), time.monotonic() - self.began)

    def _rates(self) -> str:
        row, seconds = self.progress.history[-1], max(time.monotonic() - self.began, 1e-9)
        sentences, tokens = ((row[unit] - self.before[unit]) / seconds for unit in ("sentences", "tokens"))
        return f"{sentences:.0f} sentences/s, {tokens:.0f} tokens/s"
