"""Make a corpus of the lines of a published file; see `published_sentences`."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.refs import resolved
from contrapose.settings.corpora import PublishedCorpus
from contrapose.settings.spec import Language
from contrapose.settings.worlds import SentenceSource
from contrapose.status import with_status
from contrapose.steps import DataFolder, Project, Rows, planned
from contrapose.tables import PUNKT, SENTENCES


class PublishedLines(PublishedCorpus):
    """What a published corpus is made of."""

    source: SentenceSource = Field(description="Where the file is, without its note")
    language: Language = Field("english", description="Of the file")


@planned
def plan(project: Project, corpus: str) -> PublishedLines:
    spec = resolved(project.corpus(corpus), project)
    source = project.entry("sentence_files", spec.file)
    plain = source.model_copy(update={"note": ""})
    return PublishedLines(**dict(spec), source=plain, language=source.language)


def build(
    spec: PublishedLines, punkt: Annotated[pd.DataFrame, Rows(PUNKT)], data: DataFolder
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Read the lines and choose sentences; the file says what was dropped."""
    from contrapose.corpus.published_lines import published_lines, published_sentences
    from contrapose.corpus.punkt_parameters import splitter

    sentences, dropped = published_sentences(published_lines(spec.source, data), splitter(punkt), spec)
    return with_status(sentences, skipped=[dropped] if dropped else [])
