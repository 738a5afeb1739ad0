"""Corpora of all sentences of a collection of articles, shuffled. PPDB-CSE, section 4.2.

Every sentence has a rank, a uniform number that depends only on the seed, its article and its place there.
The corpus consists of the sentences that pass the filters, in the order of their ranks, so a small corpus is
the head of a large one.  Each shard of the articles keeps its lowest-ranked sentences; those of all shards
are merged and filtered until there are enough.
"""

import heapq
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from tqdm import tqdm

from contrapose.corpus.articles import Articles
from contrapose.corpus.languages import SentenceSplitter, detokeniser, language_confidence, tokeniser
from contrapose.corpus.sampling import Sentence
from contrapose.errors import TableError
from contrapose.refs import as_number
from contrapose.seeds import uniforms
from contrapose.settings.corpora import SegmentedCorpus, Segments
from contrapose.tables import ROWS_PER_GROUP, SEGMENTS, SENTENCES, empty, open_table

logger = logging.getLogger(__name__)

# Wiki-40B's markers. The text after the first two is a title.
MARKER = re.compile(r"_START_(ARTICLE|SECTION|PARAGRAPH)_")
LINE_BREAK = "_NEWLINE_"  # within a paragraph


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
    found = [body for kind, body in zip(marked[::2], marked[1::2], strict=True) if kind == "PARAGRAPH"]
    found = [body.replace(LINE_BREAK, "\n") for body in found] if marked else text.splitlines()
    return [stripped for body in found if (stripped := body.strip())]


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
    highest, found = 1.0, 0
    for number in tqdm(range(first, end), desc="articles", unit=" articles", mininterval=5):
        article_id, text = articles[number]
        sentences = [sentence for paragraph in paragraphs(text) for sentence in split(paragraph)]
        found += len(sentences)
        keys = (("segmented", spec.seed, article_id, position) for position in range(len(sentences)))
        ranks = uniforms(keys, 1)[:, 0].tolist()
        for position, (rank, sentence) in enumerate(zip(ranks, sentences, strict=True)):
            if rank <= highest:
                rows.append(Segment(rank, article_id, position, sentence))
        if len(rows) >= room:
            rows = sorted(rows)[: spec.candidates]
            highest = rows[-1].rank
    rows = sorted(rows)[: spec.candidates]
    logger.info("%d sentences in %d articles, %d of lowest rank kept", found, end - first, len(rows))
    return pd.DataFrame(rows, columns=SEGMENTS.columns).astype(empty(SEGMENTS).dtypes)


def segments_in(path: str | Path) -> Iterator[Segment]:
    """Stream the rows of a SEGMENTS table; memory holds one row group."""
    with open_table(path, SEGMENTS) as file:
        for batch in file.iter_batches(batch_size=ROWS_PER_GROUP):
            yield from map(Segment, *(column.to_pylist() for column in batch.columns))


def segmented_sentences(
    shards: Sequence[Iterable[Segment]], spec: SegmentedCorpus
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Take the lowest-ranked sentences that pass the filters: word bounds, no duplicates, langdetect.

    Their text is the output of `detokeniser`, whose words `words` counts.  About 400 sentences per second;
    langdetect takes nearly all of the time.

    Each of the `shards` is in order, and is read as far as needed.  Returns a SENTENCES table, `spec.size`
    rows in the order of their ranks, and by reason how many sentences were rejected before there were enough.
    Raises TableError if too few of the first `spec.candidates` sentences pass.
    """
    refused = _filters(spec)
    split, join = tokeniser(spec.language), detokeniser(spec.language)
    kept: list[Sentence] = []
    rejected: Counter[str] = Counter()
    seen = 0
    with tqdm(total=as_number(spec.size), desc="sentences", unit=" sentences", mininterval=5) as progress:
        for segment in islice(heapq.merge(*shards), spec.candidates):
            seen += 1
            text = join(split(segment.text))
            words = len(split(text))
            if reason := refused(text, words):
                rejected[reason] += 1
                continue
            identifier = f"{segment.article_id}:{segment.position}"
            kept.append(Sentence(identifier, text, segment.article_id, segment.position, words))
            progress.update()
            if len(kept) == spec.size:
                break
    counts = dict(sorted(rejected.items()))
    if len(kept) < as_number(spec.size):
        raise _too_few(len(kept), seen, counts, spec)
    logger.info("%d sentences of %d; rejected: %s", len(kept), seen, counts)
    return pd.DataFrame(kept, columns=SENTENCES.columns).astype(empty(SENTENCES).dtypes), counts


def _filters(spec: SegmentedCorpus) -> Callable[[str, int], str]:
    """Return a function that gives the reason to reject a sentence, or ""; cheap checks come first."""
    confidence = language_confidence(spec.language, spec.seed)
    taken: set[str] = set()

    def refused(text: str, words: int) -> str:
        if words < spec.min_words:
            return f"fewer words than {spec.min_words}"
        if words > spec.max_words:
            return f"more words than {spec.max_words}"
        if text in taken:
            return "duplicate"
        if confidence(text) < spec.confidence:
            return f"not surely {spec.language.capitalize()}"
        taken.add(text)
        return ""

    return refused


def _too_few(found: int, seen: int, counts: dict[str, int], spec: SegmentedCorpus) -> TableError:
    rejected = ", ".join(f"{n} {reason}" for reason, n in counts.items()) or "none"
    if seen < spec.candidates:
        action = "These are all sentences: add articles, or lower the corpus's size in the world file."
    else:
        action = "Raise candidates_per_sentence of the corpus, or widen its bounds."
    return TableError(
        f"Segmented corpus, {spec.language}, seed {spec.seed}: {found} of {spec.size} sentences found "
        f"among {seen}. Rejected: {rejected}. {action}"
    )
