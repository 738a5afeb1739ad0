import asyncio
import json
import logging
from itertools import pairwise

import pytest

from contrapose.errors import BackendError, ConfigError
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
START = 1.8e9  # what the virtual clock begins with
SLOW = Say(content=body("x"), seconds=3600)


def connection(endpoint, **settings):
    return LLM(model="tiny", endpoint=endpoint.url, **settings).connection("chatgpt")


def asked(run, connection, folder, sentences=("A mill burned.",), workers=8, meanwhile=None, requests=None):
    """Ask about sentences; return the replies and, for those that failed, the errors."""
    plain = [request(f"a:{n}", text, "1", PROMPT, ASKED, 0, 600) for n, text in enumerate(sentences)]

    async def work():
        gate = asyncio.Semaphore(workers)

        async def one(client, request):
            async with gate:
                return await client.ask(request)

        async with Client(connection, journal, ledger, JOB) as client, asyncio.TaskGroup() as others:
            if meanwhile:
                others.create_task(meanwhile())
            return await asyncio.gather(
                *(one(client, request) for request in requests or plain), return_exceptions=True
            )

    with Journal(folder, "w") as journal, Ledger(folder, "w", connection) as ledger:
        return run(work())


@pytest.fixture
def ask(clock, virtual):
    """Give `asked` in virtual time; the test scripts the fixture `virtual`."""
    return lambda *arguments, **options: asked(clock.run, *arguments, **options)


def names(n):
    return [f"Sentence {number} stands here." for number in range(n)]


def is_about(request, number):
    return f" {number} " in request["messages"][0]["content"]


def outcomes(replies):
    return [reply.outcome.name for reply in replies]


def records(folder, kind="key"):
    """Return the journal's lines of one kind: key (answers), sent, unanswered or note."""
    lines = [json.loads(line) for line in (folder / "w.jsonl").read_text().splitlines()]
    return [line for line in lines if kind in line]


def test_an_answer_is_read_kept_raw_and_never_asked_for_again(ask, virtual, tmp_path):
    first = ask(connection(virtual), tmp_path, names(20))
    assert set(outcomes(first)) == {"answer"}
    assert first[0].answer.text.startswith("1. They saw that Sentence 0 stands here.")
    record = records(tmp_path)[0]
    assert json.loads(record["body"])["usage"] == {"prompt_tokens": 7, "completion_tokens": 11}
    assert (record["sentence_id"], record["attempt"], record["status"]) == ("a:0", 0, 200)
    assert ask(connection(virtual), tmp_path, names(25))[:20] == first
    assert len(virtual.requests) == 25
    gone = LLM(model="tiny", endpoint="http://127.0.0.1:9/v1", key="NO_SUCH_VARIABLE").connection("chatgpt")
    assert outcomes(ask(gone, tmp_path, names(25))) == ["answer"] * 25


RESENT = {
    "worker": Say(400, {"object": "error", "message": "NETWORK ERROR", "code": 50001}),
    "server": Say(502, "<html>Bad gateway</html>"),
    "html": Say(200, "<html>Please log in</html>"),
    "rate_limit": Say(429, {"error": {"code": "rate_limit_exceeded"}}),
    "not_registered": Say(400, {"object": "error", "message": "Only x allowed now", "code": 40301}),
    "unreached": Say(reset="early"),
    "lost": Say(content=body("x" * 500), reset="middle"),
    "deadline": SLOW,
}


@pytest.mark.parametrize("name", RESENT)
def test_what_the_server_does_wrong_is_sent_again_and_is_no_try(ask, virtual, tmp_path, name):
    assert OUTCOMES[name].action in (Action.RESEND, Action.WAIT, Action.READY)
    virtual.script = lambda request, count: RESENT[name] if count < 2 else None
    assert outcomes(ask(connection(virtual), tmp_path)) == ["answer"]
    assert len(virtual.prompts()) == 3
    [answer] = [record for record in records(tmp_path) if record["prompt"] == "1"]
    unanswered = records(tmp_path, "unanswered")
    assert {(record["outcome"], record["paid"]) for record in unanswered} == {(name, OUTCOMES[name].paid)}
    assert unanswered[0]["unanswered"] == answer["key"]


def test_a_web_page_under_status_200_may_have_been_billed(ask, virtual, tmp_path):
    virtual.script = lambda request, count: RESENT["html"] if count < 1 else None
    paid = connection(virtual, prompt_price=1.0, completion_price=2.0, budget=1.0)
    ask(paid, tmp_path)
    one = request("a:0", "A mill burned.", "1", PROMPT, ASKED, 0, 600)
    with Ledger(tmp_path, "w", paid) as ledger:
        assert ledger.spent == pytest.approx((7 * 1 + 11 * 2) / 1e6)
        assert ledger.at_most - ledger.spent == pytest.approx((one.most.prompt * 1 + 600 * 2) / 1e6)


@pytest.mark.parametrize("name", ["unreached", "lost"])
def test_a_connection_that_breaks_is_told_from_one_that_never_was(endpoint, tmp_path, name, monkeypatch):
    monkeypatch.setattr(module, "FIRST_BACKOFF", 0.0)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # is not asked about this machine
    endpoint.script = lambda request, count: RESENT[name] if count < 2 else None
    assert outcomes(asked(asyncio.run, connection(endpoint), tmp_path)) == ["answer"]
    assert {record["outcome"] for record in records(tmp_path, "unanswered")} == {name}


@pytest.mark.parametrize("name", RESENT)
def test_what_does_not_get_better_stops_after_the_patience_and_a_person_reads_what_it_was(
    ask, virtual, tmp_path, clock, name
):
    virtual.script = lambda request, count: RESENT[name]
    (error,) = ask(connection(virtual, timeout=5, patience=30), tmp_path)
    assert isinstance(error, BackendError)
    assert f"llms.chatgpt.endpoint: {virtual.url} gave no answer" in str(error)
    assert OUTCOMES[name].says in str(error)
    assert "raise llms.chatgpt.patience (now 30 s)" in str(error)
    assert records(tmp_path) == []
    assert clock.time() - START < 50  # and what was under way then


TRIED = {
    "empty": Say(content=body(None)),
    "cut": Say(content=body("1. x", "length")),
    "unsaid": Say(content=body("", "length")),
    "broken_body": Say(content='{"choices": [{"mes'),
    "filtered": Say(content=body(None, "content_filter")),
    "too_long": Say(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
    "forbidden": Say(400, {"error": {"code": "content_filter"}}),
}


@pytest.mark.parametrize("name", TRIED)
def test_what_counts_against_the_sentence_is_returned_and_kept(ask, virtual, tmp_path, name):
    virtual.script = lambda request, count: TRIED[name]
    for _ in range(2):
        (reply,) = ask(connection(virtual), tmp_path)
        assert reply.outcome is OUTCOMES[name]
        assert reply.outcome.action in (Action.TRY, Action.GIVE_UP)
    assert len(virtual.requests) == 1


def refusal(status, **error):
    return Say(status, {"error": error})


STOPPED = {
    "key": (refusal(401, code="invalid_api_key", message="Incorrect key: sk-secret-77"), "llms.chatgpt.key"),
    "no_money": (refusal(429, code="insufficient_quota", message="quota"), "no money or quota left"),
    "model": (refusal(404, code="model_not_found", message="no tiny"), "llms.chatgpt.model"),
    "rejected": (refusal(400, message="sk-secret-77 wants an integer"), "wants an integer"),
}


@pytest.mark.parametrize("name", STOPPED)
def test_what_will_not_get_better_stops_at_once_and_loses_nothing(
    ask, virtual, tmp_path, name, monkeypatch, caplog
):
    monkeypatch.setenv("TEST_KEY", "sk-secret-77")
    caplog.set_level(logging.DEBUG)
    say, words = STOPPED[name]
    virtual.script = lambda request, count: say if is_about(request, 30) else None
    replies = ask(connection(virtual, key="TEST_KEY"), tmp_path, names(200), workers=4)
    errors = [reply for reply in replies if isinstance(reply, Exception)]
    assert {type(error) for error in errors} == {BackendError if name == "no_money" else ConfigError}
    assert words in str(errors[0])
    assert "What was answered is kept" in str(errors[0])
    assert len(virtual.requests) < 60
    assert len(records(tmp_path)) == len(replies) - len(errors) == len(virtual.requests) - 1
    assert "sk-secret-77" not in str(errors[0]) + caplog.text + (tmp_path / "w.jsonl").read_text()


def test_every_row_of_the_table_is_sent_to_a_client_here():
    assert set(RESENT) | set(TRIED) | set(STOPPED) | {"answer", "unserved", "unrecorded"} == set(OUTCOMES)


@pytest.mark.parametrize("name", STOPPED)
def test_a_stop_waits_for_a_hanging_neighbour_until_the_deadline_and_no_longer(
    ask, virtual, tmp_path, clock, name
):
    virtual.script = lambda request, count: SLOW if is_about(request, 0) else STOPPED[name][0]
    replies = ask(connection(virtual, timeout=5), tmp_path, names(20), workers=4)
    assert clock.time() == pytest.approx(START + 5)
    assert all(isinstance(reply, BackendError | ConfigError) for reply in replies)


def test_a_model_that_is_registered_late_again_after_an_outage_is_waited_for_and_one_that_goes_stops_the_job(
    ask, virtual, tmp_path
):
    late = iter([None, Say(reset="early"), RESENT["not_registered"], RESENT["not_registered"]])
    virtual.script = lambda request, count: next(late, None)
    assert outcomes(ask(connection(virtual), tmp_path, names(3), workers=1)) == ["answer"] * 3
    virtual.requests.clear()
    virtual.script = lambda request, count: RESENT["not_registered"] if is_about(request, 5) else None
    replies = ask(connection(virtual), tmp_path, names(10), workers=1)
    assert isinstance(replies[5], ConfigError)
    assert len(virtual.requests) == 6 - 3


def test_the_key_is_sent_without_one_a_placeholder_and_a_missing_one_is_named_before_any_request(
    ask, virtual, tmp_path, monkeypatch
):
    monkeypatch.setenv("TEST_KEY", " sk-1 \n")
    assert secret(connection(virtual, key="TEST_KEY")) == "sk-1"
    assert secret(connection(virtual)) == "EMPTY"
    monkeypatch.delenv("TEST_KEY")
    (error,) = ask(connection(virtual, key="TEST_KEY"), tmp_path)
    assert isinstance(error, ConfigError)
    assert "llms.chatgpt.key: the environment variable TEST_KEY is not set" in str(error)
    assert virtual.requests == []


@pytest.mark.parametrize("url", ["", "localhost:8000/v1", "ftp://host/v1", "http:///v1"])
def test_a_base_url_that_is_none_is_refused(url):
    with pytest.raises(ConfigError, match=r"llms\.x\.endpoint"):
        base_url(LLM(model="m", endpoint=url).connection("x"))


@pytest.mark.parametrize("say", [SLOW, Say(500, "crash")], ids=["slow", "crash"])
@pytest.mark.parametrize("others", [0, 200])
def test_a_sentence_on_which_alone_the_server_fails_is_given_up_and_holds_up_no_other(
    ask, virtual, tmp_path, others, say
):
    virtual.script = lambda request, count: say if is_about(request, 0) else Say(content=body("x"), seconds=1)
    for _ in range(2):
        replies = ask(connection(virtual, timeout=10), tmp_path, names(1 + others), workers=4)
        assert outcomes(replies) == ["unserved"] + ["answer"] * others
    assert 6 <= len([prompt for prompt in virtual.prompts() if " 0 " in prompt]) <= 16


def test_an_outage_gives_up_no_sentence_is_probed_once_a_second_and_full_speed_comes_back(
    ask, virtual, tmp_path, clock
):
    down, up = 6, 14

    def script(request, count):
        is_down = down < clock.time() - START < up
        return Say(503, "<html>down</html>") if is_down else Say(content=body("x"), seconds=0.5)

    virtual.script = script
    assert set(outcomes(ask(connection(virtual), tmp_path, names(600), workers=16))) == {"answer"}
    times = [at - START for at in virtual.times]
    probes = [at for at in times if down + 2 < at < up]
    assert 4 <= len(probes) <= 6
    assert min(after - before for before, after in pairwise(probes)) >= pace.PROBE_SECONDS
    before, after = (sum(first <= at < first + 5 for at in times) for first in (0.75, up + 6.25))
    assert after > 0.95 * before > 0


def test_a_429_pauses_all_senders_as_long_as_it_says(ask, virtual, tmp_path):
    limit = Say(429, {"error": {"code": "rate_limit_exceeded"}}, {"retry-after": "20"})
    virtual.script = lambda request, count: (
        limit if len(virtual.requests) == 20 else Say(content=body("x"), seconds=0.01)
    )
    assert set(outcomes(ask(connection(virtual), tmp_path, names(60), workers=4))) == {"answer"}
    long = [gap for gap in (after - before for before, after in pairwise(virtual.times)) if gap > 1]
    assert len(long) == 1
    assert 19.9 < long[0] < 20 * (1 + pace.JITTER)


def test_a_limit_in_the_headers_of_an_answer_is_kept_to(ask, virtual, tmp_path):
    told = {"x-ratelimit-limit-requests": "600", "x-ratelimit-remaining-requests": "599"}
    virtual.script = lambda request, count: Say(content=body("x"), headers=told)
    ask(connection(virtual), tmp_path, names(8), workers=1)
    gaps = [after - before for before, after in pairwise(virtual.times)]
    assert min(gaps[1:]) >= 0.1


def test_tokens_that_an_answer_did_not_use_are_given_back(ask, virtual, tmp_path, clock):
    limit = {"tokens_per_minute": 6000, "tokens_counted": "used"}  # 622 reserved are 6 s each, 18 used 0.2 s
    ask(connection(virtual, **limit), tmp_path, names(6), workers=1)
    assert clock.time() - START < 2


def test_a_wait_longer_than_the_patience_stops_the_job(ask, virtual, tmp_path):
    virtual.script = lambda request, count: Say(429, "{}", {"retry-after": "86400"})
    (error,) = ask(connection(virtual), tmp_path)
    assert isinstance(error, BackendError)
    assert "asks to wait 86400 s" in str(error)


def test_a_stop_ends_a_wait_for_the_limit(ask, virtual, tmp_path, clock):
    virtual.script = lambda request, count: STOPPED["rejected"][0]
    replies = ask(connection(virtual, requests_per_minute=1), tmp_path, names(20))
    assert {type(reply) for reply in replies} == {ConfigError}
    assert clock.time() == START
    assert len(virtual.requests) == 1


def test_the_limit_of_tokens_has_the_name_that_the_endpoint_knows(ask, virtual, tmp_path):
    ask(connection(virtual, max_tokens_name="max_completion_tokens"), tmp_path)
    assert virtual.requests[0]["max_completion_tokens"] == 600
    assert "max_tokens" not in virtual.requests[0]
    ask(connection(virtual), tmp_path)  # the same request by another name of a field
    assert len(virtual.requests) == 1


def test_two_tasks_that_ask_the_same_pay_once(ask, virtual, tmp_path):
    virtual.script = lambda request, count: Say(content=body("x"), seconds=0.1)
    replies = ask(connection(virtual), tmp_path, ["A mill burned."] * 5)
    assert {reply.answer.text for reply in replies} == {"x"}
    assert len(virtual.requests) == 1


def test_a_base_url_in_a_file_is_waited_for_and_read_again_after_an_outage(ask, virtual, tmp_path):
    file = tmp_path / "url"

    async def served():
        for url in ("http://127.0.0.1:9/v1", virtual.url):  # nobody listens at the first
            await asyncio.sleep(10)
            file.write_text(url + "\n")

    given = connection(virtual).model_copy(update={"endpoint": f"file:{file}"})
    assert outcomes(ask(given, tmp_path / "journal", meanwhile=served)) == ["answer"]


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [(None, BackendError, "does not hold a base URL yet"), ("node7:8000", ConfigError, "is not a base URL")],
)
def test_a_file_without_a_base_url_is_named(ask, virtual, tmp_path, content, error, says):
    file = tmp_path / "url"
    if content:
        file.write_text(content)
    given = connection(virtual).model_copy(update={"endpoint": f"file:{file}"})
    (found,) = ask(given, tmp_path / "journal")
    assert isinstance(found, error)
    assert says in str(found)
    assert "llms.chatgpt.endpoint" in str(found)


def test_a_journal_that_cannot_be_written_stops_the_sending(ask, virtual, tmp_path, monkeypatch):
    def full(journal, key, record):
        raise OSError(28, "No space left on device", "journal")

    monkeypatch.setattr(Journal, "append", full)
    replies = ask(connection(virtual), tmp_path, names(50), workers=2)
    assert isinstance(replies[0], OSError)
    assert len(virtual.requests) <= 2
