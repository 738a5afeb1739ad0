import asyncio
import json
import logging
import os
import signal
import threading
import time
from itertools import pairwise

import pytest

from contrapose.errors import BackendError, BudgetError, ConfigError
from contrapose.generate import client as module
from contrapose.generate import pace
from contrapose.generate.client import Client
from contrapose.generate.endpoint import base_url, secret
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger
from contrapose.generate.outcomes import OUTCOMES, Action
from contrapose.generate.prompts import request
from contrapose.settings.worlds import LLM, Asked
from tests.unit.generate.scripted_endpoint import Say, body

ASKED = Asked(model="tiny")
PROMPT = "Paraphrase: {sentence}"
JOB = {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": "0-of-1"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Make pauses short; how long they are is tested by itself."""
    monkeypatch.setattr(module, "FIRST_BACKOFF", 0.005)
    monkeypatch.setattr(module, "LONGEST_BACKOFF", 0.02)
    monkeypatch.setattr(pace, "PROBE_SECONDS", 0.02)


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

        async with Client(connection, journal, ledger, JOB) as client:
            return await asyncio.gather(
                *(one(client, request) for request in requests), return_exceptions=True
            )

    with Journal(folder, "w") as journal, Ledger(folder, "w", connection) as ledger:
        return asyncio.run(run())


def names(n):
    return [f"Sentence {number} stands here." for number in range(n)]


def records(folder, kind="key"):
    """Return the journal's lines of one kind: key (answers), sent, unanswered or note."""
    lines = [json.loads(line) for line in (folder / "w.jsonl").read_text().splitlines()]
    return [line for line in lines if kind in line]


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
    assert len([answer for answer in records(tmp_path) if answer["prompt"] == "1"]) == 1
    assert {record["outcome"] for record in records(tmp_path, "unanswered")} == {name}


@pytest.mark.parametrize(
    "say", [RESENT["lost"], Say(content=body("x"), seconds=0.4)], ids=["lost", "deadline"]
)
def test_a_request_that_may_have_been_billed_is_noted(endpoint, tmp_path, say):
    endpoint.script = lambda request, count: say if count < 1 else None
    ask(connection(endpoint, timeout=0.2), tmp_path)
    (lost,) = records(tmp_path, "unanswered")
    assert lost["unanswered"] == records(tmp_path)[0]["key"]
    assert lost["paid"] == "unknown"


@pytest.mark.parametrize("name", [*RESENT, "deadline"])
def test_what_does_not_get_better_stops_after_the_patience_and_a_person_reads_what_it_was(
    endpoint, tmp_path, name
):
    say = RESENT.get(name) or Say(content=body("x"), seconds=0.2)
    endpoint.script = lambda request, count: say
    (error,) = ask(connection(endpoint, timeout=0.1, patience=0.3), tmp_path)
    assert isinstance(error, BackendError)
    assert f"llms.chatgpt.endpoint: {endpoint.url} gave no answer" in str(error)
    assert OUTCOMES[name].says in str(error)
    assert "raise llms.chatgpt.patience (now 0.3 s)" in str(error)
    assert records(tmp_path) == []


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


def test_every_row_of_the_table_is_sent_to_a_client_here():
    alone = {"answer", "deadline", "unserved"}
    assert set(RESENT) | set(TRIED) | set(STOPPED) | alone == set(OUTCOMES)


@pytest.mark.parametrize("name", STOPPED)
def test_a_stop_waits_for_a_hanging_neighbour_until_the_deadline_and_no_longer(
    endpoint, tmp_path, name, monkeypatch
):
    monkeypatch.setenv("TEST_KEY", "sk-secret-77")

    def script(request, count):
        hangs = " 0 " in request["messages"][0]["content"]
        return Say(content=body("x"), seconds=5) if hangs else STOPPED[name][0]

    endpoint.script = script
    started = time.monotonic()
    replies = ask(connection(endpoint, key="TEST_KEY", timeout=0.5), tmp_path, names(20), workers=4)
    assert time.monotonic() - started < 0.5 + 0.5
    assert all(isinstance(reply, BackendError | ConfigError) for reply in replies)
    assert STOPPED[name][1] in str(replies[0])


def test_a_model_that_is_registered_late_again_after_an_outage_is_waited_for(endpoint, tmp_path):
    late = iter([None, Say(reset="early"), RESENT["not_registered"], RESENT["not_registered"]])
    endpoint.script = lambda request, count: next(late, None)
    replies = ask(connection(endpoint), tmp_path, names(3), workers=1)
    assert [reply.outcome.name for reply in replies] == ["answer"] * 3


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


def test_a_hanging_answer_frees_its_place_at_the_deadline(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(content=body("x"), seconds=3) if count < 1 else None
    started = time.monotonic()
    replies = ask(connection(endpoint, timeout=0.3), tmp_path, names(4), workers=1)
    assert [reply.outcome.name for reply in replies] == ["answer"] * 4
    assert time.monotonic() - started < 4 * (0.3 + 0.5)


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
    monkeypatch.setattr(pace, "PROBE_SECONDS", 0.1)
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
    gaps = [after - before for before, after in pairwise(endpoint.times)]
    assert max(gaps) > 0.45
    assert sum(gap > 0.2 for gap in gaps) == 1


def test_a_limit_in_the_headers_of_an_answer_is_kept_to(endpoint, tmp_path):
    told = {"x-ratelimit-limit-requests": "600", "x-ratelimit-remaining-requests": "599"}
    endpoint.script = lambda request, count: Say(content=body("x"), headers=told)
    ask(connection(endpoint), tmp_path, names(8), workers=1)
    gaps = [after - before for before, after in pairwise(endpoint.times)]
    assert min(gaps[1:]) > 0.07  # a tenth of a second, but for how unevenly a busy machine sends


def test_tokens_that_an_answer_did_not_use_are_given_back(endpoint, tmp_path):
    limit = {"tokens_per_minute": 6000, "tokens_counted": "used"}  # 622 reserved are 6 s each, 18 used 0.2 s
    started = time.monotonic()
    ask(connection(endpoint, **limit), tmp_path, names(6), workers=1)
    assert time.monotonic() - started < 20  # not 5 times 6 s


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


def test_a_stop_ends_a_wait_for_the_limit(endpoint, tmp_path):
    endpoint.script = lambda request, count: STOPPED["rejected"][0]
    started = time.monotonic()
    replies = ask(connection(endpoint, requests_per_minute=1), tmp_path, names(20))
    assert {type(reply) for reply in replies} == {ConfigError}
    assert time.monotonic() - started < 5
    assert len(endpoint.requests) == 1


def test_a_used_up_budget_ends_the_sending_and_keeps_what_is_in_flight(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(content=body("x"), seconds=0.01)
    prices = {"completion_price": 1.0, "prompt_price": 0.0}
    most = 600 * 1.0 / 1e6  # of one request; the answers take 11 tokens of it
    replies = ask(connection(endpoint, **prices, budget=2.5 * most), tmp_path, names(200), workers=8)
    kinds = [type(reply) for reply in replies]
    answers = len(endpoint.requests)
    assert kinds.count(BudgetError) == 200 - answers
    assert 2.5 * most - most < answers * 11 / 1e6 <= 2.5 * most
    assert len(records(tmp_path)) == answers


def test_every_send_is_on_disk_before_it_leaves_under_the_job_and_its_prices(endpoint, tmp_path):
    seen = []
    endpoint.script = lambda request, count: seen.append(records(tmp_path, "sent"))
    prices = {"prompt_price": 0.5, "completion_price": 1.5, "prices_as_of": "2026-11-01"}
    ask(connection(endpoint, **prices), tmp_path)
    ((sent,),) = seen
    assert sent["sent"] == records(tmp_path)[0]["key"]
    assert sent["most"] == [len("Paraphrase: A mill burned.") + 64, 600]
    (note,) = records(tmp_path, "note")
    assert note["job"] == JOB
    assert note["prices"] == {"prompt": 0.5, "completion": 1.5, "as_of": "2026-11-01"}
    assert "note" in json.loads((tmp_path / "w.jsonl").read_text().splitlines()[0])


def test_a_greeting_is_a_send_like_others(endpoint, tmp_path):
    def script(request, count):
        return None if request["messages"][0]["content"] == "Hello" else Say(500, "crash")

    endpoint.script = script
    ask(connection(endpoint), tmp_path)
    greetings = [record for record in records(tmp_path, "sent") if record["prompt"] == "greeting"]
    assert len(greetings) == len(endpoint.requests) - len(endpoint.prompts()) > 0
    assert {(greeting["sentence_id"], greeting["most"][1]) for greeting in greetings} == {("", 1)}
    answered = {record["key"] for record in records(tmp_path) if record["outcome"] == "answer"}
    assert answered == {greeting["sent"] for greeting in greetings}


def test_the_limit_of_tokens_has_the_name_that_the_endpoint_knows(endpoint, tmp_path):
    ask(connection(endpoint, max_tokens_name="max_completion_tokens"), tmp_path)
    assert endpoint.requests[0]["max_completion_tokens"] == 600
    assert "max_tokens" not in endpoint.requests[0]
    ask(connection(endpoint), tmp_path)  # the same request by another name of a field
    assert len(endpoint.requests) == 1


def test_two_tasks_that_ask_the_same_pay_once(endpoint, tmp_path):
    endpoint.script = lambda request, count: Say(content=body("x"), seconds=0.1)
    same = [request("a", "A mill burned.", "1", PROMPT, ASKED, 0, 600)] * 5

    async def run(client):
        async with client:
            return await asyncio.gather(*map(client.ask, same))

    given = connection(endpoint)
    with Journal(tmp_path, "w") as journal, Ledger(tmp_path, "w", given) as ledger:
        replies = asyncio.run(run(Client(given, journal, ledger, JOB)))
    assert {reply.answer.text for reply in replies} == {"x"}
    assert len(endpoint.requests) == 1


def test_a_base_url_in_a_file_is_waited_for_and_read_again_after_an_outage(endpoint, tmp_path):
    file = tmp_path / "url"
    given = connection(endpoint).model_copy(update={"endpoint": f"file:{file}"})
    threading.Timer(0.3, lambda: file.write_text("http://127.0.0.1:9/v1\n")).start()  # nobody listens
    threading.Timer(1.5, lambda: file.write_text(endpoint.url + "\n")).start()
    assert ask(given, tmp_path / "journal")[0].outcome.name == "answer"


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [(None, BackendError, "does not hold a base URL yet"), ("node7:8000", ConfigError, "is no base URL")],
)
def test_a_file_without_a_base_url_is_named(endpoint, tmp_path, content, error, says):
    file = tmp_path / "url"
    if content:
        file.write_text(content)
    given = connection(endpoint, patience=0.3).model_copy(update={"endpoint": f"file:{file}"})
    (found,) = ask(given, tmp_path / "journal")
    assert isinstance(found, error)
    assert says in str(found)
    assert "llms.chatgpt.endpoint" in str(found)


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
