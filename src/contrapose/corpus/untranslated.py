"""List the sentences of the Chinese evaluation sets that are to be translated."""

from typing import Annotated

import pandas as pd

from contrapose.corpus import task_sentences
from contrapose.refs import as_number, resolved
from contrapose.seeds import generator
from contrapose.settings.corpora import TaskCorpus
from contrapose.settings.worlds import TranslatedPairs
from contrapose.step import Project, Rows, planned
from contrapose.tables import BENCHMARK, SENTENCES
from contrapose.tasks import TRANSLATED

SPLIT = "test"  # the only one that is scored


@planned
def plan(project: Project) -> TranslatedPairs:
    """Return which Chinese pairs are translated, how many and with which seed."""
    source = project.source("translator")
    pairs = {name: getattr(source, name) for name in TranslatedPairs.model_fields}
    return resolved(TranslatedPairs(**pairs), project)


def build(
    spec: TranslatedPairs, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Return each distinct sentence of the Chinese sets that is to be translated, once."""
    every = TaskCorpus(kind="tasks", tasks=list(TRANSLATED), split=SPLIT, seed=spec.seed)
    return task_sentences.build(every, sampled_pairs(benchmarks, spec))


def sampled_pairs(benchmarks: pd.DataFrame, spec: TranslatedPairs) -> pd.DataFrame:
    """Return the pairs that are translated, in their order."""
    samples = []
    for task in TRANSLATED:
        pairs = benchmarks[(benchmarks.task == task) & (benchmarks.split == SPLIT)]
        order = generator("translated", task, spec.seed).permutation(len(pairs))
        samples.append(pairs.iloc[sorted(order[: as_number(spec.size)])])
    return pd.concat(samples, ignore_index=True)
