"""What encoders that are distilled give to a training: the vectors of its texts."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import SentenceEncoder
from contrapose.seeds import derived_seed


def teacher_vectors(
    teachers: Sequence[SentenceEncoder], texts: Sequence[str], weights: Sequence[float] | None = None
) -> np.ndarray | None:
    """Return the vectors of texts by one teacher, float32 of shape (texts, D); None without any.

    Of several, unit vectors times the square roots of the weights, side by side: a cosine of two such vectors
    is the weighted mean of the teachers' cosines.  Weights count by their ratios; None: they are equal.
    """
    found = [embeddings(each, texts) for each in teachers]
    if len(found) < 2:
        return found[0] if found else None
    shares = np.sqrt(weights or np.ones(len(found))).astype(np.float32)
    lengths = (np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in found)
    return np.hstack([a * each / length for a, each, length in zip(shares, found, lengths, strict=True)])


def projection(dimensions: int, wanted: int, seed: int) -> nn.Linear | None:
    """Return a layer from vectors of the student's dimensions to the teacher's; None if they are the same.

    It is trained with the encoder and thrown away; what it starts from follows from `seed` alone.
    """
    if dimensions == wanted:
        return None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("projection", seed))
        return nn.Linear(dimensions, wanted)
