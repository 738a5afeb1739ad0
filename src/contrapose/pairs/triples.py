"""Pairs of a premise with what it entails, and a contradiction as hard negative."""

import logging

import pandas as pd

from contrapose.errors import TableError
from contrapose.jobs import TripleSample
from contrapose.pairs.rows import as_pairs
from contrapose.seeds import generator

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
        Every triple in its order, or a sample without replacement in the order of the draw: a small one is
        the head of a larger one with the same seed.

    Raises
    ------
    TableError
        There are fewer triples than wanted.
    """
    wanted = len(triples) if spec.triples is None else spec.triples
    if len(triples) < wanted:
        raise TableError(
            f"triples: there are {len(triples)}, the pair set wants {wanted}. "
            "Give the pair set a smaller size, or none for every triple."
        )
    if spec.triples is not None:
        order = generator("pairs", "triples", spec.seed).permutation(len(triples))
        triples = triples.iloc[order[:wanted]]
    logger.info("%d premises with an entailment and a contradiction", len(triples))
    return as_pairs(
        id=triples.id, anchor=triples.premise, positive=triples.entailment, negative=triples.contradiction
    )
