"""Join the shards of a segmented corpus: the first sentences that pass, each text once."""

from typing import TYPE_CHECKING, Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import SegmentedCorpus
from contrapose.steps import Rows, planned, with_facts
from contrapose.tables import SENTENCES

if TYPE_CHECKING:
    from contrapose.project import Project


class ShuffledSentences(SegmentedCorpus):
    """What the corpus depends on, beside the sentences of all shards."""

    @classmethod
    @planned
    def of(cls, project: "Project", corpus: str) -> SegmentedCorpus:
        return resolved(project.corpus(corpus), project)


def build(spec: ShuffledSentences, segments: list[str]) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Merge the shards, see `segmented_sentences`; the file says what was rejected."""
    from contrapose.corpus.shuffled import segmented_sentences, segments_in

    sentences, rejected = segmented_sentences([segments_in(path) for path in segments], spec)
    return with_facts(sentences, rejected=rejected)
