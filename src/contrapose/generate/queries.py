"""Write queries for every document of a corpus with an encoder-decoder on this machine, such as doc2query-t5.

Nogueira et al. 2019.
"""

import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.seeds import derived_seed
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.state import made_once
from contrapose.jobs.step import FromJob, Rows, State, planned
from contrapose.models.given import OfLanguageModel
from contrapose.settings.plan import Plan
from contrapose.tables import PARAPHRASES

if TYPE_CHECKING:
    from contrapose.generate.encoder_decoders import Seq2SeqModel

# Documents in a batch, and queries of each; constants, because what is drawn depends on them.
DOCUMENTS, QUERIES = 32, 5
# Of the query generation of BEIR and GPL.
TOP_K, TOP_P, LONGEST = 25, 0.95, 64
ALL_QUERIES, FEWEST_QUERIES = 250_000, 3  # of a corpus, and of a document.  UKPLab/gpl, `gpl/train.py`
MOST_SLOTS = 2**15  # that an int16 numbers

logger = logging.getLogger(__name__)


Queries = Annotated[int, Field(ge=1)] | Literal["auto"]  # per document


class QueryWriting(OfLanguageModel):
    """What queries of an encoder-decoder depend on, beside the corpus and the files of the model."""

    queries: Queries = Field(description="Per document; auto: see `queries_per_document`")


@planned
def plan(project: Plan, corpus: str, writer: str, queries: str) -> QueryWriting:
    """Return the number of queries a document, or `auto`, and the revision of the model that writes."""
    count: Queries = "auto" if queries == "auto" else int(queries)
    return QueryWriting(queries=count, hub=project.language_model(writer).hub)


def _model(spec: OfLanguageModel, job: SnakemakeJob) -> "Seq2SeqModel":
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    source, revision = spec.source(job)
    return Seq2SeqModel(source, job.resources.device, revision, "encoder-decoder")


EncoderDecoder = Annotated["Seq2SeqModel", FromJob(_model)]


def queries_per_document(documents: int) -> int:
    """Return how many queries GPL's released models have seen: 250,000 in all, at least three a document.

    `queries_per_passage: -1` of UKPLab/gpl, `gpl/train.py`.
    """
    return min(max(FEWEST_QUERIES, math.ceil(ALL_QUERIES / max(1, documents))), MOST_SLOTS)


def build(
    spec: QueryWriting, sentences: Sentences, model: EncoderDecoder, state: State
) -> Annotated[pd.DataFrame, Rows(PARAPHRASES)]:
    """Draw queries for each document, as GPL does: from the 25 likeliest tokens, of mass 0.95.

    `state` keeps finished batches, so that a killed job resumes there and gives the same bytes.

    Returns PARAPHRASES in the order of the documents, query j in slot j, without the documents that have an
    empty query.  The queries follow from documents, model and count alone, on one kind of device.
    """
    count = queries_per_document(len(sentences)) if spec.queries == "auto" else spec.queries
    order = sentences.text.str.len().sort_values(ascending=False, kind="stable").index
    batches = [(at, slot) for at in range(0, len(order), DOCUMENTS) for slot in range(0, count, QUERIES)]
    parts = []
    for at, slot in tqdm(batches, desc="queries", unit=" batches", mininterval=5, delay=5):
        some, slots = sentences.loc[order[at : at + DOCUMENTS]], range(slot, min(slot + QUERIES, count))
        file = state / f"{model.identity(*some.id, *some.text, f'{at} {slots}')}.parquet"
        parts.append(made_once(file, PARAPHRASES, partial(_drawn, model, some, at, slots)))
    queries = pd.concat(parts)
    empty = set(queries.sentence_id[queries.text == ""])
    logger.info("%d documents are used, and %d with an empty query are skipped", len(sentences), len(empty))
    kept = queries[~queries.sentence_id.isin(empty)].set_index("sentence_id")
    place = [each for each in sentences.id if each not in empty]
    return kept.loc[place].reset_index()[PARAPHRASES.columns]


def _drawn(model: "Seq2SeqModel", some: pd.DataFrame, at: int, slots: range) -> pd.DataFrame:
    seed = derived_seed("queries", at, *([slots.start] if slots.start else []))
    texts = model.drawn(some.text.tolist(), len(slots), TOP_K, TOP_P, LONGEST, seed)
    ids = some.id.repeat(len(slots)).array
    queries = pd.DataFrame({"sentence_id": ids, "slot": [*slots] * len(some), "text": texts})
    return queries.astype({"slot": "int16", "text": "str"})
