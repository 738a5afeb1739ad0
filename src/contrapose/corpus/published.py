"""Make a corpus of the lines of a published file; see `published_sentences`."""

from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, Tag, model_validator

from contrapose.refs import resolved
from contrapose.retrieve.data_files import TextFile
from contrapose.retrieve.hub_data import LANGUAGE, HubFile
from contrapose.settings.corpora import PublishedCorpus
from contrapose.settings.spec import Language, Spec, by_kind
from contrapose.steps import DataFolder, Project, Rows, planned, with_facts
from contrapose.tables import PUNKT, SENTENCES

BLANK_LINES = "blank_lines"  # these end documents in a text file


class SentenceColumn(Spec):
    """Where the sentences and documents are in a file."""

    column: str | None = Field(
        None,
        description="Column of the sentences in a CSV or Parquet file; null: a text file, a sentence a line",
    )
    documents: str | None = Field(
        None,
        description="blank_lines: blank lines end documents in a text file; a column name: the column with "
        "each sentence's document in a CSV or Parquet file; null: not known, so pairs of kind "
        "adjacent cannot be built",
    )

    @model_validator(mode="after")
    def _documents_of_the_format(self) -> "SentenceColumn":
        if self.column is None and self.documents not in (None, BLANK_LINES):
            raise ValueError(
                f"documents names a column, '{self.documents}', and column is null, a text file: name the "
                f"column of the sentences, too, or write documents: {BLANK_LINES}"
            )
        return self


class SentenceFile(SentenceColumn, TextFile):
    """A published corpus, or one of your own: a text file, one sentence a line, or a column of a table."""

    kind: Literal["files"] = "files"
    language: Language = LANGUAGE


class HubSentences(SentenceColumn, HubFile):
    """A file of a hub data set with sentences."""


SentenceSource = Annotated[
    Annotated[SentenceFile, Tag("files")] | Annotated[HubSentences, Tag("hub")], by_kind("files")
]


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
    return with_facts(sentences, dropped=dropped)
