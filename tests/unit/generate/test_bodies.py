import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.generate.bodies import error_in, read_body
from contrapose.generate.outcomes import Paid, judged
from tests.unit.generate.scripted_endpoint import body

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
USAGE = {"prompt_tokens": 7, "completion_tokens": 11}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
)
BETWEEN = st.sampled_from(["", ": keep-alive", "event: message", "id: 7", "retry: 100"])


def chunk(content, finish=None, **more):
    return {
        "model": "tiny-2025",
        "choices": [{"index": 0, "delta": content, "finish_reason": finish}],
        **more,
    }


def events(chunks, between="", end="\n", last="[DONE]"):
    lines = [f"data: {json.dumps(each)}{end}" for each in chunks]
    return "".join(f"{between}{end}{line}{end}" for line in [*lines, f"data: {last}"])


@given(TEXTS, st.integers(1, 7), BETWEEN, st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_stream_is_the_answer_that_it_would_be_without_streaming(text, size, between, end):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    first = [chunk({"role": "assistant", "content": None, "reasoning_content": "They want one."})]
    chunks = [*first, *(chunk({"content": piece}) for piece in pieces), chunk({}, "stop")]
    streamed = judged(200, events([*chunks, {"choices": [], "usage": USAGE}], between, end))
    assert streamed == judged(200, json.dumps(body(text)))


@given(
    TEXTS, st.sampled_from(["", "\ufeff", "\n\n", ": ping\n\n", "data: "]), st.integers(0, 2), st.booleans()
)
def test_what_stands_around_an_answer_changes_nothing(text, before, quoted, listed):
    wrapped = json.dumps([body(text)] if listed else body(text), indent=None if before == "data: " else 1)
    for _ in range(quoted):
        wrapped = json.dumps(wrapped)
    assert judged(200, before + wrapped + "\n\ndata: [DONE]" * (before != "\ufeff")) == judged(
        200, json.dumps(body(text))
    )


@given(st.integers(0, 300))
def test_a_stream_that_breaks_off_is_no_answer_and_may_have_been_billed(at):
    whole = events([chunk({"content": "It rained."}), chunk({"content": " A lot."}), chunk({}, "stop")])
    reply = judged(200, whole[: min(at, whole.index('"stop"'))])
    assert reply.outcome.name in ("lost", "broken_body")
    assert reply.outcome.paid is Paid.UNKNOWN


def test_an_error_within_a_stream_may_have_been_billed_and_one_alone_was_not():
    error = {"error": {"message": "Overloaded", "code": 529}}
    assert judged(200, json.dumps(error)).outcome.paid is Paid.NO
    assert judged(200, json.dumps(error | {"usage": USAGE})).outcome.paid is Paid.UNKNOWN
    broken = judged(200, events([chunk({"content": "It"}), error]))
    assert (broken.outcome.name, broken.outcome.paid) == ("server", Paid.UNKNOWN)
    assert broken.message == "200: Overloaded"


def test_of_answers_that_repeat_what_they_have_so_far_the_last_one_counts():
    assert judged(200, events([body("It", ""), body("It rained.")])).answer.text == "It rained."


@given(ANY_JSON, st.sampled_from([200, 400]))
def test_any_json_is_judged(value, status):
    assert judged(status, json.dumps(value)).outcome.name != "answer"


FRAGMENTS = ["[", '{"a":', '"\\', "data: 1\n", ": \n", "1 ", " ", "\r"]


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_one_fragment_again_and_again_is_read_to_its_end_in_linear_time(fragment):
    body = fragment * (400_000 // len(fragment))
    start = time.process_time()
    assert judged(200, body).outcome.name in ("lost", "broken_body")
    assert time.process_time() - start < 5  # quadratic time would be minutes


def test_codes_and_words_of_an_error_are_found_at_any_depth_in_their_order():
    value = {
        "error": {"code": 7, "metadata": {"raw": {"msg": "Quota", "status": "X"}}},
        "errors": ["Quota", "No"],
    }
    assert error_in(value) == (["7", "X"], "Quota; No")
    assert read_body("null").value is None
