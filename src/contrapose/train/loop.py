"""The only training loop, whatever the loss: steps, dev scores, checkpoints and the log."""

import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.optim import Optimizer
from tqdm import tqdm

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed
from contrapose.models.checkpoint import Checkpoints, RunProgress, copied, run_steps, training_identity
from contrapose.models.devices import chosen_precision
from contrapose.models.distributed import any_of, give_all, is_first, sum_gradients
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.models.tokens import Tokens
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.settings.spec import Precision
from contrapose.tables import HISTORY
from contrapose.train.dev_scores import dev_scorer
from contrapose.train.recipe import Recipe
from contrapose.train.rows import RowIds

logger = logging.getLogger(__name__)

# Losses read from a device at once: reading one waits until the device has finished all work.
LOSSES_AT_ONCE = {"cpu": 1}
LOSSES_ELSEWHERE = 50
SECONDS_BETWEEN_LINES = 5  # of the progress line


@dataclass(frozen=True)
class RunOptions:
    """Options of a training run that change its result by rounding and dropout masks alone."""

    device: str = "auto"
    precision: Precision = "auto"  # from the config: for dev scores, and for training if the recipe has none
    recompute: bool = False  # keep activations of one piece of a batch only: less memory, more time
    checkpoints: Checkpoints | None = None  # None: write none


def train(
    training: "Training", dev: pd.DataFrame | None, options: RunOptions
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Run all steps of a training, or those that remain after its checkpoint; returns as `train_encoder`.

    At the end the first of its encoders has the best weights of any of them.  `dev` is what the training's
    `scorer` takes, if steps have dev scores.
    """
    if len(training.scored) * len(training.encoders) == 1:
        training.scored = set()  # a single score selects nothing
    for each in training.encoders:
        each.precision = chosen_precision(options.precision, training.accelerator.device, of_encoder=True)
    training.optimiser = training.accelerator.prepare_optimizer(training.optimiser)
    steps = _steps(training, dev)
    run_steps(training, steps, lambda: training_identity(training, dev), options.checkpoints)
    return training.finished(), {"texts": len(training.tokens), "cut": training.tokens.cut}


def _steps(training: "Training", dev: pd.DataFrame | None) -> Iterator[None]:
    """Do one step, and its dev score if it has one, each time `next` is called; see `train`."""
    progress = training.progress
    encoders = training.encoders if training.scored else []
    scorers = [(each, training.scorer(each, dev)) for each in encoders]
    progress_log = ProgressLogger(training)
    over = training.out_of_patience
    for epoch, rows in training.batches(progress.step):
        if over:
            break
        training.step(epoch, rows)
        if progress.step in training.scored:
            training.read_losses()
            if is_first():
                for encoder, score in scorers:
                    training.select(encoder, score())
            over = any_of(is_first() and training.out_of_patience)
        progress_log.log()
        yield
    training.read_losses()
    progress_log.sum_up()


@dataclass
class Training(ABC):
    """The state of a training run. Subclasses define the loss and the learning rate."""

    accelerator: Accelerator
    encoders: list[SentenceEncoder]  # all that is trained
    optimiser: Optimizer
    tokens: Tokens  # of all texts
    recipe: Recipe | ContrastiveTensionRecipe
    seed: int
    steps: int  # of the whole run
    scored: set[int]  # those with a dev score, from 1
    early_stopping_patience: int | None = None  # end after this many dev scores in a row without a new best
    max_grad_norm: float | None = None  # gradient norm
    recompute: bool = False
    progress: RunProgress = field(default_factory=RunProgress)
    losses: list[Tensor] = field(default_factory=list)  # of the last steps, not read from the device yet

    @property
    def weights(self) -> nn.ModuleList:
        return nn.ModuleList(self.encoders)

    def kept(self) -> tuple[nn.ModuleList, Any, Any]:
        """Return what a checkpoint holds beside the progress; losses are read from the device first."""
        self.read_losses()
        return self.weights, self.optimiser, self.accelerator.scaler

    @property
    def data(self) -> list[np.ndarray]:
        """The data that batches are taken from: checkpoints of runs on other data are not used."""
        return [self.tokens.ids, self.tokens.lengths]

    @abstractmethod
    def batches(self, done: int) -> Iterator[tuple[int, RowIds]]:
        """Yield epoch and rows of each batch after the first `done` steps."""

    @abstractmethod
    def rate(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""

    @abstractmethod
    def loss(self, rows: RowIds) -> Tensor:
        """Return the loss of a batch, the same on every process."""

    def scorer(self, encoder: SentenceEncoder, dev: pd.DataFrame) -> Callable[[], float]:
        """Return a function that computes an encoder's dev score: higher is better."""
        return dev_scorer(encoder, dev)

    def format_score(self, score: float) -> str:
        return f"dev score {score:.4f}"

    @property
    def out_of_patience(self) -> bool:
        if self.early_stopping_patience is None:
            return False
        scored = [row["best"] for row in self.progress.history if row["dev_score"] is not None]
        return len(scored) > self.early_stopping_patience and not any(scored[-self.early_stopping_patience :])

    def step(self, epoch: int, rows: RowIds) -> None:
        number = self.progress.step
        rate = self.rate(number)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        # So a step needs only weights and moments from earlier steps.
        torch.manual_seed(derived_seed("dropout", self.seed, number, self.accelerator.process_index))
        loss = self.loss(rows)
        self.accelerator.backward(loss)
        sum_gradients(self.weights)
        if self.max_grad_norm is not None:
            self.accelerator.clip_grad_norm_(self.weights.parameters(), self.max_grad_norm)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.losses.append(loss.detach())
        self._note(epoch, rate, rows)
        if len(self.losses) == LOSSES_AT_ONCE.get(self.accelerator.device.type, LOSSES_ELSEWHERE):
            self.read_losses()

    def _note(self, epoch: int, rate: float, rows: RowIds) -> None:
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
            "sentences": before["sentences"] + int(rows.present.sum()),
            "tokens": before["tokens"] + int(self.tokens.lengths[rows.texts[rows.present]].sum()),
        }
        history.append(row)

    def read_losses(self) -> None:
        """Read the losses of the last steps into the history; raise ConfigError if one is not finite."""
        if not self.losses:
            return
        last = self.progress.history[-len(self.losses) :]
        for row, loss in zip(last, torch.stack(self.losses).tolist(), strict=True):
            row["loss"] = loss
            if not math.isfinite(loss):
                rate, mixed = row["learning_rate"], self.accelerator.mixed_precision
                is_whole = mixed == "no"  # accelerate's name of float32
                raise ConfigError(
                    f"recipe: the loss is {loss} at step {row['step']} of {self.steps} (learning rate "
                    f"{rate:g}, precision {'float32' if is_whole else mixed}). Lower the learning_rate of "
                    f"the recipe{'' if is_whole else ', or set its precision to float32'}."
                )
        self.losses.clear()

    def select(self, encoder: nn.Module, score: float) -> None:
        """Keep an encoder's weights if its `score` is strictly greater than the best so far."""
        progress, row = self.progress, self.progress.history[-1]
        if math.isnan(score):
            logger.warning("step %d: no dev score, because all cosines are equal", progress.step)
            return
        row["dev_score"] = score if row["dev_score"] is None else max(score, row["dev_score"])
        best = progress.best_score is None or score > progress.best_score
        if best:
            row["best"] = True
            progress.best_score = score
            progress.best = copied(encoder.state_dict().items())
        so_far = ", the best so far" if best else ""
        logger.info("step %d: %s%s", progress.step, self.format_score(score), so_far)

    def finished(self) -> pd.DataFrame:
        """Give the first encoder the best weights, on every process, and return the history."""
        encoder = self.encoders[0]
        if self.progress.best is not None:
            encoder.load_state_dict(self.progress.best)
            assert self.progress.best_score is not None
            logger.info("the best: %s", self.format_score(self.progress.best_score))
        elif is_first():
            level = logging.WARNING if self.scored else logging.INFO
            logger.log(level, "there was no dev score, so the weights of the last step are kept")
        give_all(encoder)
        encoder.eval()
        history = pd.DataFrame(self.progress.history, columns=HISTORY.columns)
        history["dev_score"] = history["dev_score"].astype("float64")
        return history


class ProgressLogger:
    """The progress line, with rates since this process began."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.progress = progress = training.progress
        self.bar = tqdm(
            total=training.steps,
            initial=progress.step,
            unit="step",
            mininterval=SECONDS_BETWEEN_LINES,
            disable=not is_first(),
            desc="train",
        )
        self.began = time.monotonic()
        self.before = progress.history[-1] if progress.history else {"sentences": 0, "tokens": 0}
        self.loss = ""

    def log(self) -> None:
        loss = self.progress.history[-1]["loss"]
        if not math.isnan(loss):  # NaN: not read from the device yet
            self.loss = f", loss {loss:.4f}"
        best = self.progress.best_score
        selected = "" if best is None else f", best {self.training.format_score(best)}"
        self.bar.set_postfix_str(f"{self._rates()}{self.loss}{selected}", refresh=False)
        self.bar.update()

    def sum_up(self) -> None:
        self.bar.close()
        if not is_first():
            return
        if self.progress.history:
            logger.info("%s in %.0f s", self._rates(), time.monotonic() - self.began)
        if self.progress.step < self.training.steps:
            epoch, patience = self.progress.history[-1]["epoch"], self.training.early_stopping_patience
            logger.info(
                "stopped after epoch %d, step %d of %d: no better dev score %d times in a row",
                epoch,
                self.progress.step,
                self.training.steps,
                patience,
            )

    def _rates(self) -> str:
        row, seconds = self.progress.history[-1], max(time.monotonic() - self.began, 1e-9)
        sentences, tokens = ((row[unit] - self.before[unit]) / seconds for unit in ("sentences", "tokens"))
        return f"{sentences:.0f} sentences/s, {tokens:.0f} tokens/s"
