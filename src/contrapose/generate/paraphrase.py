"""Ask a language model for five paraphrases of every sentence of one shard of a corpus."""

from typing import Annotated

from contrapose.generate.jobs import AskingJob
from contrapose.generate.llm import Ask
from contrapose.steps import Outputs, Project, Shard, planned, wildcard
from contrapose.tables import COMPLETIONS, PARAPHRASES


@planned
def plan(project: Project, corpus: str, llm: str, prompt: str, **shard: str) -> AskingJob:
    return project.asking.paraphrases(llm, prompt)


def build(
    spec: AskingJob,
    sentences: list[str],
    ask: Ask,
    shard: Shard,
    corpus: Annotated[str, wildcard("corpus")],
) -> Annotated[tuple, Outputs(paraphrases=PARAPHRASES, completions=COMPLETIONS)]:
    """Ask about the sentences of a shard."""
    from contrapose.generate.paraphrases import paraphrase_shard
    from contrapose.generate.tries import read_shard

    own, name = read_shard(sentences[0], *shard), "{}-of-{}".format(*shard)
    return ask(
        lambda client: paraphrase_shard(own, spec, client), corpus=corpus, prompt=spec.prompt, shard=name
    )
