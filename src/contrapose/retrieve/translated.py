"""Put the translated evaluation sets together; see `translated_benchmarks`."""

from typing import Annotated

import pandas as pd

from contrapose.corpus.untranslated import plan as plan
from contrapose.settings.worlds import TranslatedPairs
from contrapose.steps import Rows, with_facts
from contrapose.tables import BENCHMARK, TRANSLATIONS


def build(
    spec: TranslatedPairs,
    benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)],
    translations: Annotated[pd.DataFrame, Rows(TRANSLATIONS)],
) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Replace the sentences of the Chinese sets by their translations; the file has notes on them."""
    from contrapose.retrieve.translated_sets import translated_benchmarks

    found, notes = translated_benchmarks(benchmarks, translations, spec)
    return with_facts(found, notes=notes)
