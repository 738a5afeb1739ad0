"""Kill a run again and again, in all of its stages: what is lost, what is paid twice, which bytes differ?

python -m benchmarks.drills.kills [--kills N] [--seed N]

The small project of the tests is built once undisturbed.  Then it is built from nothing again and again, and
each call is killed with signal 9 after up to five jobs and two seconds: Snakemake with its jobs, Snakemake
alone, or one job.  The endpoint is on this machine, slow enough to have requests in flight, and
counts them.
"""

import argparse
import base64
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread

import pyarrow.parquet as pq

from contrapose_mini.loopback.server import Handler, LoopbackServer
from snakemake_logger_plugin_contrapose.at_work import at_work_in
from tests.checkout import OTHERS, PROMPTS, TARGET, Checkout, checkout
from tests.faults.running import started_snakemake, until
from tests.faults.test_workflow_kills import contents

TARGETS = (TARGET, PROMPTS, *OTHERS)
JOBS = 5  # a call is killed after it has finished at most so many
SECONDS = 2.0  # and at most so much later
LATENCY = 3.0  # seconds of an answer, so that kills meet requests in flight
KINDS = ("Snakemake and its jobs", "Snakemake alone", "one job")


class CountingHandler(Handler):
    """Counts the bodies that arrive, before they are answered."""

    server: "CountingEndpoint"

    def do_POST(self) -> None:
        """Count the body, wait, and answer."""
        stream: io.BufferedIOBase = self.rfile
        body = stream.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.bodies[body] += 1
        time.sleep(LATENCY)
        self.rfile = io.BufferedReader(io.BytesIO(body))
        with suppress(BrokenPipeError, ConnectionResetError):  # of a killed job
            super().do_POST()
        self.rfile = stream


class CountingEndpoint(LoopbackServer):
    """The mini world's endpoint, which knows what it was asked."""

    def __init__(self) -> None:
        super().__init__(0)
        self.RequestHandlerClass, self.lock, self.bodies = CountingHandler, Lock(), Counter[bytes]()


@contextmanager
def endpoint() -> Iterator[CountingEndpoint]:
    """Serve until the block ends."""
    with CountingEndpoint() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def killed(folder: Path, draw: random.Random) -> tuple[str, set[str], bool]:
    """Call Snakemake and kill; return what was killed, the stages at work, and whether all was done."""
    begun, kind, jobs = time.time(), draw.choice(KINDS), draw.randint(0, JOBS)
    run = started_snakemake(folder, "--cores", "2", *TARGETS)
    until(lambda: _unfinished(folder, begun) or run.poll() is not None)
    jobs += _finished(folder)
    while _finished(folder) < jobs and run.poll() is None:
        time.sleep(0.1)
    time.sleep(draw.uniform(0, SECONDS))
    stages = _unfinished(folder, begun)
    if run.poll() is not None:
        return kind, stages, run.returncode == 0
    if kind == "one job":
        until(lambda: _jobs(folder, run.pid) or run.poll() is not None)
        for job in draw.sample(_jobs(folder, run.pid), 1) if run.poll() is None else ():
            with suppress(ProcessLookupError):
                os.kill(job, signal.SIGKILL)
        run.wait()
        return kind, stages, run.returncode == 0
    if kind == "Snakemake alone":
        run.kill()
    else:
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    until(lambda: not at_work_in(folder))  # jobs that were left alone save what they have and end
    return kind, stages, False


def _jobs(folder: Path, snakemake: int) -> list[int]:
    """Return the processes of jobs, also of those in forks of a process that has imported PyTorch."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if (process / "cwd").readlink() == folder and int(process.name) != snakemake:
                found.append(int(process.name))
    return sorted(found)


def _finished(folder: Path) -> int:
    return sum(1 for _ in folder.glob("results/**/.*.manifest.json"))


def _unfinished(folder: Path, since: float) -> set[str]:
    """Return the stages of the outputs that Snakemake has marked as begun and not as made."""
    found = set()
    for mark in (folder / ".snakemake/incomplete").glob("**/*"):
        with suppress(FileNotFoundError, ValueError):
            if mark.is_file() and mark.stat().st_mtime >= since:
                output = base64.urlsafe_b64decode("".join(mark.relative_to(folder).parts[2:])).decode()
                stage = Path(output).parts[1]
                found.add("report" if stage in ("tables", "figures") else stage)
    return found


def _checked(folder: Path) -> None:
    """Fail where a result in place is not whole."""
    for path in folder.glob("results/**/*.parquet"):
        if not path.name.startswith("."):
            pq.read_metadata(path)


def drill(place: Path, kills: int, seed: int) -> Iterator[str]:
    """Yield a line for each kill, then what was found."""
    draw, stages, kinds = random.Random(seed), Counter[str](), Counter[str]()
    with endpoint() as server:
        new = _project(place / "new", server)
        undisturbed = Checkout(shutil.copytree(new.folder, place / "undisturbed"))
        undisturbed.run(*TARGETS)
        needed, expected = Counter(server.bodies), contents(undisturbed.folder)
        yield f"undisturbed: {len(expected)} results, {needed.total()} requests ({len(needed)} different)"
        done, rounds, twice = 0, 0, 0
        while done < kills:
            rounds += 1
            project = Checkout(shutil.copytree(new.folder, place / str(rounds)))
            server.bodies.clear()
            complete = False
            while not complete and done < kills:
                kind, at_work, complete = killed(project.folder, draw)
                _checked(project.folder)
                if not complete:
                    done += 1
                    kinds[kind] += 1
                    stages.update(at_work)
                    yield f"{done}: {kind}, at work: {', '.join(sorted(at_work)) or 'none'}"
                project.forked("--unlock")
            project.run(*TARGETS)
            command = [sys.executable, "-m", "contrapose", "verify"]
            verified = subprocess.run(command, cwd=project.folder, check=False, capture_output=True)
            assert verified.returncode == 0, verified.stdout.decode() + verified.stderr.decode()
            found = contents(project.folder)
            other = [name for name in {*expected, *found} if expected.get(name) != found.get(name)]
            assert not other, f"other bytes: {other}"
            assert {*server.bodies} == {*needed}, "other requests"
            twice += server.bodies.total() - needed.total()
            yield f"round {rounds}: the same bytes, verify finds nothing, {server.bodies.total()} requests"
            shutil.rmtree(project.folder)
    yield f"{done} kills ({_counts(kinds)}) in {rounds} rounds, jobs at work in: {_counts(stages)}"
    yield f"asked again: {twice} of {rounds * needed.total()} requests"


def _project(folder: Path, server: CountingEndpoint) -> Checkout:
    project = checkout(folder)
    catalog = folder / "config/catalogs/tiny.yaml"
    catalog.write_text(catalog.read_text().replace("python:contrapose_mini.loopback", server.base_url))
    return project


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.most_common())


def main() -> None:
    """Print what happened."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for line in drill(Path(place).resolve(), options.kills, options.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
