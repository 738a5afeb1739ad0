"""Put the shards of a corpus together, with new sentences for those that could not be paraphrased."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.generate.jobs import AskingJob
from contrapose.generate.llm import Ask, Completions
from contrapose.refs import resolved
from contrapose.settings.corpora import SampledCorpus
from contrapose.steps import Outputs, Project, Rows, planned, wildcard
from contrapose.tables import COMPLETIONS, PARAPHRASES, PUNKT, REPLACEMENTS, SENTENCES, read_table


class ReplacementRequests(AskingJob):
    """How the sentences are replaced that the language model could not paraphrase."""

    corpus: SampledCorpus | None = Field(
        None, description="Where new sentences are drawn from; null: nowhere, none is replaced"
    )
    replacements: int = Field(20, ge=0, description="New sentences drawn for one before giving up")


@planned
def plan(project: Project, corpus: str, llm: str, prompt: str) -> ReplacementRequests:
    replaced = project.asking.pool(corpus, prompt)
    return ReplacementRequests(
        **dict(project.asking.paraphrases(llm, prompt)),
        corpus=resolved(project.corpus(corpus), project) if replaced else None,
        replacements=project.llm(llm).replacements,
    )


def build(
    spec: ReplacementRequests,
    sentences: Annotated[pd.DataFrame, Rows(SENTENCES)],
    paraphrases: Annotated[pd.DataFrame, Rows(PARAPHRASES)],
    completions: Completions,
    articles: list[str],
    punkt: list[str],
    ask: Ask,
    corpus: Annotated[str, wildcard("corpus")],
    prompt: Annotated[str, wildcard("prompt")],
) -> Annotated[
    tuple,
    Outputs(sentences=SENTENCES, paraphrases=PARAPHRASES, completions=COMPLETIONS, replacements=REPLACEMENTS),
]:
    """Join the shards, see `replace_failed`."""
    from contrapose.corpus.article_file import ArticleFile
    from contrapose.corpus.draw import replacements
    from contrapose.corpus.punkt_parameters import splitter
    from contrapose.generate.paraphrases import replace_failed

    replace = None
    if spec.corpus:
        split = splitter(read_table(punkt[0], PUNKT))
        replace = replacements(ArticleFile(articles[0]), split, spec.corpus)
    return ask(
        lambda client: replace_failed(sentences, paraphrases, completions, spec, client, replace),
        corpus=corpus,
        prompt=prompt,
        shard="merge",
    )
