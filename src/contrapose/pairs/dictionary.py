"""Pairs of a sentence with one of the candidates that a dictionary gives for it."""

import logging
from collections.abc import Iterable

import numpy as np
import pandas as pd

from contrapose.dictionary.scored import most_fluent
from contrapose.errors import TableError
from contrapose.jobs import DictionaryJob
from contrapose.pairs.rows import as_pairs
from contrapose.seeds import uniforms

logger = logging.getLogger(__name__)

NONE = pd.DataFrame(columns=["sentence_id", "text"], dtype=str)  # no candidate


def dictionary_pairs(
    sentences: pd.DataFrame, candidates: Iterable[pd.DataFrame], spec: DictionaryJob
) -> pd.DataFrame:
    """Pair each sentence with its most fluent candidate, or with any of them.  PPDB-CSE, section 3.2.

    Sentences without a candidate are passed over (SPEC 5.3), so sizes count pairs: `skipped` of them, in the
    order of the sentences, belong to the other part, and the next ones become the pair set.

    Memory: two texts for each sentence of the corpus that has a candidate; the others are streamed.

    Parameters
    ----------
    sentences : SENTENCES table
    candidates : what `scored_candidates` yields at the threshold
    spec : DictionaryJob

    Returns
    -------
    PAIRS table, at most one row per sentence, in the order of the sentences

    Raises
    ------
    TableError
        There are fewer pairs than wanted.
    """
    chosen = pd.concat([NONE, *(_chosen(each, spec) for each in candidates)])
    joined = sentences.merge(chosen, left_on="id", right_on="sentence_id", suffixes=("", "_rewrite"))
    there = (
        f"{len(joined)} of {len(sentences)} sentences have a candidate of probability {spec.threshold:g} or "
        "more"
    )
    logger.info("%s", there)
    wanted = spec.skipped + (spec.pairs or 0)
    if len(joined) < max(wanted, spec.skipped + 1):
        raise TableError(
            f"pairs: {there}, but {spec.pairs or 'some'} pairs are wanted behind the first {spec.skipped}. "
            "Lower the threshold, raise the size of the corpus, or lower those of the pair set (sizes of the "
            "world)."
        )
    rows = joined.iloc[spec.skipped : None if spec.pairs is None else wanted]
    return as_pairs(id=rows.id, anchor=rows.text, positive=rows.text_rewrite)


def _chosen(candidates: pd.DataFrame, spec: DictionaryJob) -> pd.DataFrame:
    chosen = most_fluent(candidates) if spec.choice == "fluent" else drawn(candidates, spec.draw)
    return chosen[list(NONE)]


def drawn(candidates: pd.DataFrame, draw: int) -> pd.DataFrame:
    """Return any candidate of each sentence, drawn by the sentence's id."""
    groups = candidates.groupby("sentence_id", sort=False)
    counts = groups.size()
    keys = (("pairs", "dictionary", draw, name) for name in counts.index)
    places = pd.Series(np.floor(uniforms(keys, 1)[:, 0] * counts), counts.index)
    return candidates[groups.cumcount() == candidates.sentence_id.map(places)]
