"""Ask a language model for five paraphrases of every sentence of one shard of a corpus."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import pandas as pd

from contrapose.generate.jobs import AskingJob
from contrapose.generate.llm import Ask, Completions
from contrapose.steps import Rows, Shard, planned, wildcard
from contrapose.tables import PARAPHRASES

if TYPE_CHECKING:
    from contrapose.project import Project


class ParaphraseRequests(AskingJob):
    """What is asked."""

    @classmethod
    @planned
    def of(cls, project: "Project", corpus: str, llm: str, prompt: str, **shard: str) -> AskingJob:
        return project.asking.paraphrases(llm, prompt)


class Answers(NamedTuple):
    """Paraphrases, and the answers that they were read from."""

    paraphrases: Annotated[pd.DataFrame, Rows(PARAPHRASES)]
    completions: Completions


def build(
    spec: ParaphraseRequests,
    sentences: list[str],
    ask: Ask,
    shard: Shard,
    corpus: Annotated[str, wildcard("corpus")],
) -> Answers:
    """Ask about the sentences of a shard."""
    from contrapose.generate.paraphrases import paraphrase_shard
    from contrapose.generate.tries import read_shard

    own = read_shard(sentences[0], *shard)
    name = "{}-of-{}".format(*shard)
    return Answers(
        *ask(
            lambda client: paraphrase_shard(own, spec, client),
            corpus=corpus,
            prompt=spec.prompt,
            shard=name,
        )
    )
