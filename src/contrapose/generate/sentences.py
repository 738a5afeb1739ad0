"""Ask a language model for the sentences of a corpus.  SynCSE-scratch (Zhang et al. 2023)."""

import logging
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.generate.attempts import completions_of
from contrapose.generate.llm import Ask
from contrapose.generate.llm_requests import LLMRequests, numbered, requests_to
from contrapose.generate.parsing import compared
from contrapose.generate.refused import with_refused
from contrapose.jobs.status import with_status
from contrapose.jobs.step import Outputs, planned
from contrapose.settings.corpora import LENGTHS, CorpusKind, Counts, Texts
from contrapose.settings.ids import named
from contrapose.settings.plan import Plan
from contrapose.settings.prompt_files import Choices
from contrapose.settings.refs import LLMName, PromptName, Size
from contrapose.settings.spec import Language
from contrapose.tables import COMPLETIONS, SENTENCES
from contrapose.text.languages import counted_words

SENTENCE_TOKENS = 39  # 140 bytes as in `LENGTHS` of settings/corpora.py, 4 a token, and 4 for its number

logger = logging.getLogger(__name__)


class AskedCorpus(CorpusKind):
    """A chat model writes sentences about topics in genres. SynCSE-scratch, Zhang et al. 2023."""

    kind: Literal["llm_generated"]
    llm: LLMName = Field("chatgpt", description="This entry of the catalog's `llms` writes the sentences.")
    prompt: PromptName = Field(
        "invented",
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without `.yaml`. Its key `answer` must be `sentences`.",
    )
    choices: Choices = Field(
        {},
        description="These words replace those of the prompt, by placeholder, for example your genres "
        "and topics.",
    )
    size: Size = Field(
        description="The language model writes this many sentences. The corpus is smaller if some are equal."
    )
    per_request: int = Field(
        10,
        ge=1,
        description="One answer has this many sentences. The prompt contains the number as `{number}`.",
    )
    language: Language = Field("english", description="The language decides how words are counted.")

    def check(self, project: Plan) -> None:
        prompt = project.entry("prompts", self.prompt)
        if prompt.asked_for != "sentences":
            raise ConfigError(
                f"prompt '{self.prompt}' is about a given sentence, but this corpus needs a "
                "prompt that requests new sentences. Name one with `answer: sentences`, such as "
                "invented."
            )
        for each in self.choices:
            where = f"the key choices of config/prompts/{self.prompt}.yaml"
            named(dict.fromkeys(prompt.choices), each, where)

    def note(self, project: Plan) -> str:
        return f"sentences written by {project.entry('llms', self.llm).player}"

    def amount(self, project: Plan, count: int | None) -> str:
        return f"at most {super().amount(project, count)}"

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return [("", self.llm, self.prompt)]

    def texts(self, project: Counts, count: int | None) -> Texts:
        return Texts(count, LENGTHS.get(self.language, LENGTHS["sampled"]))


class SentenceRequests(LLMRequests):
    """Ask one LLM for the sentences of a corpus."""

    count: int = Field(ge=1, description="Of requests")
    size: int = Field(ge=1, description="Most sentences")
    language: Language = Field(description="Decides how words are counted")


@planned
def plan(project: Plan, corpus: str) -> SentenceRequests:
    """Return how a chat model is asked for the sentences of a corpus, and in how many requests."""
    spec = project.corpus(corpus)
    size = project.size(spec.size)
    requests = requests_to(project, spec.llm, spec.prompt, "sentences")
    changed = {
        "choices": requests.choices | spec.choices | {"number": [str(spec.per_request)]},
        "answer_tokens": SENTENCE_TOKENS * spec.per_request,
        "count": -(-size // spec.per_request),
    }
    return SentenceRequests(**dict(requests) | changed, size=size, language=spec.language)


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
    missing = f"{spec.size - len(rows)} of {spec.size} requested sentences were duplicates or not written"
    completions = completions_of(attempts)
    if len(rows) < spec.size:
        table = with_status(table, skipped=[missing])
        table = with_refused(table, completions, f"{spec.llm}, prompt {spec.prompt}")
    return table, completions
