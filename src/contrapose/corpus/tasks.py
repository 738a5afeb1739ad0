"""Make a corpus of the sentences of evaluation sets; see `task_sentences`."""

from typing import TYPE_CHECKING, Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.corpora import TaskCorpus
from contrapose.steps import Rows, planned
from contrapose.tables import BENCHMARK, SENTENCES

if TYPE_CHECKING:
    from contrapose.project import Project


class SentencesOfTasks(TaskCorpus):
    """What the corpus depends on, beside the evaluation sets."""

    @classmethod
    @planned
    def of(cls, project: "Project", corpus: str) -> TaskCorpus:
        return resolved(project.corpus(corpus), project)


def build(
    spec: SentencesOfTasks, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Join the sentences of a split of some sets."""
    from contrapose.corpus.task_sentences import task_sentences

    return task_sentences(benchmarks, spec)
