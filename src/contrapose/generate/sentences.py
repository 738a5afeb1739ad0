"""Ask a language model for the sentences of a corpus.  SynCSE-scratch (Zhang et al. 2023)."""

import logging
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.generate.attempts import completions_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, numbered
from contrapose.generate.parsing import compared
from contrapose.generate.refused import with_refused
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Language
from contrapose.tables import COMPLETIONS, SENTENCES
from contrapose.text.languages import counted_words

logger = logging.getLogger(__name__)


class SentenceRequests(LLMRequests):
    """Ask one LLM for the sentences of a corpus."""

    count: int = Field(ge=1, description="Of requests")
    size: int = Field(ge=1, description="Most sentences")
    language: Language = Field(description="Decides how words are counted")


@planned
def plan(project: Plan, corpus: str) -> SentenceRequests:
    """Return how a chat model is asked for the sentences of a corpus, and in how many requests."""
    requests, spec = project.llm_requests, project.corpus(corpus)
    counts = {"count": requests.sentence_requests(corpus), "size": project.size(spec.size)}
    return SentenceRequests(**dict(requests.sentences(corpus)), **counts, language=spec.language)


def build(
    spec: SentenceRequests, ask: Ask
) -> Annotated[tuple, Outputs(sentences=SENTENCES, completions=COMPLETIONS)]:
    """Ask for all sentences; of those that differ in case or outer marks alone, the first is kept.

    In the order of the requests, each of which is an `article`.  A smaller corpus is the head of a larger one
    with the same settings.  If fewer are left than wanted, the status says how many are missing.
    """
    with ask as ask_all:
        attempts = ask_all(spec, numbered(spec.count))
    distinct: dict[str, tuple[str, str, str, int]] = {}
    for one in attempts:
        for place, text in enumerate(one.items):
            distinct.setdefault(compared(text), (f"{one.id}:{place}", text, one.id, place))
    rows = [*distinct.values()][: spec.size]
    count = counted_words(spec.language)
    table = pd.DataFrame([(*row, len(count(row[1]))) for row in rows], columns=SENTENCES.columns)
    table = table.astype({"position": "int32", "words": "int32"})
    logger.info("%d of %d sentences, from %d requests", len(rows), spec.size, spec.count)
    missing = f"{spec.size - len(rows)} of {spec.size} sentences to be written came twice or not at all"
    completions = completions_of(attempts)
    if len(rows) < spec.size:
        table = with_status(table, skipped=[missing])
        table = with_refused(table, completions, f"{spec.llm}, prompt {spec.prompt}")
    return table, completions
