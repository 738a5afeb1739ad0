"""What an endpoint can return, and what is done about it: one table.

The rows are tried from top to bottom; the first that matches an error's code, words or status counts.
"""

import email.utils
import re
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from contrapose.base.errors import one_line
from contrapose.generate.bodies import (
    Body,
    answer_of_another_api,
    choice_of,
    error_in,
    is_error,
    read_body,
    text_of,
)
from contrapose.generate.parsing.refusals import Refusal, finished_badly

MOST_TOKENS = 2**31 - 1  # what the COMPLETIONS table can hold
EMBEDDINGS = "embeddings"  # in place of a text, and of a prompt's name
SHOWN = 300  # characters of a body, or of what an error says
PACKED = 16  # characters at the beginning that tell text from packed data and other encodings.  Ours
HALF_PAIR = re.compile("[\ud800-\udfff]")


class Action(StrEnum):
    """What the client does."""

    ACCEPT = "accept"  # hand the answer to the parser
    TRY = "count as a try"  # paid and useless
    RESEND = "resend"  # after a pause of this request; does not use up a try
    WAIT = "wait"  # all senders pause, then resend; does not use up a try
    READY = "wait until the model is ready"  # resend until the first answer came, afterwards stop
    GIVE_UP = "give up"  # on this sentence
    STOP = "stop"  # the stage; what was paid is kept


class Paid(StrEnum):
    """Whether the request was billed."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Outcome:
    """A row of the table."""

    name: str
    action: Action
    paid: Paid
    says: str  # in messages and reports
    setting: str = ""  # of the LLM's role in the catalog file, if one causes a STOP
    codes: frozenset[str] = frozenset()  # `code` or `type` in the body
    words: re.Pattern[str] | None = None  # in the error's message
    statuses: Container[int] = field(default=())


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


# Answers: status 200.
ANSWER = Outcome("answer", Action.ACCEPT, Paid.YES, "an answer")
EMPTY = Outcome("empty", Action.TRY, Paid.YES, "an answer without text")
CUT = Outcome("cut", Action.TRY, Paid.YES, "the answer reached max_tokens; the next try gets twice as many")
UNSAID = Outcome(
    "unsaid", Action.TRY, Paid.YES,
    "max_tokens was used up by reasoning, before any text. Raise max_tokens, or reduce the reasoning "
        "by `extra_body`; the next try gets twice as many",
    setting="max_tokens",
)  # fmt: skip
FILTERED = Outcome("filtered", Action.GIVE_UP, Paid.YES, "the content filter withheld the answer")
# With status 200, but without an answer: sent again, as it may have been billed or not.
BROKEN_BODY = Outcome("broken_body", Action.RESEND, Paid.UNKNOWN, "the response is not complete JSON")
OTHER_API = Outcome(
    "other_api", Action.STOP, Paid.UNKNOWN,
    "the response has the form of another API. Give the base URL of an OpenAI-compatible server, "
        "which often ends in /v1",
    setting="endpoint",
)  # fmt: skip
# A page of a proxy that let nothing through looks like one of a gateway that had asked the model.
HTML = Outcome(
    "html", Action.RESEND, Paid.UNKNOWN, "the response is a web page instead of JSON, perhaps from a proxy"
)

# No answer.
UNREACHED = Outcome("unreached", Action.RESEND, Paid.NO, "no connection")
UNSENT = Outcome("unsent", Action.STOP, Paid.NO, "the request could not be sent", setting="endpoint")
LOST = Outcome("lost", Action.RESEND, Paid.UNKNOWN, "the connection broke before the answer was complete")
DEADLINE = Outcome("deadline", Action.RESEND, Paid.UNKNOWN, "no complete answer before `timeout`")
UNSERVED = Outcome(
    "unserved", Action.GIVE_UP, Paid.NO, "the server fails on this sentence, but not on others"
)
UNRECORDED = Outcome(
    "unrecorded", Action.GIVE_UP, Paid.NO, "the file of recorded answers has no answer for this sentence"
)

# Also an error within a success that no row knows.
FAILED = Outcome(
    "server", Action.RESEND, Paid.NO, "the server failed",
    statuses={408, 409, 425, 500, *range(502, 600)},
)  # fmt: skip
ERRORS = (
    Outcome(
        "no_money", Action.STOP, Paid.NO, "the account has no money or quota left", setting="key",
        codes=frozenset(
            {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "42902", "Arrearage"}
        ),
        words=_words(r"exceeded your current quota|insufficient (?:credit|balance|funds)|overdue"),
        statuses={402},
    ),
    Outcome(
        "rate_limit", Action.WAIT, Paid.NO, "too many requests",
        codes=frozenset({"rate_limit_exceeded", "42901", "42903"}),
        words=_words(r"rate.?limit|too many requests|throttl"), statuses={429},
    ),
    # FastChat sends these with status 400: worker timeout, CUDA memory, no worker (FastChat#2172).
    Outcome(
        "worker", Action.RESEND, Paid.NO, "the process of the model failed",
        codes=frozenset({"50001", "50002", "50003", "50004", "50005", "50006"}),
    ),
    Outcome(
        "too_long", Action.GIVE_UP, Paid.NO,
        "the prompt and the answer do not fit into the context of the model",
        codes=frozenset({"context_length_exceeded", "exceed_context_size_error", "40303"}),
        words=_words(r"maximum context length|context (?:length|size|window)|max_model_len"),
        statuses={413},
    ),
    Outcome(
        "forbidden", Action.GIVE_UP, Paid.NO, "the content filter refused the sentence",
        codes=frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"}),
        words=_words(r"\bflagged\b"),
    ),
    Outcome(
        "not_registered", Action.READY, Paid.NO, "the server does not serve this model (yet)",
        setting="model", codes=frozenset({"40301"}), words=_words(r"only .{0,200} allowed now"),
    ),
    FAILED,  # before words that stop a job: a server that starts may not find its model yet
    Outcome(
        "key", Action.STOP, Paid.NO, "the endpoint does not accept the key", setting="key",
        codes=frozenset({"invalid_api_key", "40101", "40102", "40103"}),
        words=_words(
            r"\b(?:not authenticated|unauthori[sz]ed|authentication (?:failed|required|error))\b"
            r"|\b(?:invalid|incorrect|missing|no) (?:api|access|auth|bearer)\w*.?(?:key|token)\b"
            r"|\b(?:api|access|auth|bearer).?(?:key|token) .{0,40}\b(?:(?:in|not )valid|expired|missing)\b"
        ),
        statuses={401, 403},
    ),
    Outcome(
        "model", Action.STOP, Paid.NO,
        "the endpoint does not know the model, or the base URL does not end in /v1", setting="model",
        codes=frozenset({"model_not_found"}), statuses={404, 405},
        words=_words(r"server is pinned to|\bmodel\b.{0,100}\b(?:not found|(?:does not|doesn't) exist)\b"),
    ),
    Outcome(
        "moved", Action.STOP, Paid.NO,
        "the server redirects to another address. Give its base URL (https in place of http, or with "
            "/v1)",
        setting="endpoint", statuses=range(300, 400),
    ),
)  # fmt: skip
REJECTED = Outcome(
    "rejected", Action.STOP, Paid.NO,
    "the endpoint does not accept the form of the request. Set the field that it names to null, or "
        "see `max_tokens_name` and `extra_body` in docs/how-to/connect-a-model.md",
    setting="model",
)  # fmt: skip

OUTCOMES = {
    outcome.name: outcome
    for outcome in (
        ANSWER, EMPTY, CUT, UNSAID, FILTERED, BROKEN_BODY, OTHER_API, HTML,
        UNREACHED, UNSENT, LOST, DEADLINE, UNSERVED, UNRECORDED, *ERRORS, REJECTED,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a server returned; missing fields keep their defaults."""

    text: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None  # reasoning included
    reasoning_tokens: int | None = None
    model: str = ""


@dataclass(frozen=True)
class Reply:
    """An outcome with its answer, or with the server's words about an error."""

    outcome: Outcome
    answer: Answer = Answer()
    message: str = ""


def judged(status: int, text: str) -> Reply:
    """Return what a response means, from its HTTP status and raw body.

    A body without a usable message is a failure of the server, also with status 200.
    """
    body = read_body(text)
    if status >= 300:
        return _error(status, body.value, text)
    reply = _in_success(status, body, text)
    usage = body.value.get("usage") if isinstance(body.value, dict) else None
    if reply.outcome.paid is Paid.NO and (body.is_stream or any(_tokens(usage).values())):
        return replace(reply, outcome=replace(reply.outcome, paid=Paid.UNKNOWN))  # it broke off, and may cost
    return reply


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, or None.

    Reads `retry-after-ms`, then `retry-after` in seconds (fractions too) or as an HTTP date.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            seconds = _until(text, headers.get("date"))
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _until(date: str, now: str | None) -> float:
    """Return the seconds to an HTTP date, by the server's own clock if given; NaN if it is not a date."""
    try:
        base = email.utils.parsedate_to_datetime(now).timestamp() if now else time.time()
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - base)
    except ValueError:
        return float("nan")


def _in_success(status: int, body: Body, text: str) -> Reply:
    value = body.value
    if not isinstance(value, dict):
        return _no_object(status, body, text)
    if is_error(value):
        return _error(status, value, text)  # a gateway passes an error on as a success
    if _is_embedded(value):
        return _embedded(value)
    if not choice_of(value).get("message"):
        return _without_message(status, value, text)
    if not body.is_whole:
        return Reply(LOST, message=f"{status}: the stream ended without a finish reason and without [DONE]")
    reply = _success(value)
    failed = _error(status, value, "") if reply.outcome is EMPTY else reply
    return reply if failed.outcome is FAILED else failed


def _no_object(status: int, body: Body, text: str) -> Reply:
    """Return what a success is whose body is no JSON, or a text, a number, null or an empty list in JSON."""
    if body.is_stream:
        return Reply(LOST, message=f"{status}: {text[:SHOWN]}")
    if text.lstrip().startswith("<"):
        return Reply(HTML, message=text[:SHOWN])
    said = body.value if isinstance(body.value, str) else text
    failed = _error(status, None, said)
    if said.lstrip().startswith(("{", "[")) or failed.outcome is FAILED:
        is_packed = "\ufffd" in said[:PACKED]  # what bytes that are no UTF-8 have become
        said = (
            "the response is not text in UTF-8"
            if is_packed
            else said[:SHOWN].strip() or "the response is empty"
        )
        return Reply(BROKEN_BODY, message=said)
    return failed


def _without_message(status: int, value: dict, text: str) -> Reply:
    """Return what a success without a message is: an error by its code or words, or another API's answer."""
    failed = _error(status, value, text)
    name = answer_of_another_api(value)
    if name and failed.outcome is FAILED:
        return Reply(OTHER_API, message=f"{status}, with '{name}' in place of 'choices': {text[:SHOWN]}")
    return failed


def _success(value: dict) -> Reply:
    choice = choice_of(value)
    answer = Answer(
        text=_clean(_said(choice["message"])),
        finish_reason=_clean(choice.get("finish_reason")),
        **_tokens(value.get("usage")),
        model=one_line(_clean(value.get("model"))),
    )
    cut = CUT if answer.text.strip() else UNSAID
    by_reason = {Refusal.CUT: cut, Refusal.FILTERED: FILTERED}
    outcome = by_reason.get(finished_badly(answer.finish_reason))  # type: ignore[arg-type]
    return Reply(outcome or (ANSWER if answer.text.strip() else EMPTY), answer)


def _said(message: object) -> str:
    """Return the text of a message, also of one that is a text itself."""
    return text_of(message.get("content") if isinstance(message, dict) else message)


def _is_embedded(value: dict) -> bool:
    """Return whether a body is an answer with vectors, or one without them whose tokens are counted."""
    data = value.get("data")
    if not isinstance(data, list):
        return False
    vectors = [each for each in data if isinstance(each, dict) and "embedding" in each]
    return bool(vectors) or isinstance(value.get("usage"), dict)


def _embedded(value: dict) -> Reply:
    """Return the reply that vectors are; they themselves stay in the body."""
    tokens = _tokens(value.get("usage"))
    tokens["completion_tokens"] = None if tokens["prompt_tokens"] is None else 0
    return Reply(ANSWER, Answer(EMBEDDINGS, "stop", **tokens, model=one_line(_clean(value.get("model")))))


def _tokens(usage: object) -> dict[str, int | None]:
    """Return the tokens that an answer was billed for; reasoning counts as completion.

    OpenAI counts reasoning among `completion_tokens`; xAI only in `total_tokens`
    (docs.x.ai, consumption and rate limits).
    """
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("completion_tokens_details")
    prompt, completion, total = (
        _count(usage.get(f"{of}_tokens")) for of in ("prompt", "completion", "total")
    )
    if prompt is not None and completion is not None and total is not None:
        completion = max(completion, total - prompt)
    reasoning = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    return {"prompt_tokens": prompt, "completion_tokens": completion, "reasoning_tokens": reasoning}


def _error(status: int, value: object, text: str) -> Reply:
    """Return the row of the table for an error; one within a success is by itself a failure of the server."""
    codes, said = error_in(value)
    within = next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code, re.A)), 0)
    message = " ".join((said or text)[:SHOWN].split())
    rows = (row for row in ERRORS if _matches(row, status if status >= 300 else within, codes, message))
    other = REJECTED if status >= 300 or within else FAILED
    return Reply(next(rows, other), message=f"{status}: {message}")


def _matches(row: Outcome, status: int, codes: Sequence[str], message: str) -> bool:
    worded = row.words is not None and row.words.search(message)
    return bool(row.codes.intersection(codes) or worded or status in row.statuses)


def _clean(text: object) -> str:
    """Return a text that can be written as UTF-8: JSON may hold a lone surrogate."""
    return HALF_PAIR.sub("\ufffd", text) if isinstance(text, str) else ""


def _count(value: object) -> int | None:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if known else None  # type: ignore[return-value]
