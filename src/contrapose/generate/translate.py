"""Ask a language model for a translation of every sentence of one shard.  PrdSimCSE, table 6."""

import logging
from typing import Annotated

import pandas as pd

from contrapose.base.errors import ConfigError
from contrapose.generate.attempts import AskAll, Attempts, completions_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, Texts, requests_to
from contrapose.generate.shard_rows import ShardSentences
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.tables import COMPLETIONS, TRANSLATIONS

logger = logging.getLogger(__name__)


@planned
def plan(project: Plan, llm: str, **shard: str) -> LLMRequests:
    """Return how a chat model translates; raise ConfigError if it is not the catalog's translator."""
    translator = project.catalog.translator
    if translator is None or translator.llm != llm:
        raise ConfigError(
            f"llms.{llm} is not the translator of the catalog '{project.catalog_name}'. Name it: "
            f"translator: {{kind: llm, llm: {llm}}}."
        )
    return requests_to(project, llm, translator.prompt, "translation")


def build(
    spec: LLMRequests, sentences: ShardSentences, ask: Ask
) -> Annotated[tuple, Outputs(translations=TRANSLATIONS, completions=COMPLETIONS)]:
    """Ask about the sentences of a shard; one whose attempts all failed is in the COMPLETIONS alone."""
    with ask as ask_all:
        translations, attempts = translated(spec, zip(sentences.id, sentences.text, strict=True), ask_all)
    logger.info("%d of %d sentences are translated", len(translations), len(sentences))
    table = pd.DataFrame(translations.items(), columns=TRANSLATIONS.columns, dtype="str")
    return table, completions_of(attempts)


def translated(spec: LLMRequests, texts: Texts, ask_all: AskAll) -> tuple[dict[str, str], list[Attempts]]:
    """Ask about each distinct text, for its first sentence; return the translations by text."""
    ids: dict[str, str] = {}
    for id, text in texts:
        ids.setdefault(text, id)
    attempts = ask_all(spec, [(id, text) for text, id in ids.items()])
    return {text: one.items[0] for text, one in zip(ids, attempts, strict=True) if one.items}, attempts
