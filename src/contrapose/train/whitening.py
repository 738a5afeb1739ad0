"""BERT-whitening: vectors with mean 0 and covariance I.  Su et al. (2021)."""

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from contrapose.base.errors import ConfigError
from contrapose.jobs.inputs import Pairs
from contrapose.jobs.step import planned
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import WhiteningRecipe
from contrapose.tables import HISTORY, empty
from contrapose.train import training
from contrapose.train.training import Finish, Pretrained, Trained, TrainingSettings

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder

logger = logging.getLogger(__name__)

TEXTS_AT_ONCE = 10_000  # whose vectors are in memory at once: 40 MB for 1,024 dimensions


@planned
def plan(project: Plan, pairs: str, recipe: str, seed: str) -> TrainingSettings:
    """Return settings with a fixed seed: whitening gives the same encoder with every seed."""
    return training.plan(project, pairs, recipe, "0")


def build(
    spec: TrainingSettings[WhiteningRecipe], pairs: Pairs, encoder: Pretrained, finish: Finish
) -> Trained:
    """Whiten the vectors of an encoder on the sentences of a table of pairs."""
    from contrapose.train.batches import distinct_texts

    fit_whitening(encoder, distinct_texts(pairs), spec.recipe)
    return finish(encoder, empty(HISTORY), pairs=len(pairs), pairs_used=len(pairs))


def fit_whitening(encoder: "SentenceEncoder", texts: Sequence[str], recipe: WhiteningRecipe) -> None:
    """Put a whitening layer and a normalisation after the pooler of an encoder, fitted to its vectors.

    x becomes (x - mu) W, where W holds the eigenvectors of the covariance divided by the roots of their
    eigenvalues, largest first; then x is normalised to length 1.  Nothing is random.  Unlike in the authors'
    code, repeated sentences count once, padding is ignored, and no text is truncated at evaluation.

    They take the place of what its folder declares after the pooling.  Raises ConfigError if the vectors
    spread in fewer directions than `components`, or in none, or if the recipe does not fit the encoder.
    """
    import torch

    from contrapose.models.embeddings import embeddings
    from contrapose.models.heads import Dense, Normalize

    encoder.check(recipe.max_length)
    encoder.head = torch.nn.Sequential()
    blocks = (texts[first : first + TEXTS_AT_ONCE] for first in range(0, len(texts), TEXTS_AT_ONCE))
    limit, encoder.max_length = encoder.max_length, min(recipe.max_length, encoder.max_length)
    mean, covariance = moments(embeddings(encoder, some) for some in blocks)
    encoder.max_length = limit
    values, directions = widest_directions(covariance)
    if len(values) < (recipe.components or 1):
        raise ConfigError(
            f"recipe: components is {recipe.components or 'null'}, but the vectors of {len(texts)} "
            f"sentences vary in only {len(values)} of {len(mean)} directions. Lower components, or "
            "use more sentences."
        )
    kept = recipe.components or len(values)
    logger.info(
        "%d of %d directions kept, standard deviations %.3g to %.3g; %d sentences",
        kept,
        len(mean),
        values[0] ** 0.5,
        values[kept - 1] ** 0.5,
        len(texts),
    )
    weight = (directions[:, :kept] / np.sqrt(values[:kept])).T  # W^T, (k, D)
    layer = Dense(len(mean), kept, "Identity")
    layer.linear.load_state_dict(
        {"weight": torch.from_numpy(weight).float(), "bias": torch.from_numpy(-weight @ mean).float()}
    )
    encoder.head = torch.nn.Sequential(layer, Normalize()).to(encoder.device)


def moments(blocks: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and covariance (divisor n - 1) in one pass, in float64.

    Each block is centred separately and merged with a correction for its mean (Chan, Golub and LeVeque,
    1983): as accurate as two passes, even if the mean is large compared with the spread, as in BERT.  Blocks
    of shape (n_i, D) give arrays of shape (D,) and (D, D); the covariance of a single vector is 0.
    """
    count, mean, scatter = 0, np.zeros(1), np.zeros((1, 1))
    for block in blocks:
        exact = block.astype(np.float64)
        block_mean = exact.mean(axis=0)
        centred, apart = exact - block_mean, block_mean - mean
        both = count + len(block)
        scatter = scatter + centred.T @ centred + np.outer(apart, apart) * (count * len(block) / both)
        mean = mean + apart * (len(block) / both)
        count = both
    return mean, scatter / max(1, count - 1)


def widest_directions(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the variances and directions in which vectors spread, widest first: (r,) and (D, r), float64.

    Directions whose standard deviation is at most D eps of the largest, with the eps of float32, contain only
    rounding errors (the rule of numpy's `matrix_rank`) and are dropped.  For n vectors, at most n - 1 remain.
    The directions are eigenvectors as columns, r <= D.
    """
    values, directions = np.linalg.eigh(covariance)  # ascending
    least = values[-1] * (len(values) * np.finfo(np.float32).eps) ** 2
    dropped = int((values <= max(least, 0)).sum())
    return values[dropped:][::-1], directions[:, dropped:][:, ::-1]
