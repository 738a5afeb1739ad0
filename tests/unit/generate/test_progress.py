import asyncio
import io
import logging
import sys
from types import SimpleNamespace

from contrapose.generate.progress import Progress


def client(spent=0.0, at_most=0.0, retries=0):
    return SimpleNamespace(ledger=SimpleNamespace(spent=spent, at_most=at_most), retries=retries)


def work(seconds=0, error=None, **costs):
    """Count four sentences, with a pause after each, or one before an error."""

    async def run():
        async with Progress("x", 4, client(**costs)) as told:
            for _ in range(4):
                told.count(10, False)
                if error:
                    raise error
                await asyncio.sleep(seconds)

    return run()


def test_a_line_tells_how_far_how_fast_how_long_still_and_what_it_cost(clock):
    told = Progress("chatgpt, prompt 2", 1000, client(0.1234, 0.15, 7))
    for failed in [False] * 99 + [True]:
        told.count(300, failed)
    clock.now += 10
    assert told.line() == (
        "100 of 1000 sentences (10.0%), 10.0/s, 0:01:30 left, 30000 tokens, "
        "$0.1234, at most $0.1500 in all jobs, 7 retries, 1 failed"
    )


def test_the_speed_is_that_since_the_last_line_and_what_the_journal_knew_does_not_count(clock, caplog):
    async def run():
        told = Progress("x", 1000, client())
        for _ in range(900):
            told.count(1, False)
        async with told:
            clock.now += 10
            told.count(1, False)
            assert " 0.1/s" in told.line()
            for _ in range(19):
                told.count(1, False)
            clock.now += 10
            assert " 1.9/s, 0:00:42 left" in told.line()
            clock.now += 20
            assert " 0.0/s, 920 tokens" in told.line()

    caplog.set_level(logging.INFO)
    asyncio.run(run())
    assert "920 of 1000 sentences (92.0%), 0.5/s" in caplog.messages[-1]


def test_without_a_terminal_there_is_a_plain_line_now_and_then_and_one_at_the_end(clock, caplog):
    caplog.set_level(logging.INFO)
    clock.run(work(12))
    assert len(caplog.messages) == 3  # after 10 s, after 40 s, at the end
    assert caplog.messages[0].startswith("x: 1 of 4 sentences")
    assert caplog.messages[-1].startswith("x: 4 of 4 sentences (100.0%)")
    assert not any("\r" in line or "\x1b" in line for line in caplog.messages)


def test_on_a_terminal_there_is_a_bar(clock, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    clock.run(work(1, spent=0.5, at_most=0.5, retries=2))
    assert "4/4" in terminal.getvalue()
    assert "40 tokens, $0.5000 in all jobs, 2 retries, 0 failed" in terminal.getvalue()
