"""Ask a language model to translate every sentence of a corpus into another language and back."""

from typing import Annotated

from contrapose.generate.jobs import BacktranslationJob
from contrapose.generate.llm import Ask
from contrapose.pairs.strategy import Sentences
from contrapose.steps import Outputs, Project, planned, wildcard
from contrapose.tables import COMPLETIONS, PARAPHRASES, TRANSLATIONS


@planned
def plan(project: Project, corpus: str, translator: str) -> BacktranslationJob:
    return project.asking.backtranslations(translator)


def build(
    spec: BacktranslationJob,
    sentences: Sentences,
    ask: Ask,
    corpus: Annotated[str, wildcard("corpus")],
    translator: Annotated[str, wildcard("translator")],
) -> Annotated[
    tuple, Outputs(translations=TRANSLATIONS, backtranslations=PARAPHRASES, completions=COMPLETIONS)
]:
    """Ask about all sentences, then about all of their translations."""
    from contrapose.generate.chat_texts import backtranslated

    return ask(
        lambda client: backtranslated(sentences, spec, client),
        corpus=corpus,
        prompt=translator,
        shard="0-of-1",
    )
