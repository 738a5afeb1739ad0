"""Ask a language model for five paraphrases, or a hard negative, of every sentence of a shard of a corpus."""

from collections.abc import Iterable
from typing import Annotated

import pandas as pd

from contrapose.base.errors import ConfigError
from contrapose.generate.attempts import Attempts, completions_of, table_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, requests_to
from contrapose.generate.shard_rows import ShardSentences
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.tables import COMPLETIONS, PARAPHRASES


@planned
def plan(project: Plan, corpus: str, llm: str, prompt: str, **shard: str) -> LLMRequests:
    """Return how a chat model is asked with a prompt; the sentences of a shard are an input."""
    asked_for = project.entry("prompts", prompt).asked_for
    if asked_for == "sentences":
        raise ConfigError(
            f"prompt '{prompt}' requests new sentences, so it does not contain a sentence to paraphrase. "
            "Name another prompt."
        )
    return requests_to(project, llm, prompt, asked_for)


def build(
    spec: LLMRequests, sentences: ShardSentences, ask: Ask
) -> Annotated[tuple, Outputs(paraphrases=PARAPHRASES, completions=COMPLETIONS)]:
    """Ask about the sentences of a shard; one whose attempts all failed is in the COMPLETIONS alone.

    Memory: about 4 kB per sentence.
    """
    with ask as ask_all:
        attempts = ask_all(spec, zip(sentences.id, sentences.text, strict=True))
    return paraphrases_of(attempts), completions_of(attempts)


def paraphrases_of(attempts: Iterable[Attempts]) -> pd.DataFrame:
    """Return the PARAPHRASES of all accepted answers; a hard negative is a single slot."""
    rows = [
        {"sentence_id": one.id, "slot": slot, "text": text}
        for one in attempts
        for slot, text in enumerate(one.items)
    ]
    return table_of(rows, PARAPHRASES)
