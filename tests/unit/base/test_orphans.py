"""A job ends with the Snakemake that waits for it, and a job that is left over overwrites nothing."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from contrapose.base.errors import StoppedError
from contrapose.base.orphans import JOB_LOG, end_if_replaced, open_log
from contrapose.jobs.state import LOCK, alone_in, remove_state
from contrapose.jobs.warm import COLD
from contrapose.tables import written

SOURCE = Path(__file__).parents[3] / "src"
SECONDS = 600  # after which something hangs; no test takes as long
DEAD = int(subprocess.check_output([sys.executable, "-c", "import os; print(os.getpid())"]))

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells a job of Snakemake's end")

# Starts each command that it reads in a shell which waits for it, as Snakemake does for a script.
SNAKEMAKE = (
    "import subprocess, sys; [subprocess.Popen(['bash', '-c', f'{line}; true']) for line in sys.stdin]"
)
JOB = """
from contrapose.jobs.warm import run_warm
run_warm()
import os, signal, sys, time
from contrapose.jobs.stage import log_to
def end(*_):
    print("saved", flush=True)
    sys.exit(1)
with log_to(sys.argv[1]):
    signal.signal(signal.SIGTERM, end)
    print(os.getpid(), flush=True)
    while True:  # not one long sleep: a signal just before it waits for its end
        time.sleep(0.1)
"""


def until(condition: Callable[[], object], log: Path) -> None:
    for _ in range(SECONDS * 100):  # looks, not seconds: a machine may stand still
        if condition():
            return
        time.sleep(0.01)
    pytest.fail(f"it never happened; {log.name}: {text(log)!r}")


def text(file: Path) -> str:
    return file.read_text() if file.exists() else ""


class Snakemake:
    """A process that starts jobs and is killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "job.py").write_text(JOB)
        self.process = subprocess.Popen(
            [sys.executable, "-c", SNAKEMAKE], cwd=folder, stdin=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(SOURCE)}, start_new_session=True,
        )  # fmt: skip

    def start(self, name: str, *, cold: bool) -> Path:
        """Start a job and return its log when it is at work."""
        log = self.folder / f"{name}.log"
        assert self.process.stdin
        command = f"{COLD if cold else '_'}=1 exec {sys.executable} job.py {log.name}"
        self.process.stdin.write(f"({command})\n")
        self.process.stdin.flush()
        until(lambda: text(log).endswith("\n"), log)
        return log


@pytest.fixture
def snakemakes(tmp_path: Path) -> Iterator[list[Snakemake]]:
    started = []
    for name in "ab":
        (tmp_path / name).mkdir()
        started.append(Snakemake(tmp_path / name))
    yield started
    for each in started:
        with suppress(ProcessLookupError):  # nothing of it is left
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.wait()


@linux
def test_jobs_whose_snakemake_is_killed_get_sigterm_be_they_forks_or_not(snakemakes: list[Snakemake]):
    snakemake = snakemakes[0]
    logs = [snakemake.start(name, cold=name == "cold") for name in ("cold", "first", "fork")]
    servers = [Path(f"/proc/{text(log).strip()}/cmdline").read_bytes().count(b"serve(") for log in logs]
    assert servers == [0, 0, 1]  # a fork has its server's command line
    snakemake.process.kill()
    snakemake.process.wait()
    for log in logs:
        until(lambda log=log: "saved" in text(log), log)


@linux
def test_a_job_goes_on_as_long_as_its_own_snakemake_lives(snakemakes: list[Snakemake]):
    snakemake, other = snakemakes
    own, orphan = snakemake.start("own", cold=True), other.start("orphan", cold=True)
    other.process.kill()  # as the one that has submitted a job to a cluster
    other.process.wait()
    until(lambda: "saved" in text(orphan), orphan)
    assert "saved" not in text(own)
    os.kill(int(text(own)), 0)


@pytest.fixture
def replaced(tmp_path: Path, monkeypatch) -> Path:
    """Be a job whose place a newer one has taken; return a folder."""
    monkeypatch.setenv(JOB_LOG, "")
    os.close(open_log(str(tmp_path / "job.log")))
    own = os.environ[JOB_LOG]
    end_if_replaced()
    open_log(str(tmp_path / "job.log"))
    end_if_replaced()  # the newer one
    os.environ[JOB_LOG] = own
    return tmp_path


def test_a_job_that_a_newer_one_has_replaced_puts_nothing_in_place(replaced: Path):
    for name in ("file", "folder"):
        refused = pytest.raises(StoppedError, match=r"job\.log: a newer job makes the same files")
        with refused, written(replaced / name) as draft:
            draft.touch() if name == "file" else draft.mkdir()
    (replaced / "state").mkdir()
    with pytest.raises(StoppedError):
        remove_state(replaced / "state")
    assert sorted(path.name for path in replaced.iterdir()) == ["job.log", "state"]


def test_a_log_that_a_person_has_removed_stops_nobody(tmp_path: Path, monkeypatch):
    monkeypatch.setenv(JOB_LOG, "")
    os.close(open_log(str(tmp_path / "job.log")))
    (tmp_path / "job.log").unlink()
    with written(tmp_path / "file") as draft:
        draft.write_text("new")
    assert (tmp_path / "file").read_text() == "new"


def test_a_folder_replaces_a_folder(tmp_path: Path):
    for content in ("old", "new"):
        with written(tmp_path / "data") as draft:
            draft.mkdir()
            (draft / content).touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["data", "new"]


def test_drafts_of_dead_processes_of_this_machine_go_when_the_same_place_is_written(tmp_path: Path):
    host, running = socket.gethostname(), os.getppid()
    stay = [f".x.{host}-{running}.draft", f".x.elsewhere-{DEAD}.draft", f".x.y.{host}-{DEAD}.draft"]
    for name in (*stay, f".x.{host}-{DEAD}.draft", f".x.{host}-{os.getpid()}.draft"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").touch()
    with written(tmp_path / "x") as draft:
        draft.touch()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*stay, "x"])


def test_a_second_job_of_the_same_state_waits_until_the_first_has_ended_and_removed_it(tmp_path: Path):
    state = tmp_path / "a" / "state"
    waits = (
        "import logging, sys; from pathlib import Path; from contrapose.jobs.state import alone_in\n"
        "logging.basicConfig(level=logging.INFO)\n"
        "with alone_in(Path(sys.argv[1])): print(sorted(each.name for each in Path(sys.argv[1]).iterdir()))"
    )
    with alone_in(state):
        (state / "block").touch()
        second = subprocess.Popen(
            [sys.executable, "-c", waits, str(state)], env={"PYTHONPATH": str(SOURCE)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert second.stderr
        assert "another job uses this folder;" in second.stderr.readline()
        remove_state(state)
    assert second.communicate(timeout=SECONDS)[0] == f"{[LOCK]}\n"


def test_a_killed_job_leaves_no_lock(tmp_path: Path):
    holds = (
        "import os, sys; from pathlib import Path; from contrapose.jobs.state import alone_in\n"
        "with alone_in(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", holds, str(tmp_path)], env={"PYTHONPATH": str(SOURCE)}, check=False)
    assert (tmp_path / LOCK).exists()
    with alone_in(tmp_path):
        pass


def test_no_empty_folder_stays_of_what_a_job_kept(tmp_path: Path):
    place = tmp_path / "state" / "train" / "dropout" / "simcse"
    for seed in ("seed42", "seed43"):
        (place / seed / "digest").mkdir(parents=True)
    remove_state(place / "seed42" / "digest")
    assert [each.name for each in place.iterdir()] == ["seed43"]
    remove_state(place / "seed43" / "digest")
    assert [*(tmp_path / "state").rglob("*")] == [tmp_path / "state" / "train"]
    remove_state(tmp_path / "empty" / "state")  # no folder of a stage: only this one goes
    assert tmp_path.exists()
