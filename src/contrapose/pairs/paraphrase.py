"""Pairs of a sentence with its paraphrases by a language model."""

import logging

import pandas as pd

from contrapose.errors import TableError
from contrapose.pairs.rows import as_pairs

logger = logging.getLogger(__name__)


def paraphrase_pairs(sentences: pd.DataFrame, paraphrases: pd.DataFrame) -> pd.DataFrame:
    """Pair each sentence with all its paraphrases, paraphrase j in slot j.  Thesis, section 4.1.

    Epoch e trains on slot e mod n_slots, so each epoch sees every sentence once, with another paraphrase
    than in the epoch before.  The source is always the anchor (SPEC 1.5).

    Parameters
    ----------
    sentences : SENTENCES table
        After replacement: sentences without acceptable paraphrases are already exchanged.
    paraphrases : PARAPHRASES table
        Rows of sentences that are not in `sentences` are left out and counted in the log.

    Returns
    -------
    PAIRS table, slot by slot, within a slot in the order of the sentences

    Raises
    ------
    TableError
        The slots are not numbered 0, 1, 2 ... or a sentence lacks one.
    """
    slots = sorted(int(slot) for slot in paraphrases.slot.unique())
    if slots != list(range(len(slots))) or not slots:
        raise TableError(f"paraphrases: slots are {slots}, expected 0, 1, 2 ... Make the paraphrases again.")
    texts = paraphrases.pivot(index="sentence_id", columns="slot", values="text").reindex(sentences.id)
    lacking = texts.isna().any(axis="columns")
    if lacking.any():
        first = texts.index[lacking][0]
        have = [slot for slot in slots if isinstance(texts.loc[first, slot], str)]
        raise TableError(
            f"paraphrases: {int(lacking.sum())} of {len(sentences)} sentences lack a slot; the first is "
            f"'{first}', which has {have} of {slots}. Use the sentences after replacement."
        )
    unused = paraphrases.sentence_id.nunique() - len(sentences)
    logger.info("%d sentences x %d paraphrases; %d others not used", len(sentences), len(slots), unused)
    per_slot = [
        as_pairs(id=sentences.id, anchor=sentences.text, positive=texts[slot], slot=slot) for slot in slots
    ]
    return pd.concat(per_slot, ignore_index=True)
