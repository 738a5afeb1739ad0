import asyncio
import json
import multiprocessing
import time
from contextlib import contextmanager, nullcontext

import pytest

from contrapose.base.errors import BackendError, BudgetError
from contrapose.generate.journal import Journal, journal_file
from contrapose.generate.ledger import Ledger
from contrapose.generate.requests import Usage
from contrapose.settings.catalogs import Connection

KEY = "{:064x}"
MOST, USED = Usage(100, 600), Usage(40, 200)  # 0.0014 and 0.00048 USD at 2 USD per million
PRICES = {"prompt": 2.0, "completion": 2.0, "as_of": None}
JOB = {"llm": "chatgpt", "corpus": "wiki", "prompt": "2", "shard": "0-of-1"}
ABOUT = {"sentence_id": "a:0", "prompt": "2", "attempt": 0}


def connection(budget=None, prompt=2.0, completion=2.0):
    prices = {"prompt_price": prompt, "completion_price": completion}
    return Connection(role="chatgpt", endpoint="http://x/v1", budget=budget, **prices)


def body(tokens):
    usage = {"prompt_tokens": tokens.prompt, "completion_tokens": tokens.completion} if tokens else {}
    choice = {"message": {"content": "1. x"}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": usage})


def send(journal, number, most=MOST):
    journal.sent(KEY.format(number), {**ABOUT, "most": list(most)})


def answer(journal, number, content=None, status=200):
    send(journal, number)
    record = {**ABOUT, "outcome": "answer", "status": status, "body": content or body(USED)}
    journal.append(KEY.format(number), record)


@contextmanager
def job(folder, writer="w", **settings):
    with Journal(folder, writer) as journal, Ledger(folder, writer, connection(**settings)) as ledger:
        journal.note({"job": JOB, "prices": PRICES})
        yield journal, ledger


def spent_after(folder, budget=1.0):
    with job(folder, "look", budget=budget) as (_, ledger):
        return round(ledger.spent, 9), round(ledger.at_most, 9)


def asked(ledger, *answers):
    """Reserve the most of each answer (most, used), then settle it."""
    for most, _ in answers:
        asyncio.run(ledger.reserve(most))
    assert ledger.spent == ledger.at_most == 0
    for most, used in answers:
        ledger.settle(most, used)


def test_what_is_not_allowed_whatever_comes_is_refused_with_the_words_how_to_go_on(tmp_path):
    with job(tmp_path, budget=0.001) as (_, ledger), pytest.raises(BudgetError) as caught:
        asyncio.run(ledger.reserve(MOST))
    said = (
        "llms.chatgpt.budget: the next request could exceed the budget of 0.001 USD. 0.000000 USD are spent"
    )
    assert said in str(caught.value)
    assert "may cost 0.001400 USD" in str(caught.value)
    assert "raise llms.chatgpt.budget" in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_job_does_not_begin_when_nothing_of_the_budget_is_left(tmp_path):
    with job(tmp_path, budget=0.00048) as (_, ledger):
        ledger.check()
        asked(ledger, (USED, USED))
    refused = pytest.raises(BudgetError, match=r"0\.000480 USD are spent")
    with job(tmp_path, "next", budget=0.00048) as (_, ledger), refused:
        ledger.check()
    with job(tmp_path, "next", budget=0.0005) as (_, ledger):
        ledger.check()


def test_an_answer_longer_than_the_most_is_counted_and_said_once(tmp_path, caplog):
    with job(tmp_path, budget=1.0) as (_, ledger):
        asked(ledger, (USED, MOST), (USED, MOST), (MOST, MOST))  # as long as the most is no surprise
        assert ledger.spent == pytest.approx(3 * 0.0014)
    assert caplog.messages == [
        (
            "a request used 100 tokens for the prompt and 600 "
            "for the answer, but at most 40 and 200 were expected"
        )
    ]


def test_a_request_waits_while_what_is_under_way_may_come_back_cheaper(tmp_path, clock):
    async def ask(ledger):
        await ledger.reserve(MOST)
        waiting = asyncio.create_task(ledger.reserve(MOST))
        await asyncio.sleep(10)
        assert not waiting.done()
        ledger.settle(MOST, USED)
        await asyncio.wait_for(waiting, 1)
        waiting = asyncio.create_task(ledger.reserve(MOST))
        await asyncio.sleep(10)
        ledger.settle(MOST, None)
        with pytest.raises(BudgetError):
            await asyncio.wait_for(waiting, 1)

    with job(tmp_path, budget=0.0019) as (_, ledger):
        clock.run(ask(ledger))


@pytest.mark.parametrize("budget", [0.0, None])
def test_a_model_without_a_price_is_asked_with_any_budget(tmp_path, budget):
    with job(tmp_path, budget=budget, prompt=0, completion=0) as (_, ledger):
        ledger.check()
        asyncio.run(ledger.reserve(MOST))


def _other_job(folder, sent, reserved):
    with job(folder, "other", budget=0.0019) as (journal, ledger):
        asyncio.run(ledger.reserve(MOST))
        if sent:
            send(journal, 0)
        reserved.set()
        time.sleep(600)  # until it is killed


@pytest.mark.parametrize("sent", [False, True])
def test_what_a_killed_job_had_under_way_is_free_unless_it_was_sent(sent, tmp_path, monkeypatch):
    async def ask(ledger, process):
        waiting = asyncio.create_task(ledger.reserve(MOST))
        await asyncio.sleep(0.12)
        assert not waiting.done()
        process.kill()
        await asyncio.wait_for(waiting, 60)

    monkeypatch.setattr("contrapose.generate.ledger.RECOVER_SECONDS", 0.1)
    refused = pytest.raises(BudgetError, match=r"perhaps 0\.001400 USD") if sent else nullcontext()
    context = multiprocessing.get_context("fork")
    reserved = context.Event()
    other = context.Process(target=_other_job, args=(tmp_path, sent, reserved), daemon=True)
    other.start()
    assert reserved.wait(30)
    with job(tmp_path, budget=0.0019) as (_, ledger), refused:
        asyncio.run(ask(ledger, other))


@pytest.mark.parametrize("budget", [1.0, None])
def test_a_journal_tells_the_next_job_what_was_paid_at_the_prices_of_its_day(tmp_path, budget):
    with job(tmp_path, "old", budget=budget) as (journal, _):
        answer(journal, 0)
        answer(journal, 1, body(None))
        answer(journal, 2, body(USED).replace("completion_tokens", "other"))  # half a count is none
        answer(journal, 3, "oops", 500)  # the server failed: nothing is billed
        for number in (4, 5, 6):
            send(journal, number)
        journal.unanswered(KEY.format(4), {"outcome": "deadline", "paid": "unknown"})
        journal.unanswered(KEY.format(5), {"outcome": "rate_limit", "paid": "no"})
        journal.note({"job": JOB, "prices": {**PRICES, "prompt": 4.0}})
        answer(journal, 7)
    (tmp_path / "ledger").unlink()
    known = 0.00048 + 0.00056
    assert spent_after(tmp_path) == (pytest.approx(known), pytest.approx(known + 4 * 0.0014))


def test_a_journal_that_is_gone_counts_no_more(tmp_path):
    with job(tmp_path, "old", budget=1.0) as (_, ledger):
        asked(ledger, (MOST, USED))
    assert spent_after(tmp_path)[0] == 0.00048
    journal_file(tmp_path, "old").unlink()
    assert spent_after(tmp_path)[0] == 0


def test_what_a_changed_journal_cost_is_read_or_the_job_does_not_begin(tmp_path):
    with job(tmp_path, "old", budget=1.0) as (journal, _):
        answer(journal, 0)
    file = journal_file(tmp_path, "old")
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert spent_after(tmp_path)[0] == 0.00048
    file.write_bytes(file.read_bytes() + b"=======\n")
    with pytest.raises(BackendError, match=r"line 4: '=======\\n' is not a record"):
        spent_after(tmp_path)
