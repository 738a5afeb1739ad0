"""What selects the checkpoint: Spearman's correlation on a dev set, or the loss of dev pairs."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr

from contrapose.base.errors import TableError, counted
from contrapose.base.tasks import DevTask
from contrapose.jobs.status import read_pairs
from contrapose.models.cosines import paired_cosines
from contrapose.models.embeddings import embeddings, encoded, tokenised_texts, vectors_of
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.tables import BENCHMARK, read_table
from contrapose.train.batches import in_places, tokenised_pairs
from contrapose.train.objective import batch_loss, teacher_vectors
from contrapose.train.recipe import Recipe


def read_dev(path: str | Path, recipe: Recipe | ContrastiveTensionRecipe) -> pd.DataFrame | None:
    """Read the data that a recipe's `dev` selects checkpoints on: evaluation sets, or a pair set.

    A PAIRS table if the loss selects, else a DataFrame with columns sentence1, sentence2 and score; None if
    nothing selects.
    """
    if recipe.dev is None:
        return None
    if recipe.dev != "pairs":
        return dev_pairs(read_table(path, BENCHMARK), recipe.dev)
    pairs = read_pairs(path)
    return pairs if recipe.selects_by_loss else labelled_pairs(pairs)


def labelled_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return pairs as sentence1 and sentence2, and their labels as score; weights are ignored.

    Raises TableError if there are fewer than two, or one has no label.
    """
    if len(pairs) < 2 or pairs.label.isna().any():
        raise TableError(
            f"dev pairs: there are {len(pairs)} rows, {int(pairs.label.isna().sum())} of them without "
            "a label. Selecting a checkpoint needs at least 2 rows, all with labels. Their log in "
            "the folder logs/pairs says how they were built."
        )
    named = {"anchor": "sentence1", "positive": "sentence2", "label": "score"}
    return pairs.rename(columns=named)[list(named.values())]


def dev_pairs(benchmarks: pd.DataFrame, task: DevTask = "stsb") -> pd.DataFrame:
    """Return a task's dev rows in the text form that SimCSE evaluates; a TableError if fewer than two."""
    chosen = (benchmarks.task == task) & (benchmarks.split == "dev") & (benchmarks.form == "senteval")
    if chosen.sum() < 2:
        have = sorted(set(benchmarks.task + "/" + benchmarks.split + "/" + benchmarks.form))
        raise TableError(
            f"benchmarks: task {task} has {counted(int(chosen.sum()), 'dev pair')}, but at least 2 "
            "are needed to choose a checkpoint. Add a set of this task with a dev split to the benchmarks "
            f"of the catalog, and do not set its key `form`. Task, split and form of the pairs that are "
            f"there: {', '.join(have) or 'none'}."
        )
    return benchmarks[chosen]


def dev_scorer(encoder: SentenceEncoder, dev: pd.DataFrame) -> Callable[[], float]:
    """Return a function that scores the encoder's current weights, in evaluation mode and float32.

    Spearman's correlation of cosines with gold scores, in [-1, 1]; NaN if all cosines or all gold scores are
    equal. The sentences, columns sentence1 and sentence2, are tokenised once.
    """
    texts = tokenised_texts(encoder, [*dev.sentence1, *dev.sentence2])

    def score() -> float:
        cosines = paired_cosines(*np.split(encoded(encoder, texts), 2))
        if np.ptp(cosines) == 0 or dev.score.nunique() == 1:
            return math.nan
        return float(spearmanr(cosines, dev.score).statistic)

    return score


def loss_scorer(
    encoder: SentenceEncoder,
    dev: pd.DataFrame,
    recipe: Recipe,
    teachers: Sequence[SentenceEncoder] = (),
    guide: SentenceEncoder | None = None,
) -> Callable[[], float]:
    """Return a function that gives minus InfoNCE on dev pairs, without dropout, in float32.

    The mean over pairs, in nats: higher is better, like any dev score.  The loss is that of whole batches of
    `batch_size` pairs in the order of the table (the last may be smaller), as SimCSE's code computes it in
    evaluation.  A head that is used in training only is included, as the loss is defined on its output.  If
    each pair is a sentence with itself, the two sides are equal: InfoNCE then measures how far apart
    different sentences are, RankCSE's consistency is 0, and only its distillation loss counts.

    Raises TableError if there are fewer than two pairs: a single pair has no other candidates.
    """
    if len(dev) < 2:
        raise TableError(
            f"dev pairs: there are {len(dev)} rows, but selecting a checkpoint needs at least 2. "
            "Raise held_out of the pair set."
        )
    recipe = recipe.model_copy(update={"loss": "info_nce"})  # dev pairs have no margins
    lengths = (recipe.max_length, recipe.query_length)
    data = tokenised_pairs(dev, encoder, *lengths, recipe)
    targets = teacher_vectors(teachers, data.texts, recipe.teacher_weights)
    guided = embeddings(guide, data.texts) if guide else None
    size = recipe.batch_size
    batches = [
        rows[np.arange(first, min(first + size, len(rows)))]
        for rows in data.slots
        for first in range(0, len(rows), size)
    ]

    def score() -> float:
        parts = [each for each in (encoder.model, encoder.head) if each.training]
        for part in parts:  # not of the encoder itself, which would leave out what is for training alone
            part.eval()
        vectors = torch.from_numpy(vectors_of(encoder, data.tokens))  # (texts, D)
        for part in parts:
            part.train()
        of_pairs = 0.0
        for rows in batches:
            sides = in_places(vectors[rows.texts[rows.present]], rows.present)
            of_pairs += len(rows) * batch_loss(sides, rows, targets, recipe, guided).item()
        return -of_pairs / sum(map(len, batches))

    return score
