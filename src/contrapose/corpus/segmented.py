"""Join the shards of a segmented corpus: the first sentences that pass, each text once."""

from typing import Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import SegmentedCorpus
from contrapose.status import with_status
from contrapose.steps import Project, Rows, planned
from contrapose.tables import SENTENCES


@planned
def plan(project: Project, corpus: str) -> SegmentedCorpus:
    return resolved(project.corpus(corpus), project)


def build(spec: SegmentedCorpus, segments: list[str]) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Merge the shards, see `segmented_sentences`; the file says what was rejected."""
    from contrapose.corpus.shuffled import segmented_sentences, segments_in

    sentences, rejected = segmented_sentences([segments_in(path) for path in segments], spec)
    return with_status(sentences, counts=rejected)
