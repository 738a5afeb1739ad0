import asyncio
import csv
import gzip
import json
import logging
import os
import signal
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest

from contrapose.base.errors import BackendError, ConfigError
from contrapose.generate import client as module
from contrapose.generate import journal, pace
from contrapose.generate.client import Client
from contrapose.generate.client_options import secret
from contrapose.generate.endpoint import KEPT_BYTES, base_url
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger, sends
from contrapose.generate.outcomes import OUTCOMES, Action
from contrapose.generate.requests import Usage, request
from contrapose.settings.catalogs import LLM
from tests.unit.generate.opened import requests_to
from tests.unit.generate.scripted_endpoint import Say, body
from tests.unit.generate.virtual_time import START

JOB = {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": "0-of-1"}
SLOW = Say(content=body("x"), seconds=3600)


def connection(server, **settings):
    return LLM(**{"model": "tiny", "endpoint": server.url, **settings}).connection("chatgpt")


def names(n):
    return [f"Sentence {number} stands here." for number in range(n)]


def about(sentences):
    spec = requests_to(LLM(model="tiny", endpoint="http://x/v1"))
    return [request(f"a:{n}", text, spec) for n, text in enumerate(sentences)]


def asked(run, connection, folder, requests, workers=8, meanwhile=None, writer="w"):
    """Send requests; return the replies and, for those that failed, the errors."""

    async def work():
        gate = asyncio.Semaphore(workers)

        async def one(client, request):
            async with gate:
                return await client.ask(request)

        async with Client(connection, journal, ledger, JOB) as client, asyncio.TaskGroup() as others:
            if meanwhile:
                others.create_task(meanwhile())
            return await asyncio.gather(*(one(client, each) for each in requests), return_exceptions=True)

    with Journal(folder, writer) as journal, Ledger(folder, writer, connection) as ledger:
        return run(work())


@pytest.fixture
def ask(clock, virtual, tmp_path):
    """Give a function that asks `virtual`, in virtual time, about sentences: texts, or how many."""

    def run(sentences=1, workers=8, meanwhile=None, **settings):
        texts = names(sentences) if isinstance(sentences, int) else sentences
        return asked(clock.run, connection(virtual, **settings), tmp_path, about(texts), workers, meanwhile)

    return run


@pytest.fixture
def elapsed(clock):
    return lambda: clock.time() - START


def always(say):
    return lambda request, count: say


def at_first(say, times=1):
    return lambda request, count: say if count < times else None


def only_about(number, say, others=None):
    return lambda request, count: say if is_about(request, number) else others


def is_about(request, number):
    return f" {number} " in request["messages"][0]["content"]


def outcomes(replies):
    return [reply.outcome.name for reply in replies]


def gaps(times):
    return [after - before for before, after in pairwise(times)]


def records(folder, kind="key"):
    """Return the journal's lines of one kind: key (answers), sent, unanswered or note."""
    lines = [json.loads(line) for line in (folder / "w.jsonl").read_text().splitlines()]
    return [line for line in lines if kind in line]


def test_an_answer_is_read_kept_raw_and_never_asked_for_again(ask, virtual, tmp_path):
    first = ask(20)
    assert set(outcomes(first)) == {"answer"}
    assert first[0].answer.text.startswith("1. They saw that Sentence 0 stands here.")
    record = records(tmp_path)[0]
    assert json.loads(record["body"])["usage"] == {"prompt_tokens": 7, "completion_tokens": 11}
    assert (record["sentence_id"], record["attempt"], record["status"]) == ("a:0", 0, 200)
    # By another name of the limit it is the same request.
    assert ask(25, max_tokens_name="max_completion_tokens")[:20] == first
    assert len(virtual.requests) == 25
    assert virtual.requests[-1]["max_completion_tokens"] == virtual.requests[0]["max_tokens"] == 600
    assert "max_tokens" not in virtual.requests[-1]
    assert outcomes(ask(25, endpoint="http://127.0.0.1:9/v1", key="NO_SUCH_VARIABLE")) == ["answer"] * 25


RESPONSES = Path(__file__).parent / "responses.csv"
SAID = {
    **{row["outcome"]: Say(int(row["status"]), row["body"]) for row in csv.DictReader(RESPONSES.open())},
    "unreached": Say(reset="early"),
    "lost": Say(content=body("x" * 500), reset="middle"),
    "deadline": SLOW,
    "unsent": Say(reset="unsent"),
}
SENT = OUTCOMES.keys() - {"unserved", "unrecorded"}  # one needs other sentences, one asks no endpoint
RESENT = sorted(n for n in SENT if OUTCOMES[n].action in (Action.RESEND, Action.WAIT, Action.READY))


@pytest.mark.parametrize("name", ["unreached", "lost"])
def test_a_connection_that_breaks_is_told_from_one_that_never_was(endpoint, tmp_path, name, monkeypatch):
    monkeypatch.setattr(module, "FIRST_BACKOFF", 0.0)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # is not asked about this machine
    endpoint.script = at_first(SAID[name], 2)
    assert outcomes(asked(asyncio.run, connection(endpoint), tmp_path, about(names(1)))) == ["answer"]
    assert {record["outcome"] for record in records(tmp_path, "unanswered")} == {name}


@pytest.mark.parametrize("name", RESENT)
def test_what_does_not_get_better_stops_after_the_patience(ask, virtual, tmp_path, elapsed, name):
    virtual.script = always(SAID[name])
    (error,) = ask(timeout=5, no_response_timeout=30)
    assert isinstance(error, BackendError)
    assert f"llms.chatgpt.endpoint: {virtual.url} gave no answer" in str(error)
    assert OUTCOMES[name].says in str(error)
    assert "raise llms.chatgpt.no_response_timeout (now 30 s)" in str(error)
    assert records(tmp_path) == []
    assert elapsed() < 50  # and what was under way then


def test_that_a_server_does_not_answer_is_said_each_minute_until_it_does(ask, virtual, elapsed, caplog):
    caplog.set_level(logging.INFO, module.logger.name)
    virtual.script = lambda *_: Say(reset="early") if elapsed() < 150 else Say(content=body("x"))
    assert outcomes(ask(1, no_response_timeout=300)) == ["answer"]
    *waits, again = [text for text in caplog.messages if "answer" in text][:4]
    assert all(text.startswith(f"{virtual.url} does not answer (") for text in waits)
    times = ["5 more minutes", "4 more minutes", "3 more minutes"]
    assert [text.rpartition("; trying for ")[2] for text in waits] == times
    assert again == f"{virtual.url} answers again"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("key", "refuses the key from TEST_KEY. The server said: 403: Who sends [key]?"),
        ("no_money", "no money or quota left"),
        ("model", "llms.chatgpt.model"), ("rejected", r"The server said: 422: Who sends [key]?\x1b[2J"),
    ],
)  # fmt: skip
def test_what_will_not_get_better_stops_at_once_and_loses_nothing(
    ask, virtual, tmp_path, name, words, monkeypatch, caplog
):
    monkeypatch.setenv("TEST_KEY", "sk-secret-77")
    caplog.set_level(logging.DEBUG)
    said = {"error": {"message": "Who sends sk-secret-77?\x1b[2J"}}
    virtual.script = only_about(30, Say(SAID[name].status, said))
    replies = ask(200, workers=4, key="TEST_KEY")
    errors = [reply for reply in replies if isinstance(reply, Exception)]
    assert {type(error) for error in errors} == {BackendError if name == "no_money" else ConfigError}
    assert words in str(errors[0])
    assert "Answers received so far are kept" in str(errors[0])
    assert len(virtual.requests) < 60
    assert len(records(tmp_path)) == len(replies) - len(errors) == len(virtual.requests) - 1
    assert "sk-secret-77" not in str(errors[0]) + caplog.text + (tmp_path / "w.jsonl").read_text()


# Answers of gateways that pass an error on as a success, and of servers that were asked for no stream.
NO_ANSWERS = {
    "base_resp": {
        "choices": None,
        "base_resp": {"status_code": 1002, "status_msg": "rate limit, retry later"},
    },
    "errors": {"success": False, "errors": [{"code": 3040, "message": "Capacity temporarily exceeded"}]},
    "choice": {"choices": [{"error": {"code": 502, "message": "Upstream failed"}, "finish_reason": "error"}]},
    "a stream that breaks off": 'data: {"choices": [{"delta": {"content": "It"}}]}\n\n',
    "text": "Service temporarily unavailable",
    "nothing": "",
    "packed, though it does not say so": gzip.compress(json.dumps(body("It rained.")).encode()),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_a_success_without_an_answer_is_sent_again_and_never_kept(ask, virtual, tmp_path, name):
    def kept():
        return [record["sentence_id"] for record in records(tmp_path) if record["sentence_id"]]  # no greeting

    virtual.script = at_first(Say(content=NO_ANSWERS[name]), 2)
    assert outcomes(ask(3, workers=1)) == ["answer"] * 3
    assert kept() == ["a:0", "a:1", "a:2"]
    assert len(records(tmp_path, "unanswered")) >= 6
    virtual.script = always(Say(content=NO_ANSWERS[name]))
    assert {type(reply) for reply in ask(5, no_response_timeout=20)[3:]} == {BackendError}
    virtual.script = always(None)
    assert outcomes(ask(5)) == ["answer"] * 5  # nothing has to be forgotten first
    assert len(kept()) == 5


def test_what_an_earlier_version_kept_without_an_answer_is_asked_for_again_once(ask, virtual, tmp_path):
    old, broken = (
        '{"choices": null, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}',
        "data: {",
    )
    with Journal(tmp_path, "v") as journal:
        journal.note({"job": JOB, "prices": {"prompt": 2.0, "completion": 4.0, "as_of": None}})
        for one, body_of_old in zip(about(names(2)), (old, broken), strict=True):
            journal.sent(one.key, {**one.about, "most": one.worst_case})
            journal.append(one.key, {**one.about, "outcome": "empty", "status": 200, "body": body_of_old})
    assert outcomes(ask(2)) == outcomes(ask(2)) == ["answer"] * 2
    assert len(virtual.requests) == 2
    first, second = sends(tmp_path / "v.jsonl")
    assert (first.outcome, first.used, second.outcome, second.used) == (
        "rate_limit",
        Usage(0, 0),
        "lost",
        None,
    )


def test_an_answer_of_another_api_stops_with_what_came_and_which_url_is_wanted(ask, virtual, tmp_path):
    virtual.script = always(Say(content={"candidates": [{"content": {"parts": [{"text": "It rained."}]}}]}))
    error = ask(1)[0]
    assert "llms.chatgpt.endpoint" in str(error)
    assert "the base URL of an OpenAI-compatible server" in str(error)
    assert "'candidates' in place of 'choices'" in str(error)
    assert records(tmp_path) == []


def test_a_stop_waits_for_a_hanging_neighbour_until_the_deadline(ask, virtual, elapsed):
    virtual.script = only_about(0, SLOW, SAID["key"])
    replies = ask(20, workers=4, timeout=5)
    assert elapsed() == pytest.approx(5)
    assert {type(reply) for reply in replies} <= {BackendError, ConfigError}


def test_a_model_may_be_registered_late_after_an_outage_and_not_go_later(ask, virtual):
    late = iter([None, Say(reset="early"), SAID["not_registered"], SAID["not_registered"]])
    virtual.script = lambda request, count: next(late, None)
    assert outcomes(ask(3, workers=1)) == ["answer"] * 3
    virtual.requests.clear()
    virtual.script = only_about(5, SAID["not_registered"])
    assert isinstance(ask(10, workers=1)[5], ConfigError)
    assert len(virtual.requests) == 6 - 3


@pytest.mark.parametrize(
    ("settings", "script", "error", "words"),
    [
        ({"key": "NO_SUCH"}, None, ConfigError, "key: the environment variable NO_SUCH is not set"),
        ({"endpoint": "file:TMP/none"}, None, BackendError, "does not contain a base URL yet"),
        ({"endpoint": "file:TMP/url"}, None, ConfigError, "is not a base URL"),
        ({}, Say(429, "{}", {"retry-after": "86400"}), BackendError, "requests a pause of 86400 s"),
    ],
)
def test_an_endpoint_that_cannot_be_asked_is_named(ask, virtual, tmp_path, settings, script, error, words):
    (tmp_path / "url").write_text("node7:8000")
    virtual.script = always(script)
    (found,) = ask(**{name: value.replace("TMP", str(tmp_path)) for name, value in settings.items()})
    assert isinstance(found, error)
    assert words in str(found)
    assert "llms.chatgpt." in str(found)
    assert len(virtual.requests) == (script is not None)


def test_the_key_is_that_of_the_environment_or_a_placeholder(virtual, monkeypatch):
    monkeypatch.setenv("TEST_KEY", " sk-1 \n")
    assert secret(connection(virtual, key="TEST_KEY")) == "sk-1"
    assert secret(connection(virtual)) == "EMPTY"


NO_URLS = ["", "localhost:8000/v1", "ftp://host/v1", "http:///v1", "http://a:99999/v1", "http://[a/v1"]
NO_URLS += [
    "http://a..b/v1",
    f"http://{'a' * 70}.org/v1",
    "http://a\u2014b.org/v1",
]  # hosts that no name can be


@pytest.mark.parametrize("url", NO_URLS)
def test_a_base_url_that_is_none_is_refused(url):
    with pytest.raises(ConfigError, match=r"llms\.x\.endpoint"):
        base_url(LLM(model="m", endpoint=url).connection("x"))
    assert base_url(LLM(model="m", endpoint="http://b\u00fccher.de/v1").connection("x"))


@pytest.mark.parametrize("say", [SLOW, Say(500, "crash")], ids=["slow", "crash"])
@pytest.mark.parametrize("others", [0, 200])
def test_a_sentence_on_which_the_server_fails_is_given_up_and_no_other(ask, virtual, others, say):
    virtual.script = only_about(0, say, Say(content=body("x"), seconds=1))
    for _ in range(2):
        assert outcomes(ask(1 + others, workers=4, timeout=10)) == ["unserved"] + ["answer"] * others
    assert 6 <= len([prompt for prompt in virtual.prompts() if " 0 " in prompt]) <= 16


def test_an_outage_gives_up_no_sentence_and_is_probed_once_a_second(ask, virtual, elapsed):
    down, up = 6, 14

    def script(request, count):
        is_down = down < elapsed() < up
        return Say(503, "<html>down</html>") if is_down else Say(content=body("x"), seconds=0.5)

    virtual.script = script
    assert set(outcomes(ask(600, workers=16))) == {"answer"}
    times = [at - START for at in virtual.times]
    probes = [at for at in times if down + 2 < at < up]
    assert 4 <= len(probes) <= 6
    assert min(gaps(probes)) >= pace.PROBE_SECONDS
    before, after = (sum(first <= at < first + 5 for at in times) for first in (0.75, up + 6.25))
    assert after > 0.95 * before > 0  # full speed has come back


def test_a_429_pauses_all_senders_as_long_as_it_says(ask, virtual):
    limit = Say(429, {"error": {"code": "rate_limit_exceeded"}}, {"retry-after": "20"})
    answer = Say(content=body("x"), seconds=0.01)
    virtual.script = lambda request, count: limit if len(virtual.requests) == 20 else answer
    assert set(outcomes(ask(60, workers=4))) == {"answer"}
    [long] = [gap for gap in gaps(virtual.times) if gap > 1]
    assert 19.9 < long < 20 * (1 + pace.JITTER)


def test_a_limit_that_asks_for_more_than_patience_stops_with_its_cause_and_no_later_job_waits(
    ask, virtual, elapsed
):
    told = {"limit": "100", "remaining": "0", "reset": "30d"}
    headers = {f"x-ratelimit-{name}-requests": text for name, text in told.items()}
    virtual.script = always(Say(content=body("x"), headers=headers))
    for answered in (1, 2):
        replies = ask(4, workers=1, no_response_timeout=60)
        assert outcomes(replies[:answered]) == ["answer"] * answered
        assert {type(reply) for reply in replies[answered:]} == {BackendError}
        words = "allows the next request only in 25920 s (x-ratelimit-limit-requests: 100, "
        assert f"{words}x-ratelimit-remaining-requests: 0, x-ratelimit-reset-requests: 2592000 s)" in str(
            replies[-1]
        )
    assert elapsed() < 1


def test_tokens_that_an_answer_did_not_use_are_given_back(ask, elapsed):
    # 622 reserved are 6 s each, 18 used 0.2 s
    ask(6, workers=1, tokens_per_minute=6000, tokens_counted="used")
    assert elapsed() < 2


def test_a_stop_ends_a_wait_for_the_limit(ask, virtual, elapsed):
    virtual.script = always(SAID["rejected"])
    assert {type(reply) for reply in ask(20, requests_per_minute=1)} == {ConfigError}
    assert elapsed() == 0
    assert len(virtual.requests) == 1


def test_sigterm_stops_the_sending_and_loses_no_answer(ask, virtual, tmp_path):
    def script(request, count):
        if len(virtual.requests) == 20:
            os.kill(os.getpid(), signal.SIGTERM)
        return Say(content=body("x"), seconds=1)

    virtual.script = script
    errors = [reply for reply in ask(60, workers=4) if isinstance(reply, Exception)]
    assert "stopped by SIGTERM" in str(errors[0])
    assert len(records(tmp_path)) == 60 - len(errors) == len(virtual.requests) < 25


def test_a_base_url_in_a_file_is_waited_for_and_read_again_after_an_outage(ask, virtual, tmp_path):
    file = tmp_path / "url"

    async def served():
        for url in ("http://127.0.0.1:9/v1", virtual.url):  # nobody listens at the first
            await asyncio.sleep(10)
            file.write_text(url + "\n")

    assert outcomes(ask(meanwhile=served, endpoint=f"file:{file}")) == ["answer"]


def test_a_disk_that_fills_up_stops_the_sending_and_loses_no_answer(ask, virtual, tmp_path, monkeypatch):
    virtual.script = always(Say(content=body("x"), seconds=1))
    monkeypatch.setattr(journal, "fallocated", lambda *_: 28 if len(virtual.requests) >= 20 else 0)
    replies = ask(500, workers=4)
    errors = [reply for reply in replies if isinstance(reply, Exception)]
    assert {type(error) for error in errors} == {OSError, BackendError}
    assert f"No space left on device: '{tmp_path / 'w.jsonl'}'" in str(errors[0])
    assert len(records(tmp_path)) == 500 - len(errors) == len(virtual.requests) < 500


BOMB = gzip.compress(b" " * 50_000_000, 1)


@pytest.mark.parametrize(
    ("say", "outcome"),
    [
        (Say(content=BOMB, headers={"Content-Encoding": "gzip"}), "broken_body"),
        (Say(content=b"<" * 5_000_000), "html"),
        (
            Say(content=gzip.compress(json.dumps(body("x")).encode()), headers={"Content-Encoding": "gzip"}),
            "",
        ),
        (Say(content=body("x"), drip=0.02), "deadline"),  # a byte at a time, for 4 seconds
    ],
    ids=["bomb", "long", "packed", "slow"],
)
def test_an_answer_is_read_to_its_limits_of_size_and_time(endpoint, tmp_path, say, outcome, monkeypatch):
    monkeypatch.setattr(module, "FIRST_BACKOFF", 0.0)
    endpoint.script = at_first(say)
    tracemalloc.start()
    (reply,) = asked(asyncio.run, connection(endpoint, timeout=0.5), tmp_path, about(names(1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    found = [record["outcome"] for record in records(tmp_path, "unanswered")] or outcomes([reply])
    assert found == [outcome or "answer"]
    assert (tmp_path / "w.jsonl").stat().st_size < 1.1 * KEPT_BYTES
    assert peak < 25 * 10**6
