"""GPUs are handed out by file locks; the machine's number of them is made up."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from contrapose.errors import ConfigError
from contrapose.train import gpus
from contrapose.train.gpus import VISIBLE, take_gpus

# Takes GPUs like a job, says which, and lives until its input ends.
JOB = """
import os, sys
from contrapose.train.gpus import VISIBLE, take_gpus
take_gpus(int(sys.argv[1]), int(sys.argv[2]))
print(os.environ[VISIBLE], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A function that starts a job which takes so many GPUs of so many."""
    started = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(gpus, "SECONDS_BETWEEN_TRIES", 0.01)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.delenv(VISIBLE, raising=False)

    def start(count, there):
        arguments = [sys.executable, "-c", JOB, str(count), str(there)]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()


def given(job):
    return job.stdout.readline().strip()


def test_jobs_get_different_gpus_and_a_killed_one_gives_its_back(job):
    first = job(1, 3)
    assert given(first) == "0"
    assert given(job(2, 3)) == "1,2"
    late = job(1, 3)
    with pytest.raises(subprocess.TimeoutExpired):
        late.wait(0.5)  # waits for one
    first.send_signal(signal.SIGKILL)
    assert given(late) == "0"


def test_a_job_that_lacks_one_of_two_gpus_leaves_the_other_to_others(job):
    held = job(1, 2)
    assert given(held) == "0"
    waiting = job(2, 2)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.5)
    assert gpus._locked(range(2), 2) == {}
    found = gpus._locked(range(2), 1)
    assert list(found) == [1]
    os.close(found[1])
    held.communicate("")
    assert given(waiting) == "0,1"


def test_a_machine_without_gpus_gives_none_one_with_too_few_says_so_and_what_a_scheduler_gave_counts(
    job, monkeypatch
):
    take_gpus(2, 0)
    assert VISIBLE not in os.environ
    with pytest.raises(ConfigError, match="processes is 2 and this machine has 1 GPUs"):
        take_gpus(2, 1)
    assert given(job(1, 1)) == "0"
    monkeypatch.setenv(VISIBLE, "5")
    take_gpus(1, 1)  # does not wait
    assert os.environ[VISIBLE] == "5"
