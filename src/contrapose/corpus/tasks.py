"""Make a corpus of the sentences of evaluation sets; see `task_sentences`."""

from typing import Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import TaskCorpus
from contrapose.steps import Project, Rows, planned
from contrapose.tables import BENCHMARK, SENTENCES


@planned
def plan(project: Project, corpus: str) -> TaskCorpus:
    return resolved(project.corpus(corpus), project)


def build(
    spec: TaskCorpus, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Join the sentences of a split of some sets."""
    from contrapose.corpus.task_sentences import task_sentences

    return task_sentences(benchmarks, spec)
