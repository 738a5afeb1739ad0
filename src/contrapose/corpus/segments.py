"""Keep the sentences of one shard of a collection that come first in the shuffle; see `lowest_ranked`."""

from typing import Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import Segments
from contrapose.steps import Project, Rows, Shard, planned
from contrapose.tables import SEGMENTS


@planned
def plan(project: Project, corpus: str, **shard: str) -> Segments:
    spec = resolved(project.corpus(corpus), project)
    return Segments(**{name: getattr(spec, name) for name in Segments.model_fields})


def build(spec: Segments, articles: list[str], shard: Shard) -> Annotated[pd.DataFrame, Rows(SEGMENTS)]:
    """Cut articles into sentences and keep those of lowest rank."""
    from contrapose.corpus.articles import ArticleFile
    from contrapose.corpus.languages import sentence_splitter
    from contrapose.corpus.shuffled import lowest_ranked

    return lowest_ranked(ArticleFile(articles[0]), sentence_splitter(spec.language), spec, *shard)
