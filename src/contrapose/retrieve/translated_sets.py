"""The translated evaluation sets: pairs of Chinese sets, in English.  PrdSimCSE, table 6."""

import logging

import pandas as pd

from contrapose.corpus.task_sentences import task_sentences
from contrapose.errors import TableError
from contrapose.refs import as_number
from contrapose.seeds import generator
from contrapose.settings.corpora import TaskCorpus
from contrapose.settings.worlds import TranslatedPairs
from contrapose.tables import BENCHMARK
from contrapose.tasks import TRANSLATED

SPLIT = "test"  # the only one that is scored

logger = logging.getLogger(__name__)


def untranslated_sentences(benchmarks: pd.DataFrame, spec: TranslatedPairs) -> pd.DataFrame:
    """Return each distinct sentence of the Chinese sets that is to be translated, once, as SENTENCES."""
    every = TaskCorpus(kind="tasks", tasks=list(TRANSLATED), split=SPLIT, seed=spec.seed)
    return task_sentences(_sampled(benchmarks, spec), every)


def translated_benchmarks(
    benchmarks: pd.DataFrame, translations: pd.DataFrame, spec: TranslatedPairs
) -> tuple[pd.DataFrame, list[str]]:
    """Replace sentences by their translations; a pair that lacks one is dropped.

    Parameters
    ----------
    benchmarks : BENCHMARK table
        The Chinese sets.
    translations : TRANSLATIONS table
    spec : TranslatedPairs
        The settings with which the sentences were chosen for translation.

    Returns
    -------
    BENCHMARK table
        The pairs with their rows and labels, as tasks `bq_en` and `lcqmc_en`.
    list of str
        Notes for the reader of a table: how many pairs were taken, and how many dropped.

    Raises
    ------
    TableError
        No pair is left.
    """
    english = dict(zip(translations.text, translations.translation, strict=True))
    sampled = _sampled(benchmarks, spec)
    found = sampled.assign(
        task=sampled.task.map(TRANSLATED),
        subset=sampled.task.map(TRANSLATED),
        sentence1=sampled.sentence1.map(english),
        sentence2=sampled.sentence2.map(english),
    )
    whole = found.dropna()
    if whole.empty:
        raise TableError(
            "no pair of bq and lcqmc has a translation of both sentences. Look at the log of what translates "
            "them."
        )
    notes = []
    for source, task in TRANSLATED.items():
        there, taken = ((each.split == SPLIT) & (each.task == source) for each in (benchmarks, sampled))
        lost = taken.sum() - (whole.task == task).sum()
        notes.append(
            f"{task}: {taken.sum()} of {there.sum()} pairs were to be translated; {lost} of these fell out, "
            "because a sentence has no translation"
        )
        logger.info(notes[-1])
    return whole.reset_index(drop=True)[BENCHMARK.columns], notes


def _sampled(benchmarks: pd.DataFrame, spec: TranslatedPairs) -> pd.DataFrame:
    """Return the pairs that are translated, in their order."""
    found = []
    for task in TRANSLATED:
        own = benchmarks[(benchmarks.task == task) & (benchmarks.split == SPLIT)]
        order = generator("translated", task, spec.seed).permutation(len(own))
        found.append(own.iloc[sorted(order[: as_number(spec.size)])])
    return pd.concat(found, ignore_index=True)
