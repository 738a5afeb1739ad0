"""Keep the sentences of one shard of a collection that come first in the shuffle; see `lowest_ranked`."""

from typing import TYPE_CHECKING, Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import Segments
from contrapose.steps import Rows, Shard, planned
from contrapose.tables import SEGMENTS

if TYPE_CHECKING:
    from contrapose.project import Project


class ShardSegments(Segments):
    """What the sentences of a shard depend on, beside its articles."""

    @classmethod
    @planned
    def of(cls, project: "Project", corpus: str, **shard: str) -> "ShardSegments":
        spec = resolved(project.corpus(corpus), project)
        return cls(**{name: getattr(spec, name) for name in Segments.model_fields})


def build(spec: ShardSegments, articles: list[str], shard: Shard) -> Annotated[pd.DataFrame, Rows(SEGMENTS)]:
    """Cut articles into sentences and keep those of lowest rank."""
    from contrapose.corpus.articles import ArticleFile
    from contrapose.corpus.languages import sentence_splitter
    from contrapose.corpus.shuffled import lowest_ranked

    return lowest_ranked(ArticleFile(articles[0]), sentence_splitter(spec.language), spec, *shard)
