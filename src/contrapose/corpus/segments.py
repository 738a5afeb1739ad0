"""Corpora of all sentences of a collection of articles, shuffled. PPDB-CSE, section 4.2.

Every sentence has a rank, a uniform number that depends only on the seed, its article and its place there.
The corpus consists of the sentences that pass the filters, in the order of their ranks, so a small corpus is
the head of a large one.  Each shard of the articles keeps its lowest-ranked sentences; those of all shards
are merged and filtered until there are enough.
"""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.seeds import uniforms
from contrapose.corpus.article_file import ArticleFile, Articles
from contrapose.jobs.step import Rows, Shard, planned
from contrapose.settings.plan import Plan
from contrapose.settings.refs import Ref, Size, as_number, resolved
from contrapose.settings.spec import Language, Spec, part_of
from contrapose.tables import ROWS_PER_GROUP, SEGMENTS, empty, open_table
from contrapose.text.languages import SentenceSplitter, sentence_splitter

logger = logging.getLogger(__name__)

# Wiki-40B's markers. The text after the first two is a title.
MARKER = re.compile(r"_START_(ARTICLE|SECTION|PARAGRAPH)_")
LINE_BREAK = "_NEWLINE_"  # within a paragraph


class Segments(Spec):
    """Which sentences of a collection come first in a shuffle of all: what may come into a corpus."""

    collection: Annotated[str, Ref("collections")] = Field(
        description="This names an entry of the catalog's `collections`."
    )
    language: Language = Field(description="The language decides how text is split into sentences and words.")
    size: Size = Field(
        description="The corpus has this many sentences: a number, or the name of a size of the catalog. "
        "They are the first of the shuffled ones."
    )
    candidates_per_sentence: int = Field(
        3,
        ge=1,
        description="This many sentences are examined for each one wanted. A higher value changes nothing "
        "once enough sentences pass.",
    )
    seed: int = Field(
        1, ge=0, description="This seed decides the order of the sentences and the random part of langdetect."
    )

    @property
    def candidates(self) -> int:
        """Number of sentences that come first; the size is a number in the settings of a job."""
        return as_number(self.size) * self.candidates_per_sentence


@planned
def plan(project: Plan, corpus: str, **shard: str) -> Segments:
    """Return which sentences of a collection come first in a shuffle, without what only the join needs."""
    spec = resolved(project.corpus(corpus), project)
    return part_of(spec, Segments)


def build(spec: Segments, articles: list[str], shard: Shard) -> Annotated[pd.DataFrame, Rows(SEGMENTS)]:
    """Cut articles into sentences and keep those of lowest rank."""
    return lowest_ranked(ArticleFile(articles[0]), sentence_splitter(spec.language), spec, *shard)


class Segment(NamedTuple):
    """A row of a SEGMENTS table: a sentence as it stands in its article.  They sort by rank."""

    rank: float
    article_id: str
    position: int
    text: str


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of an article, line breaks within them kept; titles are left out.

    Wiki-40B marks paragraphs.  In text without its markers every line is a paragraph.
    """
    _, *marked = MARKER.split(text)
    bodies = [body for kind, body in zip(marked[::2], marked[1::2], strict=True) if kind == "PARAGRAPH"]
    bodies = [body.replace(LINE_BREAK, "\n") for body in bodies] if marked else text.splitlines()
    return [stripped for body in bodies if (stripped := body.strip())]


def lowest_ranked(
    articles: Articles, split: SentenceSplitter, spec: Segments, shard: int = 0, shards: int = 1
) -> pd.DataFrame:
    """Return the lowest-ranked sentences of one shard, a contiguous share of the articles, sorted: SEGMENTS.

    At most `spec.candidates`.  Memory: about 600 bytes for each of them (English), and one row group of
    articles.  About 15,000 sentences per second.
    """
    first, end = len(articles) * shard // shards, len(articles) * (shard + 1) // shards
    room = spec.candidates + max(spec.candidates // 4, ROWS_PER_GROUP)  # sorted only when this is full
    rows: list[Segment] = []
    highest, count = 1.0, 0
    for number in tqdm(range(first, end), desc="articles", unit=" articles", mininterval=5):
        article_id, text = articles[number]
        sentences = [sentence for paragraph in paragraphs(text) for sentence in split(paragraph)]
        count += len(sentences)
        keys = (("segmented", spec.seed, article_id, position) for position in range(len(sentences)))
        ranks = uniforms(keys, 1)[:, 0].tolist()
        for position, (rank, sentence) in enumerate(zip(ranks, sentences, strict=True)):
            if rank <= highest:
                rows.append(Segment(rank, article_id, position, sentence))
        if len(rows) >= room:
            rows = sorted(rows)[: spec.candidates]
            highest = rows[-1].rank
    rows = sorted(rows)[: spec.candidates]
    logger.info("%d sentences in %d articles; the %d of lowest rank are kept", count, end - first, len(rows))
    return pd.DataFrame(rows, columns=SEGMENTS.columns).astype(empty(SEGMENTS).dtypes)


def segments_in(path: str | Path) -> Iterator[Segment]:
    """Stream the rows of a SEGMENTS table; memory holds one row group."""
    with open_table(path, SEGMENTS) as file:
        for batch in file.iter_batches(batch_size=ROWS_PER_GROUP):
            yield from map(Segment, *(column.to_pylist() for column in batch.columns))
