"""Join the shards of a sampled corpus: the first accepted sentences, each text once."""

import logging
from collections import Counter
from typing import Annotated

import pandas as pd

from contrapose.base.errors import TableError
from contrapose.corpus.draw import CorpusDraws, plan
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Rows
from contrapose.settings.refs import as_number
from contrapose.tables import DRAWS, SENTENCES

__all__ = ["build", "plan"]  # the settings of the draws, of which it takes a part

logger = logging.getLogger(__name__)


def build(
    spec: CorpusDraws, draws: Annotated[pd.DataFrame, Rows(DRAWS)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Join the draws, see `corpus_sentences`; the file says what was rejected."""
    sentences, rejected = corpus_sentences(draws, spec)
    return with_status(sentences, counts=rejected)


def corpus_sentences(draws: pd.DataFrame, spec: CorpusDraws) -> tuple[pd.DataFrame, dict[str, int]]:
    """Take the first accepted sentences of all draws, without duplicates.

    Returns a SENTENCES table, `spec.size` rows in the order of the draws, and by reason how many draws were
    rejected, up to the last sentence kept; `duplicate` counts sentences.  `draws` is the DRAWS table of all
    shards, in any order.  Raises TableError if there are too few accepted sentences.

    Memory: about 450 bytes per draw, including `draws` and the table that is written.
    """
    ordered = draws.sort_values(["draw", "rank"], ignore_index=True)
    accepted = ordered[ordered.rejected == ""]
    repeated = accepted.duplicated("text")
    kept = accepted[~repeated].head(as_number(spec.size))
    enough = len(kept) == spec.size
    last = int(kept.index[-1]) if enough else len(ordered)
    reasons = ordered.rejected.iloc[:last]
    rejected = Counter(reasons[reasons != ""])
    if repeated[repeated.index < last].any():
        rejected["duplicate"] = int(repeated[repeated.index < last].sum())
    counts = dict(sorted(rejected.items()))
    made = ordered.draw.nunique()
    if not enough:
        raise _too_few(len(kept), made, counts, spec)
    needed = int(ordered.draw[last]) + 1
    logger.info("%d sentences from the first %d of %d draws; rejected: %s", len(kept), needed, made, counts)
    sentences = kept.assign(id=kept.article_id + ":" + kept.position.astype(str))
    return sentences[SENTENCES.columns].reset_index(drop=True), counts


def _too_few(kept: int, made: int, counts: dict[str, int], spec: CorpusDraws) -> TableError:
    rejected = ", ".join(f"{n} {reason}" for reason, n in counts.items()) or "none"
    # Method 3 draws no article twice: there were fewer articles than draws wanted.
    if made < spec.draws:
        action = (
            "All articles have been drawn. Add articles, or lower the size of the corpus in the catalog file."
        )
    else:
        action = "Raise draws_per_sentence in the catalog file, or add articles with sentences that fit."
    return TableError(
        f"Corpus drawn by method {spec.method}, seed {spec.seed}: {made} draws gave {kept} of "
        f"{spec.size} sentences. Rejected: {rejected}. {action}"
    )
