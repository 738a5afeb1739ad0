"""What language models are asked: settings of requests, and the parameter `ask` of steps that send them."""

import hashlib
import json
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from contrapose.generate.endpoint import serving_module
from contrapose.settings.prompt_files import AskedFor, Choices, PromptExample
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import Connection, SamplingParams
from contrapose.step import FromJob, Rows, input_files
from contrapose.tables import COMPLETIONS

if TYPE_CHECKING:
    from contrapose.generate.attempts import Attempts

# The rules that query language models; their code decides which answers of a `python:MODULE` are kept.
ASKING = (
    "generate_paraphrase",
    "generate_merge",
    "generate_translate",
    "generate_chat_texts",
    "generate_llm_backtranslation",
    "generate_judgements",
    "generate_sentences",
)
ParsedAs = AskedFor | Literal["translation", "any_translation", "continuation", "score"]
PAIR_TEXTS = "pairs/"  # before a pair set's id, where others name a corpus


class LLMRequests(Spec):
    """Ask one LLM with one prompt about sentences, for five paraphrases or one text of each."""

    llm: str = Field(description="Role in the world")
    sampling: SamplingParams
    prompt: str = Field(description="File name under config/prompts/ without ending")
    template: str | list[str] = Field(
        description="Text of that file, so that an edited prompt asks again; a sentence draws one of several"
    )
    examples: list[PromptExample] = Field([], description="Of that file: earlier turns of the conversation")
    choices: Choices = Field({}, description="Words for its placeholders; a request draws one of each")
    parsed_as: ParsedAs = Field("paraphrases", description="What an answer is read as")
    entry: int = Field(0, ge=0, description="Which of several answers to one prompt, each asked for anew")
    masked: float = Field(0.0, ge=0, lt=1, description="Share of a sentence's words shown as <mask>")
    answer_tokens: int | None = Field(
        None, ge=1, description="Tokens that an answer takes; null: as its text tells"
    )


class CorpusRequests(Spec):
    """What one LLM is asked about a corpus with one prompt."""

    corpus: str = Field(description="Name of a corpus, or `pairs/` and a pair set, whose texts are scored")
    requests: LLMRequests
    count: int | None = Field(
        None,
        description="Of requests without a text, or of sentences that a language model has yet to write; "
        "null: those of the corpus",
    )
    source: LLMRequests | None = Field(
        None, description="The texts are the answers to this, instead of the sentences"
    )


def journals_of(connection: Connection, journal: str | Path, code: str) -> Path:
    """Return the folder that keeps the answers; `journal` is that of the LLM role and model, `code` a digest.

    The answers of a `python:MODULE` depend on its code: each version has its own folder.
    """
    if not serving_module(connection.endpoint):
        return Path(journal)
    return Path(journal) / f"loopback-{hashlib.sha256(code.encode()).hexdigest()[:16]}"


# Folder of the journals of each language model, and how it is reached.
JournalFolders = Annotated[dict[str, str], FromJob(lambda spec, job: json.loads(job.resources.journals))]
Connections = Annotated[
    dict[str, Connection],
    FromJob(
        lambda spec, job: {
            llm: Connection(**each) for llm, each in json.loads(job.resources.connections).items()
        }
    ),
]


# Takes (id, text) of sentences and, for the log, what they are; returns the attempts in their order.
AskAll = Callable[..., "list[Attempts]"]
Texts = Iterable[tuple[str, str]]


def numbered(count: int) -> list[tuple[str, str]]:
    """Return what stands for texts in requests that are about none: their numbers."""
    return [(str(number), str(number)) for number in range(count)]


Completions = Annotated[pd.DataFrame, Rows(COMPLETIONS)]


def _session(spec: Any, job: Any) -> AbstractContextManager[AskAll]:
    from contrapose.generate.session import session

    names = dict(job.wildcards.items())
    # These name the journal: it must be found again.
    alone = "merge" if {"corpus", "prompt"} <= names.keys() else "0-of-1"
    about = {
        "llm": spec.llm,
        "corpus": names.get("pairs") or names.get("corpus") or Path(job.input.sentences).stem,
        "prompt": names.get("prompt") or names.get("texts") or names.get("translator") or spec.prompt,
        "shard": f"{names['shard']}-of-{names['shards']}" if "shard" in names else alone,
    }
    connection = Connection.model_validate_json(job.resources.connection)
    return session(connection, job.resources.journal, about, input_files(job, "recorded"), job.params.code)


Ask = Annotated[AbstractContextManager[AskAll], FromJob(_session)]
