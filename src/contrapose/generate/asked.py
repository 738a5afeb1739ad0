"""Ask a chat model for texts of several labels for every sentence of a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import pandas as pd

from contrapose.generate.jobs import ChatTextsJob
from contrapose.generate.llm import Ask, Completions
from contrapose.steps import Rows, planned, wildcard
from contrapose.tables import SENTENCES, SYNTHETIC, read_table

if TYPE_CHECKING:
    from contrapose.project import Project


class ChatTextRequests(ChatTextsJob):
    """What is asked."""

    @classmethod
    @planned
    def of(cls, project: "Project", texts: str) -> ChatTextsJob:
        return project.asking.texts(texts)


class ChatTexts(NamedTuple):
    """Texts, and the answers that they were read from."""

    texts: Annotated[pd.DataFrame, Rows(SYNTHETIC)]
    completions: Completions


def build(
    spec: ChatTextRequests, sentences: list[str], ask: Ask, texts: Annotated[str, wildcard("texts")]
) -> ChatTexts:
    """Ask about all sentences, label by label."""
    from contrapose.generate.chat_texts import chat_texts

    own, corpus = read_table(sentences[0], SENTENCES), Path(sentences[0]).stem
    done = ask(lambda client: chat_texts(own, spec, client), corpus=corpus, prompt=texts, shard="0-of-1")
    return ChatTexts(*done)
