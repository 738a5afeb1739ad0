"""Queries for documents by a local encoder-decoder, such as doc2query-t5.  Nogueira et al. 2019."""

import logging

import pandas as pd
import torch
from tqdm import tqdm

from contrapose.generate.encoder_decoders import Seq2SeqModel
from contrapose.seeds import derived_seed
from contrapose.tables import PARAPHRASES

logger = logging.getLogger(__name__)

DOCUMENTS = 32  # per batch; a constant, because the queries drawn depend on it
# Of the query generation of BEIR and GPL.
TOP_K, TOP_P, LONGEST = 25, 0.95, 64


def written_queries(documents: pd.DataFrame, model: Seq2SeqModel, count: int) -> pd.DataFrame:
    """Draw queries for each document, as GPL does: from the 25 likeliest tokens, of mass 0.95.

    Returns PARAPHRASES in the order of the documents, query j in slot j, without the documents that have an
    empty query.  The queries follow from documents, model and count alone, on one kind of device.
    """
    order = documents.text.str.len().sort_values(ascending=False, kind="stable").index
    starts = range(0, len(order), DOCUMENTS)
    parts = []
    for first in tqdm(starts, desc="queries", unit=f" x {DOCUMENTS} documents", mininterval=5, delay=5):
        some = documents.loc[order[first : first + DOCUMENTS]]
        torch.manual_seed(derived_seed("queries", first))
        texts = model.drawn(some.text.tolist(), count, TOP_K, TOP_P, LONGEST)
        ids, slots = some.id.repeat(count).array, [*range(count)] * len(some)
        parts.append(pd.DataFrame({"sentence_id": ids, "slot": slots, "text": texts}))
    found = pd.concat(parts).astype({"slot": "int16", "text": "str"})
    empty = set(found.sentence_id[found.text == ""])
    logger.info("%d documents, %d of them with an empty query are left out", len(documents), len(empty))
    kept = found[~found.sentence_id.isin(empty)].set_index("sentence_id")
    place = [each for each in documents.id if each not in empty]
    return kept.loc[place].reset_index()[PARAPHRASES.columns]
