"""Corpora from a published file or one of your own: one sentence per line, or a column of a table."""

import logging
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field, model_validator
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.jobs.status import with_status
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.data_files import TextFile, below, data_folder
from contrapose.retrieve.lines import ENDS, whole_lines
from contrapose.retrieve.user_tables import text_columns
from contrapose.settings.corpora import LENGTHS, CorpusKind, Counts, Texts
from contrapose.settings.hub import LANGUAGE, HubFile
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Ref, Size, as_number, resolved
from contrapose.settings.spec import ByKind, Language, Spec
from contrapose.tables import PUNKT, SENTENCES
from contrapose.text.equal_text import equal_text
from contrapose.text.languages import SentenceSplitter, word_counter

logger = logging.getLogger(__name__)

FEWEST = 2  # sentences: the positive of one is the negative of another


BLANK_LINES = "blank_lines"  # these end documents in a text file
ORDER = "order"  # lines stand as in a text whose documents are unknown
LINES_TOGETHER = 10  # ours: so many lines then count as a document


class SentenceColumn(Spec):
    """Where the sentences and documents are in a file."""

    column: str | None = Field(
        None,
        description="This names the column of the sentences in a CSV or Parquet file. With null, the "
        "file is a text file with one sentence per line.",
    )
    documents: str | None = Field(
        None,
        description="This says where documents end. With `blank_lines`, a blank line of a text file "
        "ends one. With `order`, the lines follow each other as in a text, and each ten "
        "count as one document. Any other value names the column of the documents in a CSV "
        "or Parquet file. With null, documents are unknown, and pairs of kind `next_sentence` "
        "cannot be built.",
    )

    @model_validator(mode="after")
    def _documents_of_the_format(self) -> "SentenceColumn":
        if self.column is None and self.documents not in (None, BLANK_LINES, ORDER):
            raise ValueError(
                f"documents names the column '{self.documents}', but column is null, which means a "
                "text file. Name the column of the sentences as well, or write documents: "
                f"{BLANK_LINES} or documents: {ORDER}"
            )
        return self


class SentenceFile(SentenceColumn, TextFile):
    """The sentences are a published corpus or one of your own: a text file with one sentence per line, or
    a column of a table.
    """

    kind: Literal["files"] = "files"
    language: Language = LANGUAGE

    def lines(self, project: Plan, most: float) -> pd.DataFrame | None:
        """Return its lines if it is here and has at most so many bytes."""
        data = data_folder(project)
        file = below(self.path, data)
        return published_lines(self, data) if file.is_file() and file.stat().st_size <= most else None


class HubSentences(SentenceColumn, HubFile):
    """The sentences are in a file of a hub data set."""

    def lines(self, project: Plan, most: float) -> pd.DataFrame | None:
        return None


SentenceSource = Annotated[SentenceFile | HubSentences, ByKind("files")]


class PublishedCorpus(CorpusKind):
    """The sentences are those of a published corpus, or of a file of your own."""

    kind: Literal["published"]
    file: Annotated[str, Ref("sentence_files")] = Field(
        description="This names an entry of the catalog's `sentence_files`."
    )
    size: Size | None = Field(
        None,
        description="The corpus has this many sentences: a number, or the name of a size of the catalog. "
        "With null, it has all sentences of the file.",
    )
    seed: int = Field(1, ge=0, description="This seed selects the sentences if only some of them are used.")
    as_published: bool = Field(
        False,
        description="If true, blank and repeated lines stay, as in SimCSE. If false, each text is used once.",
    )

    def source_of(self, project: Plan) -> "SentenceSource":
        return project.entry("sentence_files", self.file)

    def note(self, project: Plan) -> str:
        return self.source_of(project).note

    def check_documents(self, project: Plan, name: str) -> None:
        if self.size is not None:
            raise self._without_documents(project, name, " with a size")

    def lacking_documents(self, project: Plan) -> str:
        if self.source_of(project).documents:
            return ""
        return (
            f"the file of sentence_files.{self.file} does not declare where documents end (key `documents`)"
        )

    def lines(self, project: Plan, most: float) -> pd.DataFrame | None:
        return self.source_of(project).lines(project, most)

    def texts(self, project: Counts, count: int | None) -> Texts:
        return Texts(count or self.source_of(project).rows, LENGTHS["published"])


class PublishedLines(PublishedCorpus):
    """What a published corpus is made of."""

    source: SentenceSource = Field(description="Where the file is, without its note")
    language: Language = Field("english", description="Of the file")


@planned
def plan(project: Plan, corpus: str) -> PublishedLines:
    """Return how a published corpus is cut, and its file; the file's note changes no sentence."""
    spec = resolved(project.corpus(corpus), project)
    source = project.entry("sentence_files", spec.file)
    plain = source.model_copy(update={"note": ""})
    return PublishedLines(**dict(spec), source=plain, language=source.language)


def build(
    spec: PublishedLines, punkt: Annotated[pd.DataFrame, Rows(PUNKT)], data: DataFolder
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Read the lines and choose sentences; the status says what was dropped."""
    from contrapose.corpus.punkt_parameters import splitter  # NLTK is too slow to import while planning

    sentences, dropped = published_sentences(published_lines(spec.source, data), splitter(punkt), spec)
    return with_status(sentences, skipped=[dropped] if dropped else [])


def published_lines(source: SentenceSource, data: Path | None) -> pd.DataFrame:
    """Read every line of a published corpus unchanged, or every row of a table, in the order of the file.

    Returns the columns `text`; `document`, its name or number as a string, empty if documents are unknown;
    `position` in the document, from 0, or in the file if documents are unknown.  Blank lines between
    documents are skipped.  Raises TableError or BackendError if the file cannot be read or fetched, is empty,
    or its number of lines differs from its entry.  Memory: about 200 bytes per line.
    """
    (path,) = source.located(data)
    if source.column is None:
        lines = pd.DataFrame({"text": [text for _, _, text in whole_lines(path)]}, dtype=str)
        blank = lines.text.str.strip() == ""
        numbers = {BLANK_LINES: blank.cumsum(), ORDER: ((~blank).cumsum() - 1) // LINES_TOGETHER}
        lines["document"] = numbers[source.documents].astype(str) if source.documents else ""
        count = len(lines)
        lines = lines[~blank] if source.documents else lines
    else:
        names = [source.column, *filter(None, [source.documents])]
        columns = dict(zip(("text", "document"), text_columns(path, names), strict=False))
        lines = pd.DataFrame({"document": "", **columns}, dtype=str)
        count = len(lines)
    if not lines.text.str.strip().any():
        raise TableError(
            f"{path}: the file contains no sentence. A text file needs one sentence per line, and a table "
            "one in each row of its column."
        )
    source.check_rows(count)
    return lines.assign(position=lines.groupby("document").cumcount())


def published_sentences(
    lines: pd.DataFrame, split: SentenceSplitter, spec: PublishedLines
) -> tuple[pd.DataFrame, str]:
    """Make a corpus from the lines of a file: all of them in order, or a random sample.

    Neighbouring lines of SimCSE's file are from one article, so the head of the file would cover few topics
    only.  A sample is drawn without replacement and stays in the order of the draw: a small one is the head
    of a larger one with the same seed.  Unless `as_published` is set, texts are stripped of white space, and
    blank texts and duplicates of earlier ones are dropped.

    `lines` are from `published_lines`.  `split` is for English, where `words` counts as `nltk.word_tokenize`
    does; some lines hold several sentences.  For other languages see `word_counter`.

    Returns a SENTENCES table, and how many lines are never sampled, and why, for the notes of tables; empty
    if none.  `article_id` is the name of the file, followed by a slash and the document if documents are
    known; `position` is the line, or the position in the document.  Raises TableError if there are fewer than
    two sentences, or fewer than wanted.
    """
    lines, dropped = (lines, "") if spec.as_published else distinct_lines(lines)
    wanted = as_number(spec.size)
    said = counted(lines, dropped, f"sentence_files.{spec.file}", wanted)
    if wanted is not None:
        order = generator("corpus", "published", spec.file, spec.seed).permutation(len(lines))
        lines = lines.iloc[order[:wanted]]
    count = word_counter(spec.language, split)
    words = [count(text) for text in tqdm(lines.text, desc="words", unit=" lines", mininterval=5)]
    logger.info("%s, %.1f words each", said, np.mean(words))
    articles = spec.file + ("/" + lines.document).where(lines.document != "", "")
    table = lines.assign(article_id=articles, id=articles + ":" + lines.position.astype(str), words=words)
    types = {"position": "int32", "words": "int32"}
    return table[SENTENCES.columns].astype(types).reset_index(drop=True), dropped


def distinct_lines(lines: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return lines stripped of white space, without blank and repeated ones, and how many these are.

    Of lines that are the same by `equal_text`, the first one stays as it is.
    """
    texts = lines.text.str.strip(ENDS)
    keys = texts.map(equal_text)
    reasons = {"blank": keys == "", "duplicate": keys.duplicated() & (keys != "")}
    counts = [f"{which.sum()} {reason}" for reason, which in reasons.items() if which.any()]
    dropped = f"{' and '.join(counts)} of {len(lines)} lines are skipped" if counts else ""
    return lines.assign(text=texts)[~(reasons["blank"] | reasons["duplicate"])], dropped


def counted(lines: pd.DataFrame, dropped: str, where: str, wanted: int | None = None) -> str:
    """Return how many sentences there are, in words; raise a TableError if a corpus needs more."""
    count = "1 sentence" if len(lines) == 1 else f"{len(lines)} sentences"
    if dropped:
        count += f" ({dropped})"
    if len(lines) < max(FEWEST, wanted or 0):
        needed = wanted or f"{FEWEST} or more"
        advice = (
            "Add sentences, or lower the size of the corpus. Without a size, it takes all sentences"
            if wanted
            else "Add sentences"
        )
        raise TableError(f"{where}: the file has {count}, but the corpus needs {needed}. {advice}.")
    return count
