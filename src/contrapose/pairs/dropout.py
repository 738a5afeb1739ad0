"""Pairs of a sentence with itself."""

import logging

import pandas as pd

from contrapose.pairs.rows import as_pairs

logger = logging.getLogger(__name__)


def dropout_pairs(sentences: pd.DataFrame) -> pd.DataFrame:
    """Pair each sentence with itself; the encoder's dropout makes the two sides differ.  SimCSE, section 3.

    Parameters
    ----------
    sentences : SENTENCES table

    Returns
    -------
    PAIRS table, one row per sentence, in the order of the sentences
    """
    logger.info("%d sentences are their own positives", len(sentences))
    return as_pairs(id=sentences.id, anchor=sentences.text, positive=sentences.text)
