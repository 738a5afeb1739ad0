"""List the sentences of the Chinese evaluation sets that are to be translated."""

from typing import Annotated

import pandas as pd

from contrapose.base.tasks import TRANSLATED
from contrapose.corpus import task_sentences
from contrapose.corpus.task_sentences import TaskCorpus
from contrapose.jobs.step import Rows
from contrapose.retrieve.translated import SPLIT, plan, sampled_pairs
from contrapose.settings.catalogs import TranslatedPairs
from contrapose.tables import BENCHMARK, SENTENCES

__all__ = ["build", "plan"]  # the same pairs, untranslated


def build(
    spec: TranslatedPairs, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Return each distinct sentence of the Chinese sets that is to be translated, once."""
    every = TaskCorpus(kind="tasks", tasks=list(TRANSLATED), split=SPLIT, seed=spec.seed)
    return task_sentences.build(every, sampled_pairs(benchmarks, spec))
