"""The job of one shard, killed at random points, beside an endpoint that counts what it serves."""

import hashlib
import json
import random
import signal
import threading
import time
from collections import Counter

import pytest

from tests.faults.generation_jobs import PROMPT, TABLES, llm, start, write_corpus
from tests.faults.running import until
from tests.unit.generate.scripted_endpoint import Say, body, five, scripted_endpoint

ROWS, CONCURRENCY = 400, 8
KILLS = 18


def number_of(request):
    return int(hashlib.sha256(request["messages"][0]["content"].encode()).hexdigest(), 16)


def script(request, count):
    """Answer by the request alone, as a greedy server does; a fifth of the sentences is no good."""
    number = number_of(request)
    content = body(five(request["messages"][0]["content"]))
    if number % 5 == 0:
        content = body("1. a", "length") if request["max_tokens"] <= 600 else body("1. Only one.")
    return Say(content=content, seconds=0.005 + number % 4 / 200)


@pytest.fixture
def server():
    with scripted_endpoint() as state:
        state.script = script
        yield state


def asked(requests):
    """Return prompt and max_tokens of requests that the server saw, and how often."""
    return Counter((request["messages"][0]["content"], request["max_tokens"]) for request in requests)


def journaled(folder, kind, texts):
    """Return the same of all whole lines on disk that begin with `kind`."""
    found = Counter()
    for path in folder.glob("*.jsonl"):
        for line in path.read_bytes().splitlines(keepends=True):
            if line.startswith(b'{"%s":' % kind.encode()) and line.endswith(b"\n"):
                record = json.loads(line)
                prompt = PROMPT.format(sentence=texts[record["sentence_id"]])
                found[prompt, 600 * 2 ** record["attempt"]] += 1
    return found


def contents(folder):
    """Return every table that a job put in place; drafts of a killed one do not count."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def ended(process, seconds=600):
    """Wait for a job and return its exit status, negative for a signal."""
    process.join(seconds)
    return process.exitcode


def test_a_job_killed_again_and_again_ends_in_the_same_bytes_and_pays_only_for_what_was_in_flight(
    tmp_path, server
):
    texts = write_corpus(tmp_path / "c.parquet", range(ROWS))
    settings = llm(server, concurrency=CONCURRENCY)
    undisturbed, killed, state = tmp_path / "undisturbed", tmp_path / "killed", tmp_path / "state"
    assert ended(start(tmp_path / "c.parquet", undisturbed, tmp_path / "other", settings)) == 0
    needed = asked(server.requests)
    server.requests.clear()
    server.served.clear()
    generator = random.Random(7)
    kills = 0
    while kills < KILLS:
        known, before = journaled(state, "key", texts), len(server.requests)
        job = start(tmp_path / "c.parquet", killed, state, settings)
        if kills % 3:
            goal = len(server.served) + generator.randrange(1, 12)
            until(lambda goal=goal: len(server.served) >= goal, job.is_alive)
        time.sleep(generator.uniform(0, 0.02 if kills % 3 else 0.2))
        job.kill()
        assert ended(job) == -signal.SIGKILL, "it had nothing left to do: more rows, or fewer kills"
        kills += 1
        server.settle()
        sent = asked(server.requests[before:])
        assert not known & sent, "an answer on disk was paid for again"
        unwritten = asked(server.requests) - journaled(state, "sent", texts)
        assert not unwritten, "a request left before the journal had it"
        in_flight = asked(server.requests) - journaled(state, "key", texts)
        assert in_flight.total() <= kills * CONCURRENCY
        assert contents(killed) == {}, "nothing may look finished"
    assert ended(start(tmp_path / "c.parquet", killed, state, settings)) == 0
    assert in_flight.total() > 0
    assert asked(server.requests) - needed == in_flight, "only what was in flight was asked for again"
    assert contents(killed) == contents(undisturbed)


def test_a_second_job_waits_for_an_orphan_of_the_first_and_pays_nothing_twice(tmp_path, server):
    write_corpus(tmp_path / "c.parquet", range(150))
    going = threading.Event()

    def held_up(request, count):
        if len(server.served) >= 20:
            going.wait(60)
        return script(request, count)

    server.script = held_up
    settings = llm(server, concurrency=CONCURRENCY)
    first, second = tmp_path / "first", tmp_path / "second"
    orphan = start(tmp_path / "c.parquet", first, tmp_path / "state", settings)
    until(lambda: len(server.served) >= 20, orphan.is_alive)
    again = start(tmp_path / "c.parquet", second, tmp_path / "state", settings)
    log = second.with_suffix(".log")
    until(lambda: log.exists() and "locked by process" in log.read_text(), again.is_alive)
    going.set()
    assert ended(again) == ended(orphan) == 0
    assert set(asked(server.requests).values()) == {1}
    assert contents(first) == contents(second)
    assert contents(first).keys() == {f"{name}.parquet" for name in TABLES}


def test_overlapping_corpora_asked_at_once_in_other_shards_pay_for_each_request_once(tmp_path, server):
    settings = llm(server, concurrency=CONCURRENCY)
    left, right = tmp_path / "left.parquet", tmp_path / "right.parquet"
    write_corpus(left, range(200))
    write_corpus(right, [*range(50, 150), *range(300, 350)][::-1])
    shards = [(left, "0-of-2"), (left, "1-of-2"), (right, "0-of-3"), (right, "1-of-3"), (right, "2-of-3")]
    jobs = [
        start(corpus, tmp_path / f"{corpus.stem}-{shard}", tmp_path / "state", settings, shard)
        for corpus, shard in shards
    ]
    assert [ended(job) for job in jobs] == [0] * 5
    assert set(asked(server.requests).values()) == {1}
    assert len({prompt for prompt, _ in asked(server.requests)}) == 250
