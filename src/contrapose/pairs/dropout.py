"""Pairs of a sentence with itself."""

import logging

import pandas as pd

from contrapose.jobs import DropoutJob
from contrapose.pairs.rows import as_pairs, sampled

logger = logging.getLogger(__name__)


def dropout_pairs(sentences: pd.DataFrame, spec: DropoutJob) -> pd.DataFrame:
    """Pair each sentence with itself; the encoder's dropout makes the two sides differ.  SimCSE, section 3.

    Parameters
    ----------
    sentences : SENTENCES table
    spec : DropoutJob

    Returns
    -------
    PAIRS table, one row per sentence, in the order of the sentences or of the sample, see `sampled`
    """
    sentences = sampled(sentences, spec.sentences, spec.draw, "sentences", spec.dev, spec.part)
    logger.info("%d sentences are their own positives", len(sentences))
    return as_pairs(id=sentences.id, anchor=sentences.text, positive=sentences.text)
