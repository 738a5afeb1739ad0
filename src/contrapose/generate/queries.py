"""Write queries for every document of a corpus with an encoder-decoder on this machine, such as doc2query-t5.

Nogueira et al. 2019.
"""

import logging
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.pairs.strategy import Sentences
from contrapose.seeds import derived_seed
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import LanguageModelHub
from contrapose.steps import FromJob, Project, Rows, planned
from contrapose.tables import PARAPHRASES

if TYPE_CHECKING:
    from contrapose.generate.encoder_decoders import Seq2SeqModel

DOCUMENTS = 32  # per batch; a constant, because the queries drawn depend on it
# Of the query generation of BEIR and GPL.
TOP_K, TOP_P, LONGEST = 25, 0.95, 64

logger = logging.getLogger(__name__)


class QueryWriting(Spec):
    """What queries of an encoder-decoder depend on, beside the corpus and the files of the model."""

    queries: int = Field(ge=1, description="Per document")
    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")


@planned
def plan(project: Project, corpus: str, writer: str, queries: str) -> QueryWriting:
    return QueryWriting(queries=int(queries), hub=project.language_model(writer).hub)


def _writer(spec: QueryWriting, job: Any) -> "Seq2SeqModel":
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    source, revision = (
        (spec.hub.model, spec.hub.revision) if spec.hub else (job.resources.language_model, None)
    )
    return Seq2SeqModel(source, job.resources.device, revision, "writer of queries")


def build(
    spec: QueryWriting, sentences: Sentences, model: Annotated["Seq2SeqModel", FromJob(_writer)]
) -> Annotated[pd.DataFrame, Rows(PARAPHRASES)]:
    """Draw queries for each document, as GPL does: from the 25 likeliest tokens, of mass 0.95.

    Returns PARAPHRASES in the order of the documents, query j in slot j, without the documents that have an
    empty query.  The queries follow from documents, model and count alone, on one kind of device.
    """
    order = sentences.text.str.len().sort_values(ascending=False, kind="stable").index
    starts = range(0, len(order), DOCUMENTS)
    parts = []
    for first in tqdm(starts, desc="queries", unit=f" x {DOCUMENTS} documents", mininterval=5, delay=5):
        some = sentences.loc[order[first : first + DOCUMENTS]]
        seed = derived_seed("queries", first)
        texts = model.drawn(some.text.tolist(), spec.queries, TOP_K, TOP_P, LONGEST, seed)
        ids, slots = some.id.repeat(spec.queries).array, [*range(spec.queries)] * len(some)
        parts.append(pd.DataFrame({"sentence_id": ids, "slot": slots, "text": texts}))
    queries = pd.concat(parts).astype({"slot": "int16", "text": "str"})
    empty = set(queries.sentence_id[queries.text == ""])
    logger.info("%d documents, %d of them with an empty query are left out", len(sentences), len(empty))
    kept = queries[~queries.sentence_id.isin(empty)].set_index("sentence_id")
    place = [each for each in sentences.id if each not in empty]
    return kept.loc[place].reset_index()[PARAPHRASES.columns]
