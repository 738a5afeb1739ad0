"""What a language model is asked: one prompt about the sentences of a corpus."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.settings.catalogs import SamplingParams
from contrapose.settings.plan import Plan
from contrapose.settings.prompt_files import AskedFor, Choices, Prompt, PromptExample
from contrapose.settings.spec import Spec

ParsedAs = AskedFor | Literal["translation", "any_translation", "continuation", "score"]

PAIR_TEXTS = "pairs/"  # before a pair set's id, where others name a corpus


class LLMRequests(Spec):
    """Ask one LLM with one prompt about sentences, for five paraphrases or one text of each."""

    llm: str = Field(description="Role in the catalog")
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


def requests_to(project: Plan, llm: str, prompt: str, parsed_as: ParsedAs, template: str = "") -> LLMRequests:
    """Return the settings of requests; raise a ConfigError if the prompt has no recorded answers.

    `template`: instead of a prompt of this name.
    """
    model = project.entry("llms", llm)
    if lacking := model.unanswered(llm, prompt):
        raise ConfigError(
            f"llms.{llm}.answers: {lacking}. Name the key of these answers in "
            f"config/catalogs/{project.catalog_name}.yaml."
        )
    spec = Prompt(one_of=[template]) if template else project.entry("prompts", prompt)
    pool = spec.texts if len(spec.texts) > 1 else spec.texts[0]
    return LLMRequests(
        llm=llm, sampling=model.sampling(), prompt=prompt, template=pool, examples=spec.examples,
        choices=spec.choices, answer_tokens=spec.answer_tokens, parsed_as=parsed_as,
    )  # fmt: skip


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


Texts = Iterable[tuple[str, str]]


def numbered(count: int) -> list[tuple[str, str]]:
    """Return what stands for texts in requests that are about none: their numbers."""
    return [(str(number), str(number)) for number in range(count)]
