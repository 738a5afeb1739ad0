import asyncio
import json
import logging
import os
import signal
import time

import pytest

from contrapose.config import LLM, Asked
from contrapose.errors import BackendError, ConfigError
from contrapose.generate import client as module
from contrapose.generate.client import Client, base_url, secret
from contrapose.generate.journal import Journal
from contrapose.generate.outcomes import OUTCOMES, Action
from contrapose.generate.prompts import request
from tests.unit.generate.scripted_endpoint import Say, body

ASKED = Asked(model="tiny")
PROMPT = "Paraphrase: {sentence}"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Make pauses short; how long they are is tested by itself."""
    monkeypatch.setattr(module, "FIRST_BACKOFF", 0.005)
    monkeypatch.setattr(module, "LONGEST_BACKOFF", 0.02)
    monkeypatch.setattr(module, "PROBE_SECONDS", 0.02)


def connection(endpoint, **settings):
    return LLM(model="tiny", endpoint=endpoint.url, **{"timeout": 5, **settings}).connection("chatgpt")


def ask(connection, folder, sentences=("A mill burned.",), workers=8):
    """Ask about sentences; return the replies and, for those that failed, the errors."""
    requests = [request(f"a:{n}", text, "1", PROMPT, ASKED, 0, 600) for n, text in enumerate(sentences)]

    async def run():
        gate = asyncio.Semaphore(workers)

        async def one(client, request):
            async with gate:
                return await client.ask(request)

        async with Client(connection, journal) as client:
            return await asyncio.gather(
                *(one(client, request) for request in requests), return_exceptions=True
            )

    with Journal(folder, "w") as journal:
        return asyncio.run(run())


def names(n):
    return [f"Sentence {number} stands here." for number in range(n)]


def records(folder):
    return [json.loads(line) for line in (folder / "w.jsonl").read_text().splitlines()]


def test_an_answer_is_read_and_kept_raw(endpoint, tmp_path):
    (reply,) = ask(connection(endpoint), tmp_path)
    assert reply.outcome.name == "answer"
    assert reply.answer.text.startswith("1. They saw that A mill burned.")
    (record,) = records(tmp_path)
    assert json.loads(record["body"])["usage"] == {"prompt_tokens": 7, "completion_tokens": 11}
    assert (record["sentence_id"], record["attempt"], record["status"]) == ("a:0", 0, 200)


def test_a_request_that_was_answered_is_never_sent_again(endpoint, tmp_path):
    first = ask(connection(endpoint), tmp_path, names(20))
    assert ask(connection(endpoint), tmp_path, names(25))[:20] == first
    assert len(endpoint.requests) == 25


def test_a_finished_journal_needs_neither_key_nor_endpoint(endpoint, tmp_path):
    ask(connection(endpoint), tmp_path)
    gone = LLM(model="tiny", endpoint="http://127.0.0.1:9/v1", key="NO_SUCH_VARIABLE").connection("chatgpt")
    assert ask(gone, tmp_path)[0].outcome.name == "answer"


def test_the_endpoint_sees_no_more_requests_at_once_than_it_is_given(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(content=body("x"), seconds=0.02)
    ask(connection(endpoint, concurrency=4), tmp_path, names(20), workers=4)
    assert endpoint.most <= 4


RESENT = {
    "worker": Say(400, {"object": "error", "message": "NETWORK ERROR", "code": 50001}),
    "server": Say(502, "<html>Bad gateway</html>"),
    "html": Say(200, "<html>Please log in</html>"),
    "rate_limit": Say(429, {"error": {"code": "rate_limit_exceeded"}}),
    "not_registered": Say(400, {"object": "error", "message": "Only x allowed now", "code": 40301}),
    "unreached": Say(reset="early"),
    "lost": Say(content=body("x" * 500), reset="middle"),
}


@pytest.mark.parametrize("name", RESENT)
def test_what_the_server_does_wrong_is_sent_again_and_is_no_try(endpoint, tmp_path, name):
    assert OUTCOMES[name].action in (Action.RESEND, Action.WAIT, Action.READY)
    endpoint.script = lambda request, count: RESENT[name] if count < 2 else None
    (reply,) = ask(connection(endpoint), tmp_path)
    assert reply.outcome.name == "answer"
    assert len(endpoint.prompts()) == 3
    answers = [record for record in records(tmp_path) if "key" in record]
    assert len(answers) == 1


@pytest.mark.parametrize(
    "say", [RESENT["lost"], Say(content=body("x"), seconds=0.4)], ids=["lost", "deadline"]
)
def test_a_request_that_may_have_been_billed_is_noted(endpoint, tmp_path, say):
    endpoint.script = lambda request, count: say if count < 1 else None
    ask(connection(endpoint, timeout=0.2), tmp_path)
    note, answer = records(tmp_path)
    assert note["lost"] == answer["key"]


TRIED = {
    "empty": Say(content=body(None)),
    "cut": Say(content=body("1. x", "length")),
    "broken_body": Say(content='{"choices": [{"mes'),
    "filtered": Say(content=body(None, "content_filter")),
    "too_long": Say(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
    "forbidden": Say(400, {"error": {"code": "content_filter"}}),
}


@pytest.mark.parametrize("name", TRIED)
def test_what_counts_against_the_sentence_is_returned_and_kept(endpoint, tmp_path, name):
    endpoint.script = lambda request, count: TRIED[name]
    for _ in range(2):
        (reply,) = ask(connection(endpoint), tmp_path)
        assert reply.outcome is OUTCOMES[name]
        assert reply.outcome.action in (Action.TRY, Action.GIVE_UP)
    assert len(endpoint.requests) == 1


STOPPED = {
    "key": (
        Say(401, {"error": {"code": "invalid_api_key", "message": "Incorrect key: sk-secret-77"}}),
        "llms.chatgpt.key",
    ),
    "no_money": (
        Say(429, {"error": {"code": "insufficient_quota", "message": "quota"}}),
        "no money or quota left",
    ),
    "model": (Say(404, {"error": {"code": "model_not_found", "message": "no tiny"}}), "llms.chatgpt.model"),
    "rejected": (Say(400, {"error": {"message": "sk-secret-77 wants an integer"}}), "wants an integer"),
}


@pytest.mark.parametrize("name", STOPPED)
def test_what_will_not_get_better_stops_at_once_and_loses_nothing(
    endpoint, tmp_path, name, monkeypatch, caplog
):
    monkeypatch.setenv("TEST_KEY", "sk-secret-77")
    caplog.set_level(logging.DEBUG)
    say, words = STOPPED[name]
    bad = 30

    def script(request, count):
        return say if f" {bad} " in request["messages"][0]["content"] else None

    endpoint.script = script
    replies = ask(connection(endpoint, key="TEST_KEY"), tmp_path, names(200), workers=4)
    errors = [reply for reply in replies if isinstance(reply, Exception)]
    assert {type(error) for error in errors} == {BackendError if name == "no_money" else ConfigError}
    assert words in str(errors[0])
    assert "What was answered is kept" in str(errors[0])
    assert len(endpoint.requests) < 60
    assert len(records(tmp_path)) == len(replies) - len(errors) == len(endpoint.requests) - 1
    assert "sk-secret-77" not in str(errors[0]) + caplog.text + (tmp_path / "w.jsonl").read_text()


def test_a_model_that_disappears_later_stops_the_job(endpoint, tmp_path):
    endpoint.script = lambda request, count: (
        RESENT["not_registered"] if " 5 " in request["messages"][0]["content"] else None
    )
    replies = ask(connection(endpoint), tmp_path, names(10), workers=1)
    assert isinstance(replies[5], ConfigError)
    assert len(endpoint.requests) == 6


def test_a_missing_key_is_named_before_any_request(endpoint, tmp_path, monkeypatch):
    monkeypatch.delenv("TEST_KEY", raising=False)
    (error,) = ask(connection(endpoint, key="TEST_KEY"), tmp_path)
    assert isinstance(error, ConfigError)
    assert "llms.chatgpt.key: the environment variable TEST_KEY is not set" in str(error)
    assert endpoint.requests == []


def test_the_key_is_sent_and_without_one_a_placeholder(endpoint, monkeypatch):
    monkeypatch.setenv("TEST_KEY", " sk-1 \n")
    assert secret(connection(endpoint, key="TEST_KEY")) == "sk-1"
    assert secret(connection(endpoint)) == "EMPTY"


@pytest.mark.parametrize("url", ["", "localhost:8000/v1", "ftp://host/v1", "http:///v1"])
def test_a_base_url_that_is_none_is_refused(url):
    with pytest.raises(ConfigError, match=r"llms\.x\.endpoint"):
        base_url(LLM(model="m", endpoint=url).connection("x"))


def test_a_dripping_body_frees_its_place_at_the_deadline(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(content=body("x" * 400), drip=0.02) if count < 1 else None
    started = time.monotonic()
    (reply,) = ask(connection(endpoint, timeout=0.3), tmp_path)
    assert reply.outcome.name == "answer"
    assert time.monotonic() - started < 0.3 + 0.5


def test_one_request_that_fails_does_not_hold_up_the_others(endpoint, tmp_path):
    slow = Say(content=body("x"), seconds=0.3)
    endpoint.script = lambda request, count: slow if " 3 " in request["messages"][0]["content"] else None
    replies = ask(connection(endpoint, timeout=0.1), tmp_path, names(40), workers=4)
    assert [reply.outcome.name for n, reply in enumerate(replies) if n != 3] == ["answer"] * 39


@pytest.mark.parametrize("others", [0, 200])
def test_a_sentence_on_which_alone_the_server_fails_is_given_up(endpoint, tmp_path, others):
    def script(request, count):
        poison = " 0 " in request["messages"][0]["content"]
        return Say(500, "crash") if poison else Say(content=body("x"), seconds=0.01)

    endpoint.script = script
    for _ in range(2):
        replies = ask(connection(endpoint), tmp_path, names(1 + others), workers=4)
        assert replies[0].outcome.name == "unserved"
        assert {reply.outcome.name for reply in replies[1:]} <= {"answer"}
    poisoned = [prompt for prompt in endpoint.prompts() if " 0 " in prompt]
    assert 6 <= len(poisoned) <= 16


def test_an_outage_gives_up_no_sentence_and_probes_one_at_a_time(endpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PROBE_SECONDS", 0.1)
    start = time.monotonic()
    out = (0.1, 1.1)

    def script(request, count):
        down = out[0] < time.monotonic() - start < out[1]
        return Say(503, "down") if down else Say(content=body("x"), seconds=0.02)

    endpoint.script = script
    replies = ask(connection(endpoint), tmp_path, names(300), workers=16)
    assert {reply.outcome.name for reply in replies} == {"answer"}
    late = [t for t in endpoint.times if start + out[0] + 0.3 < t < start + out[1]]
    assert len(late) <= 9  # 0.7 s of one probe each 0.1 s


def test_an_endpoint_that_stays_away_stops_the_job_after_its_patience(tmp_path):
    gone = LLM(model="tiny", endpoint="http://127.0.0.1:9/v1", patience=0.3).connection("vicuna")
    started = time.monotonic()
    (error,) = ask(gone, tmp_path)
    assert isinstance(error, BackendError)
    assert "llms.vicuna.endpoint: http://127.0.0.1:9/v1 gave no answer to sentence a:0" in str(error)
    assert "no connection" in str(error)
    assert time.monotonic() - started < 2


def test_a_429_pauses_all_senders_as_long_as_it_says(endpoint, tmp_path):
    limit = Say(429, {"error": {"code": "rate_limit_exceeded"}}, {"retry-after": "0.5"})
    endpoint.script = lambda request, count: (
        limit if len(endpoint.requests) == 20 else Say(content=body("x"), seconds=0.01)
    )
    replies = ask(connection(endpoint), tmp_path, names(60), workers=4)
    assert {reply.outcome.name for reply in replies} == {"answer"}
    gaps = [after - before for before, after in zip(endpoint.times, endpoint.times[1:], strict=False)]
    assert max(gaps) > 0.45
    assert sum(gap > 0.1 for gap in gaps) == 1


def test_a_wait_longer_than_the_patience_stops_the_job(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(429, "{}", {"retry-after": "86400"})
    (error,) = ask(connection(endpoint), tmp_path)
    assert isinstance(error, BackendError)
    assert "asks to wait 86400 s" in str(error)


def test_sigterm_waits_for_what_is_in_flight_and_sends_no_more(endpoint, tmp_path):
    def script(request, count):
        if len(endpoint.requests) == 8:
            os.kill(os.getpid(), signal.SIGTERM)
        return Say(content=body("x"), seconds=0.2)

    endpoint.script = script
    replies = ask(connection(endpoint), tmp_path, names(50), workers=4)
    errors = [reply for reply in replies if isinstance(reply, Exception)]
    assert "stopped by SIGTERM" in str(errors[0])
    assert len(endpoint.requests) == 8
    assert len(records(tmp_path)) == 8


def test_a_journal_that_cannot_be_written_stops_the_sending(endpoint, tmp_path, monkeypatch):
    def full(journal, key, record):
        raise OSError(28, "No space left on device", "journal")

    monkeypatch.setattr(Journal, "append", full)
    replies = ask(connection(endpoint), tmp_path, names(50), workers=2)
    assert isinstance(replies[0], OSError)
    assert len(endpoint.requests) <= 2


def test_a_proxy_of_the_environment_is_not_asked_about_this_machine(endpoint, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert ask(connection(endpoint, patience=1), tmp_path)[0].outcome.name == "answer"
