"""Join the shards of a segmented corpus: the first sentences that pass, each text once."""

import heapq
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.corpus.draw import Sentence
from contrapose.corpus.segments import Segment, Segments, segments_in
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Rows, planned
from contrapose.settings.corpora import LENGTHS, CorpusKind, Counts, Texts
from contrapose.settings.plan import Plan
from contrapose.settings.refs import as_number, resolved
from contrapose.tables import SENTENCES, empty
from contrapose.text.languages import detokeniser, language_confidence, tokeniser

logger = logging.getLogger(__name__)


class SegmentedCorpus(Segments, CorpusKind):
    """The sentences are all those of a collection of articles, shuffled. PPDB-CSE, section 4.2."""

    kind: Literal["segmented"]
    min_words: int = Field(6, ge=1, description="A sentence has at least this many words.")
    max_words: int = Field(49, ge=1, description="A sentence has at most this many words.")
    confidence: float = Field(
        0.99,
        ge=0,
        le=1,
        description="A sentence is kept if langdetect reports its language with at least this probability.",
    )

    def texts(self, project: Counts, count: int | None) -> Texts:
        return Texts(count, LENGTHS.get(self.language, LENGTHS["sampled"]))


@planned
def plan(project: Plan, corpus: str) -> SegmentedCorpus:
    """Return how a corpus of kind segmented is joined from its shards, with this catalog's size."""
    return resolved(project.corpus(corpus), project)


def build(spec: SegmentedCorpus, segments: list[str]) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Merge the shards, see `segmented_sentences`; the file says what was rejected."""
    sentences, rejected = segmented_sentences([segments_in(path) for path in segments], spec)
    return with_status(sentences, counts=rejected)


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


def _too_few(kept: int, seen: int, counts: dict[str, int], spec: SegmentedCorpus) -> TableError:
    rejected = ", ".join(f"{n} {reason}" for reason, n in counts.items()) or "none"
    if seen < spec.candidates:
        action = (
            "The articles have no more sentences. Add articles, or lower the size of the corpus in the "
            "catalog file."
        )
    else:
        action = "Raise candidates_per_sentence of the corpus, or widen its range of words."
    return TableError(
        f"Segmented corpus, {spec.language}, seed {spec.seed}: {seen} candidates gave {kept} of "
        f"{spec.size} sentences. Rejected: {rejected}. {action}"
    )
