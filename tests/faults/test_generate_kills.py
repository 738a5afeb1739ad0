"""The job of one shard, killed at random points, beside an endpoint that counts what it serves."""

import contextlib
import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from contrapose.config import LLM, Asked
from contrapose.fingerprint import canonical
from contrapose.jobs import ParaphraseJob
from contrapose.tables import SENTENCES, write_table
from tests.unit.generate.scripted_endpoint import Say, body, five, scripted_endpoint

ROOT = Path(__file__).parents[2]

ROWS, CONCURRENCY = 150, 8
PROMPT = "Paraphrase: {sentence}"
ASKED = Asked(model="tiny", temperature=0)
KILLS = 8

# Runs the rule's own script in the way Snakemake does.
JOB = """
import json, runpy, sys
from types import SimpleNamespace
given = json.loads(sys.argv[1])
class Named(SimpleNamespace):
    __getitem__ = lambda self, name: getattr(self, name)
    items = lambda self: vars(self).items()
snakemake = SimpleNamespace(rule="generate_paraphrase", log=[given.pop("log")])
for name, values in given.items():
    setattr(snakemake, name, Named(**values))
runpy.run_path("workflow/scripts/generate/paraphrase.py", init_globals={"snakemake": snakemake})
"""


def script(request, count):
    """Answer by the request alone, as a greedy server does; a fifth of the sentences is no good."""
    prompt = request["messages"][0]["content"]
    number = int(hashlib.sha256(prompt.encode()).hexdigest(), 16)
    content = body(five(prompt))
    if number % 5 == 0:
        content = body("1. a", "length") if request["max_tokens"] <= 600 else body("1. Only one.")
    return Say(content=content, seconds=0.005 + number % 4 / 200)


@pytest.fixture
def server():
    with scripted_endpoint() as state:
        state.script = script
        yield state


def corpus(folder):
    texts = [f"Sentence {n} of the corpus stands here" for n in range(ROWS)]
    rows = [(f"a{n}:0", text, f"a{n}", 0, 7) for n, text in enumerate(texts)]
    write_table(pd.DataFrame(rows, columns=SENTENCES.columns), folder / "sentences.parquet", SENTENCES)
    return dict(zip((row[0] for row in rows), texts, strict=True))


def start(folder, server, out):
    job = ParaphraseJob(llm="chatgpt", asked=ASKED, prompt="1", text=PROMPT)
    llm = LLM(**ASKED.model_dump(), endpoint=server.url, concurrency=CONCURRENCY)
    (folder / out).mkdir(exist_ok=True)
    given = {
        "log": str(folder / f"{out}.log"),
        "params": {"settings": canonical(job), "code": "0"},
        "wildcards": {"corpus": "c", "llm": "chatgpt", "prompt": "1", "shard": "0", "shards": "1"},
        "input": {"sentences": str(folder / "sentences.parquet"), "knowledge": []},
        "resources": {
            "connection": canonical(llm.connection("chatgpt")),
            "journal": str(folder / "state" / out.split("-")[0]),
        },
        "output": {name: str(folder / out / f"{name}.parquet") for name in ("paraphrases", "completions")},
    }
    command = [sys.executable, "-c", JOB, json.dumps(given)]
    return subprocess.Popen(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin"})


def journaled(folder):
    """Return (sentence id, attempt) of every answer on disk."""
    found = set()
    for path in folder.glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):  # a torn end
                record = json.loads(line)
                found.add((record["sentence_id"], record["attempt"]))
    return found


def until(condition, process, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def test_a_job_killed_again_and_again_ends_in_the_same_bytes_and_pays_only_for_what_was_in_flight(
    tmp_path, server
):
    texts = corpus(tmp_path)
    assert start(tmp_path, server, "undisturbed").wait() == 0
    total = len(server.requests)
    server.requests.clear()
    server.served.clear()
    generator = random.Random(7)
    kills = 0
    for _ in range(KILLS):
        known = {
            (PROMPT.format(sentence=texts[id]), 600 * 2**attempt)
            for id, attempt in journaled(tmp_path / "state" / "killed")
        }
        before = len(server.requests)
        goal = len(server.served) + generator.randrange(1, total // KILLS)
        job = start(tmp_path, server, "killed")
        until(lambda goal=goal: len(server.served) >= goal, job)
        time.sleep(generator.uniform(0, 0.02))
        job.send_signal(signal.SIGKILL)
        kills += job.wait() == -signal.SIGKILL
        time.sleep(0.05)  # what is in flight at the server comes to its end
        sent = [(r["messages"][0]["content"], r["max_tokens"]) for r in server.requests[before:]]
        assert not known & set(sent), "an answer on disk was paid for again"
        assert len(sent) == len(set(sent))
        lost = len(server.served) - len(journaled(tmp_path / "state" / "killed"))
        assert lost <= kills * CONCURRENCY
        assert not list((tmp_path / "killed").iterdir()), "nothing may look finished"
    assert start(tmp_path, server, "killed").wait() == 0
    assert kills >= KILLS - 1
    assert len(server.requests) - total <= kills * CONCURRENCY
    for name in ("paraphrases", "completions"):
        file = f"{name}.parquet"
        assert (tmp_path / "killed" / file).read_bytes() == (tmp_path / "undisturbed" / file).read_bytes()


def test_sigterm_ends_the_job_with_an_error_and_everything_that_was_served_on_disk(tmp_path, server):
    corpus(tmp_path)
    job = start(tmp_path, server, "stopped")
    until(lambda: len(server.served) >= 30, job)
    job.send_signal(signal.SIGTERM)
    assert job.wait(20) == 1
    assert "stopped by SIGTERM" in (tmp_path / "stopped.log").read_text()
    assert len(journaled(tmp_path / "state" / "stopped")) == len(server.requests) == len(server.served)
    assert not list((tmp_path / "stopped").iterdir())
    assert start(tmp_path, server, "stopped").wait() == 0
    assert len({str(request) for request in server.requests}) == len(server.requests)


def test_a_second_job_waits_for_an_orphan_of_the_first_and_pays_nothing_twice(tmp_path, server):
    corpus(tmp_path)
    server.script = lambda request, count: replace(script(request, count), seconds=0.15)
    orphan = start(tmp_path, server, "twice")
    until(lambda: len(server.served) >= 20, orphan)
    second = start(tmp_path, server, "twice-again")
    assert second.wait(60) == 0
    assert orphan.wait(60) == 0
    assert "held by process" in (tmp_path / "twice-again.log").read_text()
    assert len({str(request) for request in server.requests}) == len(server.requests)
    assert (tmp_path / "twice" / "paraphrases.parquet").read_bytes() == (
        tmp_path / "twice-again" / "paraphrases.parquet"
    ).read_bytes()
