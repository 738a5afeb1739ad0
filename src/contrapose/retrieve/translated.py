"""The translated evaluation sets: pairs of Chinese sets, in English.  PrdSimCSE, table 6."""

import logging
from typing import Annotated

import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.base.tasks import TRANSLATED
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Rows, planned
from contrapose.settings.catalogs import TranslatedPairs
from contrapose.settings.plan import Plan
from contrapose.settings.refs import as_number, resolved
from contrapose.settings.spec import part_of
from contrapose.tables import BENCHMARK, TRANSLATIONS

logger = logging.getLogger(__name__)

SPLIT = "test"  # the only one that is scored


@planned
def plan(project: Plan) -> TranslatedPairs:
    """Return which Chinese pairs are translated, how many and with which seed."""
    return resolved(part_of(project.source("translator"), TranslatedPairs), project)


def build(
    spec: TranslatedPairs,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    translations: Annotated[pd.DataFrame, Rows(TRANSLATIONS)],
) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Replace the sentences of the Chinese sets by their translations; the file has notes on them."""
    pairs, notes = translated_benchmarks(benchmarks, translations, spec)
    return with_status(pairs, notes=notes)


def translated_benchmarks(
    benchmarks: pd.DataFrame, translations: pd.DataFrame, spec: TranslatedPairs
) -> tuple[pd.DataFrame, list[str]]:
    """Replace sentences of the Chinese sets by their translations; a pair that lacks one is dropped.

    Returns the pairs with their rows and labels, as tasks `bq_en` and `lcqmc_en`, and notes for the reader of
    a table: how many were taken, and how many dropped.  Raises TableError if no pair is left.
    """
    english = dict(zip(translations.text, translations.translation, strict=True))
    sampled = sampled_pairs(benchmarks, spec)
    pairs = sampled.assign(
        task=sampled.task.map(TRANSLATED),
        subset=sampled.task.map(TRANSLATED),
        sentence1=sampled.sentence1.map(english),
        sentence2=sampled.sentence2.map(english),
    )
    whole = pairs.dropna()
    if whole.empty:
        raise TableError(
            "no pair of bq and lcqmc has a translation of both sentences. The logs in the "
            "folder logs/generate/translation say why."
        )
    notes = []
    for source, task in TRANSLATED.items():
        every, taken = ((each.split == SPLIT) & (each.task == source) for each in (benchmarks, sampled))
        lost = taken.sum() - (whole.task == task).sum()
        notes.append(
            f"{task}: {taken.sum()} of {every.sum()} pairs were to be translated; {lost} of these are "
            "skipped, because a sentence has no translation"
        )
        logger.info(notes[-1])
    return whole.reset_index(drop=True)[BENCHMARK.columns], notes


def sampled_pairs(benchmarks: pd.DataFrame, spec: TranslatedPairs) -> pd.DataFrame:
    """Return the pairs that are translated, in their order."""
    samples = []
    for task in TRANSLATED:
        pairs = benchmarks[(benchmarks.task == task) & (benchmarks.split == SPLIT)]
        order = generator("translated", task, spec.seed).permutation(len(pairs))
        samples.append(pairs.iloc[sorted(order[: as_number(spec.size)])])
    return pd.concat(samples, ignore_index=True)
