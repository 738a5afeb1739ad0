"""Prompts, and the requests made from them."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed, uniforms
from contrapose.generate.llm_requests import LLMRequests
from contrapose.jobs.fingerprint import canonical

PLACEHOLDER = "{sentence}"
MASK, JOINED = "<mask>", 0.5  # chance that neighbouring masks become one.  CLAIF, modeling.py@01202b6
SEEDS = 2**31  # servers read the seed as a signed 32-bit number, or larger
FRAME_TOKENS = 64  # at most, for roles and marks around a message; OpenAI adds 7, Vicuna's template 40


class Usage(NamedTuple):
    """Tokens of requests: what they are charged for."""

    prompt: int
    completion: int

    def plus(self, other: "Usage | None") -> "Usage":
        return Usage(self.prompt + other.prompt, self.completion + other.completion) if other else self


@dataclass(frozen=True)
class Request:
    """One question to a language model: what is sent, and which attempt at which sentence it is."""

    sentence_id: str
    prompt: str  # name of the prompt
    attempt: int  # paid answer to this sentence, from 0
    body: Mapping[str, object]  # JSON of POST {base_url}/chat/completions
    entry: int = 0  # which of several answers to one question, each with attempts of its own
    sentence: str = ""  # that the prompt is about; not part of the key, since the body has it

    @cached_property
    def key(self) -> str:
        """SHA-256 of body, attempt and entry: identifies the request in the journal.

        The base URL stays out: the same model at another port is the same model.
        """
        # Entry 0 is left out: answers paid for before there were several entries keep their keys.
        entry = {"entry": self.entry} if self.entry else {}
        text = canonical({"body": dict(self.body), "attempt": self.attempt, **entry})
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def about(self) -> dict[str, object]:
        """The readable part, for the journal; the key identifies the rest."""
        return {
            "sentence_id": self.sentence_id,
            "prompt": self.prompt,
            "attempt": self.attempt,
            "model": self.body["model"],
        }

    @property
    def greeting(self) -> dict[str, object]:
        """The body of a trivial request to the same page, without the model."""
        return {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}

    @cached_property
    def worst_case(self) -> Usage:
        """Return what it can cost at most: no tokenizer makes more tokens than there are bytes."""
        messages: Sequence[Mapping[str, str]] = self.body["messages"]  # type: ignore[assignment]
        content = sum(len(message["content"].encode()) + FRAME_TOKENS for message in messages)
        return Usage(content, int(self.body["max_tokens"]))  # type: ignore[call-overload]


def filled(prompt: str, sentence: str) -> str:
    """Return the prompt with the sentence for `{sentence}`, which must occur once, else a ConfigError."""
    if prompt.count(PLACEHOLDER) != 1:
        raise ConfigError(
            f"config/prompts: '{prompt.strip()[:60]}' contains {PLACEHOLDER} "
            f"{prompt.count(PLACEHOLDER)} times. It must contain it exactly once, in the place of the "
            "sentence."
        )
    before, after = prompt.strip().split(PLACEHOLDER)
    return before + sentence + after


def instruction(requests: LLMRequests, sentence: str) -> str:
    """Return the instruction about a sentence, drawn from a pool, with the words of its choices.

    An instruction that is edited asks again about its own sentences only, and a word that is added about the
    sentences that draw it.
    """
    pool, drawn = requests.template, (requests.prompt, sentence)
    text = pool if isinstance(pool, str) else pool[derived_seed("instruction", *drawn) % len(pool)]
    for name, words in requests.choices.items():
        word = min(words, key=lambda each: derived_seed("choice", name, each, *drawn))
        text = text.replace(f"{{{name}}}", word)
    return text


def masked(sentence: str, share: float) -> str:
    """Return the sentence with that share of its words, rounded up, drawn and replaced by `<mask>`.

    Words end at blanks.  CLAIF (Cheng et al. 2023), `corrupt_sentence_with_mask`; our draws depend on the
    sentence and the share alone, so that the same words are masked when its text is asked for again.
    """
    words = sentence.split(" ")
    *draws, joined = uniforms([("masked", f"{share:g}", sentence)], len(words) + 1)[0]
    for place in np.argsort(draws)[: math.ceil(len(words) * share)]:
        words[place] = MASK
    if joined < JOINED:
        words = [word for before, word in pairwise(["", *words]) if (before, word) != (MASK, MASK)]
    return " ".join(words)


def _messages(requests: LLMRequests, sentence: str) -> list[dict[str, str]]:
    template, system = instruction(requests, sentence), requests.sampling.system
    put = filled if requests.parsed_as != "sentences" else lambda prompt, text: prompt.strip()
    messages = [{"role": "system", "content": system}] if system else []
    for each in requests.examples:
        messages.append({"role": "user", "content": put(template, each.sentence)})
        messages.append({"role": "assistant", "content": each.answer})
    shown = masked(sentence, requests.masked) if requests.masked else sentence
    return [*messages, {"role": "user", "content": put(template, shown)}]


def request(
    sentence_id: str, sentence: str, requests: LLMRequests, attempt: int = 0, max_tokens: int | None = None
) -> Request:
    """Build the request for one attempt: a user message that is the prompt, after those of its examples.

    Unset options are not sent, so that earlier requests keep their keys: their answers are paid for.

    `attempt` counts from 0.  Each of several answers, `requests.entry`, or the number that stands for a
    sentence where sentences are asked for, has a seed of its own.  `max_tokens`
    is larger than that of the settings after an answer that was cut.
    """
    sampling = requests.sampling
    entry = int(sentence) if requests.parsed_as == "sentences" else requests.entry
    options = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    body: dict[str, object] = {
        "model": sampling.model,
        "messages": _messages(requests, sentence),
        **{name: value for name, value in options.items() if value is not None},
        "max_tokens": max_tokens or sampling.max_tokens,
        **sampling.extra_body,
    }
    if sampling.send_seed:
        entries = (entry,) if entry else ()
        seed = derived_seed("generate", sentence, instruction(requests, sentence), attempt, *entries)
        body["seed"] = seed % SEEDS
    return Request(sentence_id, requests.prompt, attempt, body, entry, sentence)


def wire_body(body: Mapping[str, object], max_tokens_name: str) -> dict[str, object]:
    """Return a request's body as an endpoint wants it; its name for `max_tokens` is not hashed."""
    renamed = {"max_tokens": max_tokens_name}
    return {renamed.get(name, name): value for name, value in body.items()}


def question(first: str, second: str) -> tuple[str, str]:
    """Return the id of two texts, a digest, and what a prompt shows of them."""
    text = f"(a) {first}\n(b) {second}"
    return hashlib.sha256(text.encode()).hexdigest()[:16], text
