"""Pairs of another set with weights, or with fewer rows."""

import logging

import numpy as np
import pandas as pd
from scipy.special import expit

from contrapose.config.pairs import ReweightedPairs
from contrapose.errors import TableError
from contrapose.seeds import uniforms

logger = logging.getLogger(__name__)


def reweighted_pairs(pairs: pd.DataFrame, identified: pd.DataFrame, spec: ReweightedPairs) -> pd.DataFrame:
    """Weight pairs by how human their texts look, or leave out the least human ones.  RISE, section 4.

    Weights are not normalised (methods 5.3); `scaled` has them with mean 1.  What is drawn follows from the
    draw and the ids of all pairs alone, not from the order of the rows.

    Parameters
    ----------
    pairs : PAIRS table, each id once
    identified : IDENTIFIED table
        In any order; matched by id.  `random` needs no row of it.
    spec : ReweightedPairs

    Returns
    -------
    PAIRS table, in the order of the pairs

    Raises
    ------
    TableError
        A pair was not judged.
    """
    if spec.strategy == "filtering":
        return _filtered(pairs, _human(pairs.id, identified, spec.temperature), spec.dropped)
    drawn = uniforms((("pairs", spec.strategy, spec.draw, each) for each in pairs.id), 1)[:, 0]
    if spec.strategy == "random":
        weight = drawn
    else:
        weight = _human(pairs.id, identified, spec.temperature)
        if spec.strategy == "scaled":
            weight = weight / weight.mean()
        elif spec.strategy == "shuffled":
            weight[np.argsort(drawn)] = weight[np.argsort(pairs.id.to_numpy())]
    low, mean, high = np.min(weight), np.mean(weight), np.max(weight)
    logger.info("%d weights from %.4f to %.4f, mean %.4f", len(pairs), low, high, mean)
    return pairs.assign(weight=weight.astype("float32"))


def _human(ids: pd.Series, identified: pd.DataFrame, temperature: float) -> np.ndarray:
    """Return p(human) of each pair: float64 of shape (len(ids),), in [0, 1]."""
    logits = identified.set_index("id").logit.reindex(ids)
    lacking = logits.index[logits.isna()]
    if len(lacking):
        raise TableError(
            f"identified: {len(lacking)} of {len(ids)} pairs have no score; the first is '{lacking[0]}'. "
            "The scores belong to another version of the pairs: make them again."
        )
    return expit(logits.to_numpy() / temperature)


def _filtered(pairs: pd.DataFrame, p: np.ndarray, dropped: float) -> pd.DataFrame:
    """Return the pairs without a share of the lowest p; the id breaks ties."""
    count = round(dropped * len(pairs))
    lowest = np.lexsort((pairs.id.to_numpy(), p))[:count]
    logger.info("%d of %d pairs left out: p(human) up to %.4f", count, len(pairs), p[lowest].max(initial=0))
    return pairs.drop(pairs.index[lowest])
