"""Make the draws of a corpus that fall into one shard of the articles; see `drawn_sentences`."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.refs import resolved
from contrapose.settings.corpora import SampledCorpus
from contrapose.steps import Project, Rows, Shard, planned
from contrapose.tables import DRAWS, PUNKT


class CorpusDraws(SampledCorpus):
    """What a sampled corpus is drawn with."""

    draws: int = Field(ge=1, description="Draws made; those that give no sentence count too")


@planned
def plan(project: Project, corpus: str, **shard: str) -> CorpusDraws:
    spec = resolved(project.entry("corpora", corpus), project)
    return CorpusDraws(**dict(spec), draws=spec.size * project.world.draws_per_sentence)


def build(
    spec: CorpusDraws, articles: list[str], punkt: Annotated[pd.DataFrame, Rows(PUNKT)], shard: Shard
) -> Annotated[pd.DataFrame, Rows(DRAWS)]:
    """Draw sentences from articles."""
    from contrapose.corpus.articles import ArticleFile
    from contrapose.corpus.punkt_parameters import splitter
    from contrapose.corpus.sampling import drawn_sentences

    return drawn_sentences(ArticleFile(articles[0]), splitter(punkt), spec, *shard)
