import csv
import json
from pathlib import Path

import pytest

from contrapose.generate.outcomes import Answer, judged, retry_after

RESPONSES = Path(__file__).parent / "responses.csv"


def answer(content="1. x", finish="stop", **more):
    choice = {"message": {"content": content}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "model": "m", **more})


@pytest.mark.parametrize(
    "row", csv.DictReader(RESPONSES.open(encoding="utf-8", newline="")), ids=lambda row: row["body"]
)
def test_each_row_of_the_table_is_recognised_and_told_in_the_words_of_the_server(row):
    reply = judged(int(row["status"]), row["body"])
    assert reply.outcome.name == row["outcome"]
    assert row["says"] in reply.message
    if row["outcome"] == "answer":
        assert (reply.answer.text, reply.answer.finish_reason in ("stop", "")) == ("1. x", True)


@pytest.mark.parametrize(
    ("usage", "billed"),
    [
        ((279, 6, None), 6), ((None, 6, 374), 6), ((279, 6, 100), 6),
        ((279, 95, 374), 95),  # OpenAI: reasoning is among the completion's tokens
        ((279, 6, 374), 95),  # xAI: 89 tokens of reasoning are in the total alone
    ],
)  # fmt: skip
def test_reasoning_is_billed_wherever_the_server_counts_it(usage, billed):
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    counts = {name: count for name, count in zip(names, usage, strict=True) if count is not None}
    details = {"completion_tokens_details": {"reasoning_tokens": 89}}
    found = judged(200, answer(usage=counts | details)).answer
    assert found == Answer("1. x", "stop", usage[0], billed, 89, "m")


def test_content_in_parts_is_joined_and_half_a_surrogate_pair_does_not_reach_the_tables():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b\ud83d"}]  # half a surrogate pair
    assert judged(200, answer(parts)).answer.text == "ab\ufffd"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None), ({"retry-after": "3"}, 3.0), ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 10.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, 0.0), ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None), ({"retry-after": "inf"}, None),
    ],
)  # fmt: skip
def test_the_wait_that_a_server_asks_for_is_read(headers, seconds):
    assert retry_after(headers) == seconds
