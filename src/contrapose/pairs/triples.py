"""Pairs of a premise with what it entails, and a contradiction as hard negative where there is one."""

import logging

import pandas as pd

from contrapose.jobs import TripleSample
from contrapose.pairs.rows import as_pairs, sampled

logger = logging.getLogger(__name__)


def triple_pairs(triples: pd.DataFrame, spec: TripleSample) -> pd.DataFrame:
    """Pair each premise with its entailment; its contradiction is a hard negative.  SimCSE, section 4.

    Parameters
    ----------
    triples : TRIPLES table
    spec : TripleSample

    Returns
    -------
    PAIRS table
        Every triple in its order, or a sample of them, see `sampled`.
    """
    triples = sampled(triples, spec.triples, spec.seed, "triples", spec.dev, spec.part)
    logger.info(
        "%d pairs, %d of them with a hard negative", len(triples), triples.contradiction.notna().sum()
    )
    return as_pairs(
        id=triples.id, anchor=triples.premise, positive=triples.entailment, negative=triples.contradiction
    )
