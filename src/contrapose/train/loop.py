"""The only training loop: it reads PAIRS, whatever strategy made them."""

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import torch
from accelerate import Accelerator
from torch import Tensor, nn

from contrapose.encoders.devices import chosen_precision
from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import SentenceEncoder
from contrapose.encoders.tokens import Tokens
from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.settings.spec import Precision
from contrapose.tables import HISTORY
from contrapose.train import augmentations
from contrapose.train.batches import (
    RowIds,
    batches,
    check_negatives,
    in_places,
    rows_used,
    scored_steps,
    steps_per_epoch,
    tokenised_pairs,
)
from contrapose.train.checkpoint import Checkpoints, RunProgress, copied, run_steps, training_identity
from contrapose.train.decoder import Decoder
from contrapose.train.dev import dev_scorer, loss_scorer
from contrapose.train.distributed import (
    accelerator_on,
    gathered,
    give_all,
    is_first,
    of_first,
    share,
    sum_gradients,
)
from contrapose.train.momentum import MomentumQueue
from contrapose.train.objective import batch_loss
from contrapose.train.progress import ProgressLogger
from contrapose.train.recipe import LOSSES, Recipe
from contrapose.train.schedule import adamw, learning_rate
from contrapose.train.teachers import projection, teacher_vectors

logger = logging.getLogger(__name__)

# Losses read from a device at once: reading one waits until the device has finished all work.
LOSSES_AT_ONCE = {"cpu": 1}
LOSSES_ELSEWHERE = 50


@dataclass(frozen=True)
class RunOptions:
    """Options of a training run that change its result by rounding and dropout masks alone."""

    device: str = "auto"
    precision: Precision = "auto"  # from the config: for dev scores, and for training if the recipe has none
    recompute: bool = False  # keep activations of one piece of a batch only: less memory, more time
    checkpoints: Checkpoints | None = None  # None: write none


def train_encoder(
    encoder: SentenceEncoder,
    pairs: pd.DataFrame,
    dev: pd.DataFrame | None,
    recipe: Recipe,
    seed: int,
    options: RunOptions | None = None,
    teachers: Sequence[SentenceEncoder] = (),
    guide: SentenceEncoder | None = None,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Train an encoder in place; it ends with the weights of its best dev score.

    SimCSE's training with slots (thesis, section 4.1), with one more dev score at the end unless it is the
    only one.  Of equal scores the first counts; without any the last step is kept.  The schedule spans all
    steps, even if `patience` ends training early.  On one machine with a fixed number of threads and
    processes equal seeds give equal bytes, even if a training is killed and resumes.  Of several processes
    each encodes its share of every batch, and the loss is that of the whole batch: only the dropout differs.

    Memory: see `tokenised_pairs`; in addition, twice the weights for AdamW, once for the best step, once for
    a `queue`, and the activations of a batch, or with `recompute` of `piece_tokens` tokens.

    `encoder`, `pairs`, `dev`: from `new_encoder`, with the same recipe and seed; PAIRS table; see `read_dev`.
    `teachers`: encode every distinct text once, before training, truncated at their own `max_length`, not at
        the recipe's, as vocabularies differ.  4 bytes x their dimensions per text.
    `guide`: the same, for the guide of InfoNCE.

    Returns a HISTORY table, one row per optimiser step, and counts: of distinct `texts`, of those truncated
    (`cut`), of `pairs`, and of those in a batch (`pairs_used`).  Raises TableError or ConfigError if the
    pairs cannot be trained on, the recipe does not fit encoder or machine, or the loss is not finite;
    StoppedError if SIGTERM was received, and the checkpoint has been written after the current step.
    """
    options = options or RunOptions()
    lengths = (recipe.max_length, recipe.query_length)
    encoder.check(*lengths, recipe.matryoshka)
    augmentations.check(encoder, recipe)
    data = tokenised_pairs(pairs, encoder.tokenizer, *lengths, recipe, encoder.prompts)
    check_negatives(data.slots, recipe)
    accelerator = accelerator_on(options.device, recipe.precision or options.precision)
    targets = teacher_vectors(teachers, data.texts, recipe.teacher_weights)
    guide_vectors = embeddings(guide, data.texts) if guide else None
    encoder.to(accelerator.device).train()
    decoder = LOSSES[recipe.loss].build(recipe, encoder, seed) if recipe.of_loss.decodes else None
    queue = MomentumQueue(encoder, recipe.queue, recipe.momentum) if recipe.queue else None
    layer = None
    if recipe.of_loss.projects and targets is not None:
        layer = projection(encoder.dimensions, targets.shape[1], seed)
    added = [*filter(None, [decoder, layer and layer.to(next(encoder.parameters()))])]
    optimiser = adamw(nn.ModuleList([encoder, *added]), recipe)
    epochs = steps_per_epoch(data.slots, recipe.batch_size, recipe.epochs, recipe.steps)
    training = _OfPairs(
        accelerator, [encoder], optimiser, data.tokens, recipe, seed, sum(epochs),
        set() if dev is None else scored_steps(epochs, recipe.dev_every), recipe.patience, recipe.clip,
        recompute=options.recompute, slots=data.slots, teachers=teachers, targets=targets, guide=guide,
        guide_vectors=guide_vectors, decoder=decoder, projection=layer, queue=queue,
    )  # fmt: skip
    history, counts = train(training, dev, options)
    views = len(pairs) // sum(map(len, data.slots))  # the rows of a slot are those of one view
    used = views * rows_used(data.slots, recipe.batch_size, history.epoch.value_counts().to_dict())
    return history, {**counts, "pairs": len(pairs), "pairs_used": used}


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
            over = of_first(training.out_of_patience, training.accelerator.device)
        progress_log.log()
        yield
    progress_log.sum_up()


@dataclass
class Training(ABC):
    """The state of a training run. Subclasses define the loss and the learning rate."""

    accelerator: Accelerator
    encoders: list[SentenceEncoder]  # all that is trained
    optimiser: Any
    tokens: Tokens  # of all texts
    recipe: Recipe | ContrastiveTensionRecipe
    seed: int
    steps: int  # of the whole run
    scored: set[int]  # those with a dev score, from 1
    patience: int | None = None  # end after this many dev scores in a row without a new best
    clip: float | None = None  # gradient norm
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

    def said(self, score: float) -> str:
        return f"dev score {score:.4f}"

    @property
    def out_of_patience(self) -> bool:
        if self.patience is None:
            return False
        scored = [row["best"] for row in self.progress.history if row["dev_score"] is not None]
        return len(scored) > self.patience and not any(scored[-self.patience :])

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
        if self.clip is not None:
            self.accelerator.clip_grad_norm_(self.weights.parameters(), self.clip)
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
                rate = row["learning_rate"]
                raise ConfigError(
                    f"the loss is {loss} at step {row['step']} of {self.steps} (learning rate {rate:g}, "
                    f"precision {self.accelerator.mixed_precision}). Lower the recipe's learning_rate, or "
                    "set its precision to float32."
                )
        self.losses.clear()

    def select(self, encoder: nn.Module, score: float) -> None:
        """Keep an encoder's weights if its `score` is strictly greater than the best so far."""
        progress, row = self.progress, self.progress.history[-1]
        if math.isnan(score):
            logger.warning("step %d: no dev score, all cosines are equal", progress.step)
            return
        row["dev_score"] = score if row["dev_score"] is None else max(score, row["dev_score"])
        best = progress.best_score is None or score > progress.best_score
        if best:
            row["best"] = True
            progress.best_score = score
            progress.best = copied(encoder.state_dict().items())
        logger.info("step %d: %s%s", progress.step, self.said(score), ", the best so far" * best)

    def finished(self) -> pd.DataFrame:
        """Give the first encoder the best weights, on every process, and return the history."""
        encoder = self.encoders[0]
        if self.progress.best is not None:
            encoder.load_state_dict(self.progress.best)
            assert self.progress.best_score is not None
            logger.info("the best: %s", self.said(self.progress.best_score))
        elif is_first():
            level = logging.WARNING if self.scored else logging.INFO
            logger.log(level, "there was no dev score: the weights of the last step are kept")
        give_all(encoder)
        encoder.eval()
        history = pd.DataFrame(self.progress.history, columns=HISTORY.columns)
        history["dev_score"] = history["dev_score"].astype("float64")
        return history


@dataclass
class _OfPairs(Training):
    """One encoder for all sides of a pair, and a loss of the whole batch."""

    recipe: Recipe
    slots: list[RowIds] = field(default_factory=list)
    teachers: Sequence[SentenceEncoder] = ()
    targets: np.ndarray | None = None  # float32 of shape (texts, D'): the teachers' vectors
    guide: SentenceEncoder | None = None
    guide_vectors: np.ndarray | None = None  # likewise
    decoder: Decoder | None = None  # TSDAE's
    projection: nn.Module | None = None  # to the teachers' dimensions
    queue: MomentumQueue | None = None

    @property
    def weights(self) -> nn.ModuleList:
        return nn.ModuleList([*self.encoders, *filter(None, [self.decoder, self.projection, self.queue])])

    @property
    def data(self) -> list[np.ndarray]:
        frozen = [each for each in (self.targets, self.guide_vectors) if each is not None]
        return [*super().data, *(array for slot in self.slots for array in slot.arrays), *frozen]

    def batches(self, done: int) -> Iterator[tuple[int, RowIds]]:
        recipe = self.recipe
        return batches(self.slots, recipe.batch_size, recipe.epochs, self.seed, done, recipe.steps)

    def scorer(self, encoder: SentenceEncoder, dev: pd.DataFrame) -> Callable[[], float]:
        if self.recipe.selects_by_loss:
            return loss_scorer(encoder, dev, self.recipe, self.teachers, self.guide)
        return super().scorer(encoder, dev)

    def said(self, score: float) -> str:
        return f"dev loss {-score:.4f}" if self.recipe.selects_by_loss else super().said(score)

    def rate(self, step: int) -> float:
        return learning_rate(step, self.steps, self.recipe)

    def step(self, epoch: int, rows: RowIds) -> None:
        history = self.progress.history
        if self.queue and history and history[-1]["epoch"] != epoch:
            self.queue.clear()  # so no anchor is its own negative
        super().step(epoch, rows)

    def loss(self, rows: RowIds) -> Tensor:
        if self.decoder is not None:
            anchors, damaged = (self.tokens.take(side) for side in rows.texts[:, :2].T)
            with self.accelerator.autocast():
                return self.decoder(self._vectors(damaged, self.encoders[0]), anchors)
        queue = None if self.queue is None else self.queue.vectors
        vectors = self.targets, self.recipe, self.guide_vectors
        loss = batch_loss(self._sides(rows), rows, *vectors, queue)
        if self.queue:
            with torch.no_grad():
                self.queue.follow(self.encoders[0])
                anchors = self.tokens.take(rows.texts[:, 0])
                self.queue.add(self._encoded(self.queue.encoder, anchors, rows.present[:, :1])[:, 0])
        return loss

    def _sides(self, rows: RowIds) -> Tensor:
        """Encode a batch, augmented: (N, S, D)."""
        # Item-major: anchor, positive and all other sides of a pair are adjacent, as in SimCSE.
        batch, sides = self.tokens.take(rows.texts[rows.present]), rows.present.nonzero()[1]
        kinds = np.select([sides == 0, np.isin(sides, rows.positives)], [0, 1], 2)
        encoder, key = self.encoders[0], (self.seed, self.progress.step)
        batch = augmentations.augmented(batch, kinds, encoder, self.recipe, *key)
        return self._encoded(encoder, batch, rows.present)

    def _encoded(self, encoder: SentenceEncoder, batch: Tokens, present: np.ndarray) -> Tensor:
        """Encode the texts of a batch's rows, each process those of its share, and gather all: (N, S, D).

        `present`: bool of shape (N, S), which sides the rows have; `batch` has these, row by row.
        """
        rows = len(present)
        here = share(rows)
        # A process without rows encodes one all the same, so that it has zero gradients for the sum.
        encoded = here if len(present[here]) else slice(0, 1)
        before, texts = present[: encoded.start].sum(), present[encoded].sum()
        vectors = self._vectors(batch.take(np.arange(before, before + texts)), encoder)
        # Half precision is too coarse for cosines.
        exact = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
        of_rows = in_places(exact, present[encoded])[: len(present[here])]
        if self.projection is not None:
            of_rows = self.projection(of_rows)
        return gathered(of_rows, here, rows)

    def _vectors(self, batch: Tokens, encoder: SentenceEncoder) -> Tensor:
        with self.accelerator.autocast():
            return encoder(batch, self.recompute and torch.is_grad_enabled())
