"""A budget under load: many jobs, many requests in flight, jobs killed; the server keeps the bill."""

import hashlib
import random
import signal
import time

import pytest

from contrapose.generate.cost import cost_table
from tests.faults.generation_jobs import llm, start, write_corpus
from tests.unit.generate.scripted_endpoint import Say, body, five, scripted_endpoint

ROWS, SHARDS, CONCURRENCY = 4800, 8, 16
MOST = 600  # tokens of an answer
PROMPT_PRICE, COMPLETION_PRICE = 2.0, 4.0  # USD per million
BUDGET = 1.2  # for about a fifth of the sentences: no job comes to its end
KILLS = 12
BEFORE_KILLS_END = 0.4  # of the budget; what is in flight at a kill is lost to it at its worst case


class Bill:
    """A server that answers with any number of tokens up to the most, and counts what it bills for them."""

    def __init__(self):
        self.usd, self.requests = 0.0, 0

    def __call__(self, request, count):
        prompt = request["messages"][0]["content"]
        number = int(hashlib.sha256(f"{prompt} {count}".encode()).hexdigest(), 16)
        content = body(five(prompt))
        used = (number % len(prompt.encode()), number // 1000 % (request["max_tokens"] + 1))
        content["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), used, strict=True))
        self.usd += (used[0] * PROMPT_PRICE + used[1] * COMPLETION_PRICE) / 1e6
        self.requests += 1
        return Say(content=content, seconds=number % 7 / 100, reset="middle" if number % 101 == 0 else "")


def started(server, folder, shard, budget=BUDGET):
    prices = {"prompt_price": PROMPT_PRICE, "completion_price": COMPLETION_PRICE}
    settings = llm(server, concurrency=CONCURRENCY, max_tokens=MOST, budget=budget, **prices)
    return start(folder / "c.parquet", folder / f"{shard}", folder / "j", settings, f"{shard}-of-{SHARDS}")


def ended(jobs):
    for job in jobs:
        job.join(600)
    return [job.exitcode for job in jobs]


@pytest.fixture
def server():
    with scripted_endpoint() as state:
        state.script = Bill()
        yield state


def test_eight_jobs_killed_at_random_never_pass_the_budget_and_use_it_up(server, tmp_path):
    draw, bill = random.Random(5), server.script
    write_corpus(tmp_path / "c.parquet", range(ROWS))
    jobs = [started(server, tmp_path, shard) for shard in range(SHARDS)]
    for kill in range(1, KILLS + 1):
        while bill.usd < kill / KILLS * BEFORE_KILLS_END * BUDGET:
            assert any(job.is_alive() for job in jobs)
            time.sleep(0.01)
        shard = draw.randrange(SHARDS)
        jobs[shard].kill()
        jobs[shard].join()
        assert jobs[shard].exitcode == -signal.SIGKILL
        jobs[shard] = started(server, tmp_path, shard)
    assert ended(jobs) == [3] * SHARDS
    assert bill.usd <= BUDGET
    table = cost_table([tmp_path / "j"], {})
    assert table.requests.sum() >= bill.requests
    assert table.usd.sum() <= bill.usd <= table.usd_at_most.sum() <= BUDGET
    most = (MOST * COMPLETION_PRICE + 200 * PROMPT_PRICE) / 1e6
    assert table.usd_at_most.sum() > BUDGET - most, "another request would have been allowed"
