"""Ask a chat model for texts of several labels for every sentence of a corpus."""

from pathlib import Path
from typing import Annotated

from contrapose.generate.jobs import ChatTextsJob
from contrapose.generate.llm import Ask
from contrapose.steps import Outputs, Project, planned, wildcard
from contrapose.tables import COMPLETIONS, SENTENCES, SYNTHETIC, read_table


@planned
def plan(project: Project, texts: str) -> ChatTextsJob:
    return project.asking.texts(texts)


def build(
    spec: ChatTextsJob, sentences: list[str], ask: Ask, texts: Annotated[str, wildcard("texts")]
) -> Annotated[tuple, Outputs(texts=SYNTHETIC, completions=COMPLETIONS)]:
    """Ask about all sentences, label by label."""
    from contrapose.generate.chat_texts import chat_texts

    own, corpus = read_table(sentences[0], SENTENCES), Path(sentences[0]).stem
    return ask(lambda client: chat_texts(own, spec, client), corpus=corpus, prompt=texts, shard="0-of-1")
