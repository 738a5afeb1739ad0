"""List the sentences of the Chinese evaluation sets that are to be translated."""

from typing import Annotated

import pandas as pd

from contrapose.refs import resolved
from contrapose.settings.worlds import TranslatedPairs
from contrapose.steps import Project, Rows, planned
from contrapose.tables import BENCHMARK, SENTENCES


@planned
def plan(project: Project) -> TranslatedPairs:
    from contrapose.project.data import translator

    source = translator(project)
    pairs = {name: getattr(source, name) for name in TranslatedPairs.model_fields}
    return resolved(TranslatedPairs(**pairs), project)


def build(
    spec: TranslatedPairs, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Return the sentences of the pairs, each once."""
    from contrapose.retrieve.translated_sets import untranslated_sentences

    return untranslated_sentences(benchmarks, spec)
