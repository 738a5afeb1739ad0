"""kill -9 of the workflow and of its generating jobs: a job that is still asking elsewhere is waited for."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contrapose.generate.journal import lines
from contrapose.generate.journal.locks import holder
from contrapose_mini.loopback.server import completion
from tests.checkout import Checkout
from tests.faults.running import started_snakemake, until
from tests.unit.generate.scripted_endpoint import Say, scripted_endpoint

MADE = "generate/wiki/chatgpt-prompt2"  # below results and logs
OWN_SERVER = '{endpoint: "python:contrapose_mini.loopback", model: divergent'
SHARDS, CONCURRENCY = 2, 4


def started(project: Checkout) -> subprocess.Popen:
    """Start Snakemake in a process group of its own, on a folder that a killed one may have locked."""
    for log in (project.folder / "logs" / MADE).glob("*.log"):
        log.unlink()
    target = f"results/{MADE}/paraphrases.parquet"
    return started_snakemake(project.folder, "--cores", "2", "--nolock", target)


def held(state: Path) -> list[Path]:
    return [lock for lock in state.glob("*.lock") if holder(lock)]


@contextmanager
def no_orphans(state: Path) -> Iterator[None]:
    """Leave no job behind, however the test ends."""
    try:
        yield
    finally:
        for lock in held(state):
            os.kill(int(holder(lock).split()[1]), signal.SIGKILL)  # "process 123 on ..."


def tables(project: Checkout) -> dict[str, bytes]:
    paths = (project.folder / "results" / MADE).rglob("*.parquet")
    return {str(path.relative_to(project.folder)): path.read_bytes() for path in paths}


def forget(project: Checkout) -> None:
    for folder in (f"results/{MADE}", "state"):
        shutil.rmtree(project.folder / folder)


def test_after_kills_of_workflow_and_jobs_the_bytes_are_the_same_and_only_what_was_in_flight_is_lost(
    finished: Checkout, tmp_path: Path
):
    project = Checkout(tmp_path / "project")
    shutil.copytree(finished.folder, project.folder, symlinks=True)
    forget(project)
    state = project.folder / "state/generate/chatgpt-divergent"
    going = threading.Event()
    going.set()

    def waiting_for_orphans() -> bool:
        logs = (project.folder / "logs" / MADE).glob("*.log")
        return sum("held by process" in log.read_text() for log in logs) == SHARDS

    def script(request, count):
        going.wait(60)
        return Say(content=completion(json.dumps(request).encode()), seconds=0.05)

    with scripted_endpoint() as server, no_orphans(state):
        server.script = script
        settings = f"{{endpoint: {server.url}, concurrency: {CONCURRENCY}, model: divergent"
        with project.edited("config/worlds/tiny.yaml", OWN_SERVER, settings):
            run = started(project)  # killed with its jobs
            until(lambda: len(server.served) >= 8, lambda: run.poll() is None)
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            server.settle()
            lost = len(server.served) - len(answers(state))
            assert lost <= SHARDS * CONCURRENCY

            frozen = run = started(project)  # as good as killed, but its jobs go on
            until(lambda: len(server.served) >= 24 and len(held(state)) == SHARDS, lambda: run.poll() is None)
            going.clear()
            frozen.send_signal(signal.SIGSTOP)
            assert len(held(state)) == SHARDS

            run = started(project)  # finds the orphans at work and is killed while its jobs wait for them
            until(waiting_for_orphans, lambda: run.poll() is None)
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            assert len(held(state)) == SHARDS

            run = started(project)
            until(waiting_for_orphans, lambda: run.poll() is None)
            going.set()
            assert run.wait(600) == 0
            os.killpg(frozen.pid, signal.SIGKILL)
            frozen.wait()
            asked = Counter(json.dumps(request) for request in server.requests)
            assert asked.total() - len(asked) == lost, "only what was in flight was asked for again"
            assert len(answers(state)) == len(asked)
            made = tables(project)
            forget(project)
            assert started(project).wait(600) == 0  # nothing is killed
            assert tables(project) == made


def answers(state: Path) -> list[str]:
    return [value["key"] for path in state.glob("*.jsonl") for value in lines(path) if "key" in value]
