"""Train an encoder on PAIRS, whatever strategy made them, by any loss."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from contrapose.base.seeds import derived_seed
from contrapose.models.distributed import accelerator_on, encoded_by_shares
from contrapose.models.embeddings import embeddings
from contrapose.models.epochs import batches, rows_used, scored_steps, steps_per_epoch
from contrapose.models.schedule import adamw, learning_rate
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.models.tokens import Tokens
from contrapose.models.used_words import only_used_words
from contrapose.train import augmentations
from contrapose.train.batches import TokenisedPairs, check_negatives, in_places, part_of, tokenised_pairs
from contrapose.train.decoder import Decoder
from contrapose.train.dev_scores import loss_scorer
from contrapose.train.loop import RunOptions, Training, train
from contrapose.train.objective import batch_loss, teacher_vectors
from contrapose.train.recipe import LOSSES, Recipe
from contrapose.train.rows import RowIds


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
    a `queue`, and the activations of a batch, or with `recompute` of `piece_tokens` tokens.  Of the word
    embeddings, these weights are those of the words in the pairs, see `only_used_words`.

    `encoder`, `pairs`, `dev`: from `new_encoder`, with the same recipe and seed; PAIRS table; see `read_dev`.
    `teachers`: encode every distinct text once, before training, truncated at their own `max_length`, not at
        the recipe's, as vocabularies differ.  4 bytes x their dimensions per text.
    `guide`: the same, for the guide of InfoNCE.

    Returns a HISTORY table, one row per optimiser step, and counts: of distinct `texts`, of those truncated
    (`cut`), of `pairs`, of those in a batch (`pairs_used`), of `slots`.  Raises TableError or ConfigError if
    the pairs cannot be trained on, the recipe does not fit encoder or machine, or the loss is not finite;
    StoppedError if SIGTERM was received, and the checkpoint has been written after the current step.
    """
    options = options or RunOptions()
    if recipe.train_fraction < 1:
        pairs, recipe = part_of(pairs, recipe, seed)
    lengths = (recipe.max_length, recipe.query_length)
    encoder.check(*lengths, recipe.matryoshka)
    augmentations.check(encoder, recipe)
    data = tokenised_pairs(pairs, encoder, *lengths, recipe)
    check_negatives(data.slots, recipe)
    accelerator = accelerator_on(options.device, recipe.precision or options.precision)
    targets = teacher_vectors(teachers, data.texts, recipe.teacher_weights)
    guide_vectors = embeddings(guide, data.texts) if guide else None
    encoder.to(accelerator.device).train()
    with _words_in(encoder, data, recipe):
        decoder = LOSSES[recipe.loss].build(recipe, encoder, seed) if recipe.of_loss.decodes else None
        length = recipe.momentum_queue_size
        queue = MomentumQueue(encoder, length, recipe.momentum) if length else None
        wide = targets.shape[1] if recipe.of_loss.projects and targets is not None else None
        layer = projection(encoder.dimensions, wide, seed) if wide else None
        added = [*filter(None, [decoder, layer and layer.to(next(encoder.parameters()))])]
        optimiser = adamw(nn.ModuleList([encoder, *added]), recipe)
        epochs = steps_per_epoch(data.slots, recipe.batch_size, recipe.epochs, recipe.steps)
        training = ContrastiveTraining(
            accelerator, [encoder], optimiser, data.tokens, recipe, seed, sum(epochs),
            set() if dev is None else scored_steps(epochs, recipe.dev_every),
            recipe.early_stopping_patience, recipe.max_grad_norm,
            recompute=options.recompute, slots=data.slots, teachers=teachers, targets=targets, guide=guide,
            guide_vectors=guide_vectors, decoder=decoder, projection=layer, queue=queue,
        )  # fmt: skip
        history, counts = train(training, dev, options)
    views = len(pairs) // sum(map(len, data.slots))  # the rows of a slot are those of one view
    used = views * rows_used(data.slots, recipe.batch_size, history.epoch.value_counts().to_dict())
    return history, {**counts, "pairs": len(pairs), "pairs_used": used, "slots": len(data.slots)}


def _words_in(encoder: SentenceEncoder, data: TokenisedPairs, recipe: Recipe) -> AbstractContextManager:
    """Train the embeddings of the words in the pairs only, where all others would stay as they are."""
    if recipe.weight_decay or recipe.of_loss.decodes:  # a decoder shares all embeddings, to predict words
        return nullcontext()
    return only_used_words(encoder.model, np.append(data.tokens.ids, encoder.tokenizer.pad_token_id))


class MomentumQueue(nn.Module):
    """The last vectors of anchors, (Q, D), zeros where there are none yet, and the encoder that makes them.

    ESimCSE's momentum contrast (Wu et al. 2022, section 3.2; caskcsg/sentemb @5eeec55): anchors of earlier
    batches are further negatives.  Their encoder is a moving average of the trained one, without dropout; its
    head and projector are the trained ones themselves, as in the authors' code.  Checkpoints hold all of it.
    """

    vectors: Tensor

    def __init__(self, encoder: SentenceEncoder, size: int, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum
        self.encoder = copy.deepcopy(encoder)
        self.encoder.head, self.encoder.projector = encoder.head, encoder.projector
        self.encoder.model.requires_grad_(False).eval()
        some = next(encoder.parameters())
        zeros = torch.zeros(size, encoder.dimensions, dtype=some.dtype, device=some.device)
        self.register_buffer("vectors", zeros)

    @torch.no_grad()
    def follow(self, encoder: SentenceEncoder) -> None:
        """Average the weights: momentum x old + (1 - momentum) x those of the trained encoder."""
        averaged, trained = (list(each.model.parameters()) for each in (self.encoder, encoder))
        torch._foreach_lerp_(averaged, trained, 1 - self.momentum)

    def add(self, vectors: Tensor) -> None:
        """Put the vectors of a batch, (B, D), after the others; the oldest leave."""
        self.vectors = torch.cat([self.vectors, vectors.to(self.vectors.dtype)])[-len(self.vectors) :]

    def clear(self) -> None:
        self.vectors = torch.zeros_like(self.vectors)


@dataclass
class ContrastiveTraining(Training):
    """One encoder for all sides of a pair, and a loss of the whole batch."""

    recipe: Recipe
    slots: list[RowIds] = field(default_factory=list)
    teachers: Sequence[SentenceEncoder] = ()
    targets: np.ndarray | None = None  # float32 of shape (texts, D'): the teachers' vectors
    guide: SentenceEncoder | None = None
    guide_vectors: np.ndarray | None = None  # of the guide, of the same shape
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

    def format_score(self, score: float) -> str:
        return f"dev loss {-score:.4f}" if self.recipe.selects_by_loss else super().format_score(score)

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
        """Encode the texts of a batch's rows: (N, S, D).

        `present`: bool of shape (N, S), which sides the rows have; `batch` has these, row by row.
        """

        def encode(rows: slice) -> Tensor:
            before, texts = present[: rows.start].sum(), present[rows].sum()
            vectors = self._vectors(batch.take(np.arange(before, before + texts)), encoder)
            # Half precision is too coarse for cosines.
            exact = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
            of_rows = in_places(exact, present[rows])
            return of_rows if self.projection is None else self.projection(of_rows)

        return encoded_by_shares(len(present), encode)

    def _vectors(self, batch: Tokens, encoder: SentenceEncoder) -> Tensor:
        with self.accelerator.autocast():
            return encoder(batch, self.recompute and torch.is_grad_enabled())


def projection(dimensions: int, wanted: int, seed: int) -> nn.Linear | None:
    """Return a layer from vectors of the student's dimensions to the teacher's; None if they are the same.

    It is trained with the encoder and thrown away; what it starts from follows from `seed` alone.
    """
    if dimensions == wanted:
        return None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("projection", seed))
        return nn.Linear(dimensions, wanted)
