"""Ask a language model to translate every sentence of a corpus into another language and back."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import pandas as pd

from contrapose.generate.jobs import BacktranslationJob
from contrapose.generate.llm import Ask, Completions
from contrapose.pairs.strategy import Sentences
from contrapose.steps import Rows, planned, wildcard
from contrapose.tables import PARAPHRASES, TRANSLATIONS

if TYPE_CHECKING:
    from contrapose.project import Project


class BacktranslationRequests(BacktranslationJob):
    """What is asked."""

    @classmethod
    @planned
    def of(cls, project: "Project", corpus: str, translator: str) -> BacktranslationJob:
        return project.asking.backtranslations(translator)


class Backtranslated(NamedTuple):
    """Translations there and back, and the answers that they were read from."""

    translations: Annotated[pd.DataFrame, Rows(TRANSLATIONS)]
    backtranslations: Annotated[pd.DataFrame, Rows(PARAPHRASES)]
    completions: Completions


def build(
    spec: BacktranslationRequests,
    sentences: Sentences,
    ask: Ask,
    corpus: Annotated[str, wildcard("corpus")],
    translator: Annotated[str, wildcard("translator")],
) -> Backtranslated:
    """Ask about all sentences, then about all of their translations."""
    from contrapose.generate.chat_texts import backtranslated

    done = ask(
        lambda client: backtranslated(sentences, spec, client),
        corpus=corpus,
        prompt=translator,
        shard="0-of-1",
    )
    return Backtranslated(*done)
