"""Write queries for every document of a corpus with an encoder-decoder on this machine."""

from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
from pydantic import Field

from contrapose.pairs.strategy import Sentences
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import LanguageModelHub
from contrapose.steps import FromJob, Project, Rows, planned
from contrapose.tables import PARAPHRASES

if TYPE_CHECKING:
    from contrapose.generate.encoder_decoders import Seq2SeqModel


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
    """Write them, see `written_queries`."""
    from contrapose.generate.written_queries import written_queries

    return written_queries(sentences, model, spec.queries)
