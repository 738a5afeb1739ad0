"""The chat models of a catalog, and how to reach them."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, model_validator

from contrapose.base.home import is_ours
from contrapose.settings.main import MOST_USD, REFUSED_AT_MOST
from contrapose.settings.plan import Plan
from contrapose.settings.spec import (
    KEY_BEGINS,
    ByKind,
    EndpointText,
    PathText,
    SecretError,
    Spec,
    VariableName,
    current,
    part_of,
)

RECORDED = "recorded"  # in place of an endpoint
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
PYTHON = "python:"  # before the name of a module that serves the endpoint inside the job

# Request fields that have a setting of their own, or that yield something other than one whole answer.
OWN_FIELDS = {
    "model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "n", "stream",
}  # fmt: skip
# Names of fields that hold a secret; prompt_cache_key and stop_token_ids are none of them.
SECRET_FIELD = re.compile(
    "key|token|auth|bearer|pass|pwd|sig|.*(api|access|secret|private|subscription|functions)_?key.*"
    "|.*(api|access|auth|bearer|session)_?token"
    "|.*(authorization|password|passwd|passphrase|secret|credential|jwt|signature).*|.*(cookies?|headers?)",
    re.IGNORECASE,
)
# In a value: a key anywhere, or what stands after the name of one.
SECRET_VALUE = re.compile(
    rf"(?<![A-Za-z0-9])(?:{KEY_BEGINS.pattern}"
    r"|(?i:bearer|basic)\s+\S{8}|(?i:key|token|secret|password|passwd|pwd)=\S)"
)


def _extra(fields: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    if name := _secret(fields):
        raise SecretError(
            f"{name} looks like a secret, which logs and published files would show. Name the "
            "environment variable of the API key in `key`. Other headers belong into a proxy of your "
            "own"
        )
    if taken := sorted(fields.keys() & OWN_FIELDS):
        raise ValueError(
            f"{', '.join(taken)} cannot be in extra_body: an LLM has settings for these fields. Use them"
        )
    return fields


def _secret(fields: object) -> str:
    """Return the name of a field, at any depth, that holds a secret by its name or value; else ""."""
    listed = enumerate(fields if isinstance(fields, list) else ())
    for name, value in fields.items() if isinstance(fields, Mapping) else listed:
        plain = re.sub(r"[\W_]+", "_", str(name)).strip("_")
        if SECRET_FIELD.fullmatch(plain) or (isinstance(value, str) and SECRET_VALUE.search(value)):
            return str(name)
        if inner := _secret(value):
            return f"{name}.{inner}"
    return ""


PRICES = ("prompt_price", "completion_price")
# Wider than any real setting, so that a slip is told before a job waits or counts for years.
MOST_PRICE = 100_000.0  # USD per million tokens; the dearest public models cost some hundreds
DAY = 86_400.0  # seconds
# A server of one's own answers many requests at once, and queues the others: vLLM up to 256 on a GPU.
# `no_response_timeout` is more than two requests that are never answered.
USER_SERVER = {"concurrency": 64, "timeout": 600.0, "no_response_timeout": 1500.0}

Accepted = Literal["all", "some"]
ACCEPT: Accepted = Field(
    "all",
    description="With `all`, an answer is used only if all five paraphrases are good, as in section 3.2 "
    "of the thesis. With `some`, bad paraphrases are dropped, and the others are repeated in turn until "
    "there are five. At least two must be good, and at least half of the list. "
    "docs/reference/outcomes.md lists what makes a paraphrase bad.",
)


class SamplingParams(Spec):
    """The settings of an LLM that can change an answer; the others only say how to reach it."""

    model: str = Field(description="This is the name of the model at the endpoint.")
    temperature: float | None = Field(
        1.0,
        ge=0,
        le=2,
        description="This is the sampling temperature. With null, it is not sent, for models that refuse it.",
    )
    top_p: float | None = Field(
        1.0,
        gt=0,
        le=1,
        description="This is the limit of nucleus sampling. With null, it is not sent, for models that "
        "refuse it.",
    )
    max_tokens: int = Field(
        600,
        ge=16,
        le=10_000_000,
        description="An answer has at most this many tokens, including reasoning. Five paraphrases need "
        "about 300.",
    )
    system: str | None = Field(
        None, min_length=1, description="This is the system message. With null, there is none."
    )
    extra_body: Annotated[dict[str, JsonValue], AfterValidator(_extra)] = Field(
        {}, description="These further fields are sent with each request, such as `{reasoning_effort: none}`."
    )
    send_seed: bool = Field(
        False,
        description="If true, each request has a seed, which the endpoint must support. Then the "
        "same request can get the same answer again.",
    )
    max_attempts: int = Field(
        3,
        ge=1,
        le=100,
        description="A sentence gets at most this many paid answers before it is replaced or dropped.",
    )
    accept: Accepted = ACCEPT


class ConnectionParams(Spec):
    """How to reach a chat model.  Nothing here can change an answer."""

    endpoint: EndpointText = Field(
        description="This is a base URL that ends in `/v1`, `file:PATH` of a file that holds one, or "
        "`python:MODULE` of a module that serves one."
    )
    key: VariableName | None = Field(None, description="This environment variable holds the API key.")
    concurrency: int = Field(
        8,
        ge=1,
        le=10_000,
        description="A job sends this many requests at the same time. For a model without a key, the "
        "default is 64. The key never changes a result.",
    )
    timeout: float = Field(
        120.0,
        gt=0,
        le=DAY,
        description="A request may last this many seconds. For a model without a key, the default is 600.",
    )
    no_response_timeout: float = Field(
        300.0,
        gt=0,
        le=30 * DAY,
        description="The job stops after this many seconds without any answer. For a model without a "
        "key, the default is 1500.",
    )
    requests_per_minute: float | None = Field(
        None,
        ge=0.001,
        le=1e9,
        description="The key allows this many requests per minute, for all jobs together.",
    )
    tokens_per_minute: float | None = Field(
        None, ge=1, le=1e12, description="The key allows this many tokens per minute, for all jobs together."
    )
    tokens_counted: Literal["reserved", "used"] = Field(
        "reserved",
        description="The limit counts prompt tokens and max_tokens (`reserved`), or the tokens that "
        "were used (`used`).",
    )
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="The endpoint calls the upper limit of an answer by this name."
    )
    prompt_price: float = Field(
        0.0, ge=0, le=MOST_PRICE, description="A million prompt tokens cost this many US dollars."
    )
    completion_price: float = Field(
        0.0, ge=0, le=MOST_PRICE, description="A million completion tokens cost this many US dollars."
    )
    prices_as_of: date | None = Field(None, description="The prices are those of this date.")
    budget: float | None = Field(
        None,
        ge=0,
        le=MOST_USD,
        description="All answers of this model may cost this many US dollars together. With null, there "
        "is no limit.",
    )


class Connection(ConnectionParams):
    """How to reach the LLM of a role."""

    role: str = Field(description="Of the LLM or encoder in the catalog, for messages")
    section: Literal["llms", "encoders"] = Field("llms", description="Of the catalog")
    max_invalid_ratio: float = REFUSED_AT_MOST

    @property
    def entry(self) -> str:
        return f"{self.section}.{self.role}"


REPLACEMENTS = Field(
    20,
    ge=0,
    le=10_000,
    description="A corpus of kind `sampled` replaces a sentence without a usable answer by another one. "
    "It tries at most this many replacements for each sentence.",
)


def changed_llm(llm: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """Return the entry of a chat model in a catalog with other values of some settings.

    What the catalog says of the connection belongs to its endpoint: another one gets only the budget.  With
    `kind` in the changes, they are the whole entry.
    """
    llm, changes = (current(settings, LLM.model_fields) for settings in (llm, changes))
    if "kind" in changes:
        return changes
    dropped = OF_ENDPOINT if changes.get("endpoint", llm.get("endpoint")) != llm.get("endpoint") else set()
    return {key: value for key, value in llm.items() if key not in dropped} | changes


def serving_module(endpoint: str) -> str:
    """Return the MODULE of an endpoint `python:MODULE`, which the asking job serves itself; else ""."""
    return endpoint.removeprefix(PYTHON) if endpoint.startswith(PYTHON) else ""


class ChatModel(Spec):
    """What a chat model of a catalog answers when jobs are planned."""

    paid: ClassVar[bool]  # whether answers need requests: there is something to estimate, plan and pay

    def in_call(self, plan: Plan, role: str) -> Self:
        """Return the language model with what the settings of a call change."""
        return self

    def unanswered(self, role: str, prompt: str) -> str:
        """Return that recorded answers lack a prompt; empty if they have it, or an endpoint is asked."""
        return ""

    def recorded(self, plan: Plan, role: str) -> list[str]:
        """Return the file of recorded answers, if there is one."""
        return []

    def sampling(self) -> SamplingParams:
        """Return the part that can change an answer: what a rule's settings may hold."""
        raise NotImplementedError

    @property
    def files(self) -> list[str]:
        """The files that the entry names."""
        return []

    @property
    def player(self) -> str:
        """The model that answers, by a name that does not depend on the machine."""
        return self.sampling().model

    def journal(self, role: str) -> str:
        """Name the journal that keeps the paid answers: one for each role and model."""
        return f"{role}-{self.sampling().model}".replace("/", "_")


class LLM(ConnectionParams, SamplingParams, ChatModel):
    """The chat model is called at an OpenAI-compatible endpoint."""

    paid: ClassVar[bool] = True
    kind: Literal["endpoint"] = "endpoint"
    replacements: int = REPLACEMENTS
    tokens_per_second: float | None = Field(
        None,
        ge=0.001,
        le=1e9,
        description="The model writes one answer at this speed. `contrapose plan` computes hours from "
        "it. With null, the speed is unknown.",
    )
    server_tokens_per_second: float | None = Field(
        None,
        ge=0.001,
        le=1e9,
        description="A server of your own writes all answers of the same time together at this speed. "
        "`contrapose plan` computes hours from it. With null, the speed is unknown.",
    )

    @model_validator(mode="before")
    @classmethod
    def _for_user_servers(cls, data: object) -> object:
        if not isinstance(data, dict) or data.get("key") or str(data.get("endpoint")).startswith("python:"):
            return data
        return {**USER_SERVER, **current(data, cls.model_fields)}

    def in_call(self, plan: Plan, role: str) -> Self:
        """Return the model with the `llm_budget` and the `endpoint` of the settings of a call."""
        changed: dict[str, object] = {}
        if role in plan.config.llm_budget:
            budgets = (plan.config.llm_budget[role], self.budget)
            changed["budget"] = min(budget for budget in budgets if budget is not None)
        if plan.config.endpoint:
            # The key belongs to the catalog's own endpoint: it is not sent to another one.
            changed |= {"endpoint": plan.config.endpoint, "key": None}
        return self.model_copy(update=changed)

    def sampling(self) -> SamplingParams:
        """Return the part that can change an answer: what a rule's settings may hold."""
        return part_of(self, SamplingParams)

    def connection(self, role: str) -> Connection:
        """Return the part that cannot change an answer: what a rule's resources may hold."""
        return part_of(self, Connection, role=role)

    @property
    def unpriced(self) -> bool:
        """Whether answers may cost money, by a key or on another machine, but no price is set."""
        url = urlsplit(self.endpoint)
        elsewhere = url.scheme in ("http", "https") and url.hostname not in THIS_MACHINE
        return bool(self.key or elsewhere) and not {*PRICES} <= self.model_fields_set

    @property
    def player(self) -> str:
        by_rule = is_ours(serving_module(self.endpoint))
        return f"{self.model}, a rule-based rewriter in place of a language model" if by_rule else self.model


class RecordedLLM(ChatModel):
    """A file of recorded answers replaces a chat model. Nothing is sent or paid."""

    paid: ClassVar[bool] = False
    kind: Literal["recorded"]
    path: PathText = Field(
        description="This is a JSON Lines file below the data folder, or with `./` in front below the "
        "project. While it is missing, methods that need the answers are skipped."
    )
    sentence: str = Field(
        "sentence", description="This key holds the sentence that the model was asked about."
    )
    answers: dict[str, str] = Field(
        min_length=1,
        description="Each entry maps a prompt to the key of its answer. The answer is the text of a "
        "model, a list of texts, or null.",
    )
    model: str | None = Field(None, description="This model gave the answers. Notes of tables name it.")
    replacements: int = REPLACEMENTS
    accept: Accepted = ACCEPT

    endpoint: ClassVar[str] = RECORDED
    key: ClassVar[None] = None

    @property
    def files(self) -> list[str]:
        return [self.path]

    def unanswered(self, role: str, prompt: str) -> str:
        lacks = prompt not in self.answers
        return (
            f"the entry '{role}' under `llms` has no recorded answers to prompt '{prompt}'" if lacks else ""
        )

    def recorded(self, plan: Plan, role: str) -> list[str]:
        return [plan.paths.recorded(role)]

    def sampling(self) -> SamplingParams:
        """Return stand-ins for a model's settings; one try, because a recorded answer never changes."""
        return SamplingParams(model=self.model or self.path, max_attempts=1, accept=self.accept)

    def connection(self, role: str) -> Connection:
        return Connection(role=role, endpoint=self.endpoint)


SPEEDS = {"tokens_per_second", "server_tokens_per_second"}
OF_ENDPOINT = ({*ConnectionParams.model_fields} - {"budget"}) | SPEEDS
LLMSource = Annotated[LLM | RecordedLLM, ByKind("endpoint")]
