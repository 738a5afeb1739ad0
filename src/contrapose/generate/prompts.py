"""Prompts, and the requests made from them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from contrapose.errors import ConfigError
from contrapose.fingerprint import canonical
from contrapose.seeds import derived_seed
from contrapose.settings.worlds import Asked

PLACEHOLDER = "{sentence}"
SEEDS = 2**31  # servers read the seed as a signed 32-bit number, or larger
FRAME_TOKENS = 64  # at most, for roles and marks around a message; OpenAI adds 7, Vicuna's template 40


class TokenSum(NamedTuple):
    """Tokens of a request: what it is charged for."""

    prompt: int
    completion: int


@dataclass(frozen=True)
class Request:
    """One question to a language model: what is sent, and which try of which sentence it is."""

    sentence_id: str
    prompt: str  # name of the prompt
    attempt: int  # paid try for this sentence, from 0
    body: Mapping[str, object]  # JSON of POST {base_url}/chat/completions
    entry: int = 0  # which of several answers to one question, each with tries of its own
    sentence: str = ""  # that the prompt is about; not part of the key, since the body has it

    @cached_property
    def key(self) -> str:
        """SHA-256 of body, attempt and entry: identifies the request in the journal.

        The base URL stays out: the same model behind another port is the same model.
        """
        # Entry 0 is left out: answers paid for before there were several entries keep their keys.
        entry = {"entry": self.entry} if self.entry else {}
        text = canonical({"body": dict(self.body), "attempt": self.attempt, **entry})
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def most(self) -> TokenSum:
        """Return what it can cost in the worst case: no tokenizer makes more tokens than there are bytes."""
        messages: Sequence[Mapping[str, str]] = self.body["messages"]  # type: ignore[assignment]
        content = sum(len(message["content"].encode()) + FRAME_TOKENS for message in messages)
        return TokenSum(content, int(self.body["max_tokens"]))  # type: ignore[call-overload]


def filled(prompt: str, sentence: str) -> str:
    """Return the prompt with the sentence for `{sentence}`, which must occur once, else a ConfigError."""
    if prompt.count(PLACEHOLDER) != 1:
        raise ConfigError(
            f"config/prompts: '{prompt.strip()[:60]}' holds {PLACEHOLDER} {prompt.count(PLACEHOLDER)} times; "
            f"it must stand there exactly once, where the sentence goes."
        )
    before, after = prompt.strip().split(PLACEHOLDER)
    return before + sentence + after


def request(
    sentence_id: str,
    sentence: str,
    prompt: str,
    text: str,
    asked: Asked,
    attempt: int,
    max_tokens: int,
    entry: int = 0,
) -> Request:
    """Build the request for one try: one user message that is the prompt.

    Unset options are not sent, so that earlier requests keep their keys: their answers are paid for.

    `prompt` and `text` are name and text of the prompt.  `attempt` and `entry` count from 0: each of several
    answers, `entry`, has a seed of its own.  `max_tokens` is larger than `asked.max_tokens` after an answer
    that was cut.
    """
    system = [{"role": "system", "content": asked.system}] if asked.system else []
    sampling = {"temperature": asked.temperature, "top_p": asked.top_p}
    body: dict[str, object] = {
        "model": asked.model,
        "messages": [*system, {"role": "user", "content": filled(text, sentence)}],
        **{name: value for name, value in sampling.items() if value is not None},
        "max_tokens": max_tokens,
        **asked.extra,
    }
    if asked.send_seed:
        own = (entry,) if entry else ()
        body["seed"] = derived_seed("generate", sentence, text, attempt, *own) % SEEDS
    return Request(sentence_id, prompt, attempt, body, entry, sentence)


def wire_body(request: Mapping[str, object], max_tokens_name: str) -> dict[str, object]:
    """Return a request's body as an endpoint wants it; its name for `max_tokens` is not hashed."""
    renamed = {"max_tokens": max_tokens_name}
    return {renamed.get(name, name): value for name, value in request.items()}
