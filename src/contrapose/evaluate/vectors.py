"""The vectors of sentences, from an encoder or from word vectors."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contrapose.evaluate.word_vectors import word_averages
from contrapose.train.embeddings import embeddings
from contrapose.train.encoder import encoder_of
from contrapose.train.jobs import EncoderJob


def sentence_vectors(
    job: EncoderJob, source: str, texts: Sequence[str], device: str
) -> tuple[np.ndarray, str]:
    """Return the vectors of texts, and a description of their pooling.

    Parameters
    ----------
    source : str
        Folder of an encoder on disk, or file of word vectors.
    device : as for `encoder_of`

    Returns
    -------
    vectors : float32 array of shape (n, D)
    pooling : str
        `avg + Dense + Normalize`: the pooler and what follows it.
    """
    if job.encoder is None and Path(source).is_file():
        return word_averages(source, texts), "mean of word vectors"
    encoder = encoder_of(job, source, device)
    pooling = " + ".join([encoder.pooler, *(type(module).__name__ for module in encoder.head)])
    return embeddings(encoder, texts), pooling
