import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.generate.outcomes import OUTCOMES, Action, judged, retry_after


def error(code=None, message="", type=None):
    return json.dumps({"error": {"message": message, "type": type, "code": code}})


def fastchat(code, message=""):
    return json.dumps({"object": "error", "message": message, "code": code})


def answer(content="1. x", finish="stop", **more):
    choice = {"message": {"content": content}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "model": "m", **more})


ROWS = [
    (200, answer(), "answer", Action.ACCEPT),
    (200, answer(finish="length"), "cut", Action.TRY),
    (200, answer("", finish="length"), "unsaid", Action.TRY),
    (200, answer(None, finish="content_filter"), "filtered", Action.GIVE_UP),
    (200, answer(None), "empty", Action.TRY),
    (200, answer(" \n"), "empty", Action.TRY),
    (200, json.dumps({"choices": []}), "empty", Action.TRY),
    (200, json.dumps({"choices": None}), "empty", Action.TRY),
    (200, '{"choices": [{"mess', "broken_body", Action.TRY),
    (200, "[1]", "broken_body", Action.TRY),
    (200, "<html>Bad gateway</html>", "html", Action.RESEND),
    (200, error("rate_limit_exceeded"), "rate_limit", Action.WAIT),
    (200, error(429), "rate_limit", Action.WAIT),
    (200, error("insufficient_quota"), "no_money", Action.STOP),
    (200, error(None, "upstream"), "server", Action.RESEND),
    (200, json.dumps({"error": "upstream"}), "server", Action.RESEND),
    (200, fastchat(50001), "worker", Action.RESEND),
    (429, error("rate_limit_exceeded"), "rate_limit", Action.WAIT),
    (429, "slow down", "rate_limit", Action.WAIT),
    (429, error("insufficient_quota", type="insufficient_quota"), "no_money", Action.STOP),
    (429, error(None, "You exceeded your current quota, please check"), "no_money", Action.STOP),
    (402, "{}", "no_money", Action.STOP),
    *[
        (status, "<html>oops</html>", "server", Action.RESEND)
        for status in (408, 409, 500, 502, 503, 504, 529)
    ],
    (400, error("context_length_exceeded"), "too_long", Action.GIVE_UP),
    (400, error(None, "This model's maximum context length is 2048 tokens."), "too_long", Action.GIVE_UP),
    (400, fastchat(40303), "too_long", Action.GIVE_UP),
    (400, error("content_filter"), "forbidden", Action.GIVE_UP),
    *[(400, fastchat(code), "worker", Action.RESEND) for code in range(50001, 50007)],
    (400, fastchat(42903), "rate_limit", Action.WAIT),
    (400, fastchat(40301, "Only vicuna allowed now, your model m"), "not_registered", Action.READY),
    (400, error(None, "Server is pinned to DIR@main"), "model", Action.STOP),
    (400, error("unknown_parameter", "no such field"), "rejected", Action.STOP),
    (422, json.dumps({"detail": "field required"}), "rejected", Action.STOP),
    (401, error("invalid_api_key"), "key", Action.STOP),
    (403, "{}", "key", Action.STOP),
    (404, error("model_not_found"), "model", Action.STOP),
    (404, "<html>", "model", Action.STOP),
]


@pytest.mark.parametrize(("status", "body", "name", "action"), ROWS, ids=lambda value: None)
def test_each_row_of_the_table_is_recognised(status, body, name, action):
    found = judged(status, body).outcome
    assert (found.name, found.action) == (name, action)


def test_an_answer_keeps_model_reason_and_tokens():
    found = judged(200, answer(usage={"prompt_tokens": 3, "completion_tokens": 4})).answer
    assert (found.text, found.finish_reason, found.model) == ("1. x", "stop", "m")
    assert (found.prompt_tokens, found.completion_tokens) == (3, 4)


@pytest.mark.parametrize(
    ("usage", "billed"),
    [
        ((279, 6, None), 6),
        ((279, 95, 374), 95),  # OpenAI: reasoning is among the completion's tokens
        ((279, 6, 374), 95),  # xAI: 89 tokens of reasoning are in the total alone
        ((None, 6, 374), 6),
        ((279, 6, 100), 6),
    ],
)
def test_reasoning_is_billed_wherever_the_server_counts_it(usage, billed):
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    counts = {name: count for name, count in zip(names, usage, strict=True) if count is not None}
    details = {"completion_tokens_details": {"reasoning_tokens": 89}}
    found = judged(200, answer(usage=counts | details)).answer
    assert (found.completion_tokens, found.reasoning_tokens) == (billed, 89)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": "3"}, {"prompt_tokens": -1}, [], {"prompt_tokens": True}]
)
def test_unknown_usage_is_missing_and_not_zero(usage):
    assert judged(200, answer(usage=usage)).answer.prompt_tokens is None


def test_content_in_parts_is_joined_and_half_a_surrogate_pair_does_not_reach_the_tables():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b\ud83d"}]  # half a surrogate pair
    assert judged(200, answer(parts)).answer.text == "ab\ufffd"


KEYS = ["choices", "message", "content", "error", "usage", "code", "text", "object", "model"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)


@given(st.integers(200, 599), st.one_of(st.text(), json_values.map(json.dumps)))
def test_whatever_comes_back_has_an_outcome(status, body):
    assert judged(status, body).outcome.name in OUTCOMES


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 10.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(headers, seconds):
    assert retry_after(headers) == seconds
