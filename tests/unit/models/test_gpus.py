import os
import signal
import subprocess
import sys
import tempfile

import pytest

from contrapose.base.errors import ConfigError
from contrapose.models import gpus
from contrapose.models.gpus import OURS, SCHEDULERS, VISIBLE, take_gpus

# Takes GPUs like a job, says which or that it waits, and lives until its input ends.
JOB = """
import logging, sys
from contrapose.models.gpus import take_gpus
logging.basicConfig(stream=sys.stdout, level="INFO", format="%(message)s")
take_gpus(int(sys.argv[1]), int(sys.argv[2]))
sys.stdin.read()
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A function that starts a job which takes so many GPUs of so many."""
    started = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in (VISIBLE, OURS, "CUDA_DEVICE_ORDER", *SCHEDULERS):
        monkeypatch.delenv(name, raising=False)
    path = os.pathsep.join(sys.path)

    def start(count, there):
        arguments = [sys.executable, "-c", JOB, str(count), str(there)]
        environment = os.environ | {"PYTHONPATH": path}
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(arguments, env=environment, stdin=pipe, stdout=pipe, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()


def said(job):
    return job.stdout.readline().strip()


def test_jobs_get_different_gpus_and_a_killed_one_gives_its_back(job):
    first = job(1, 3)
    assert said(first) == "GPU 0 of 0,1,2"
    assert said(job(2, 3)) == "GPU 1,2 of 0,1,2"
    late = job(1, 3)
    assert said(late).startswith("waiting for 1 of 3 GPUs")
    first.send_signal(signal.SIGKILL)
    assert said(late) == "GPU 0 of 0,1,2"


def test_a_job_that_lacks_one_of_two_gpus_leaves_the_other_to_others(job):
    held = job(1, 2)
    assert said(held) == "GPU 0 of 0,1"
    waiting = job(2, 2)
    assert said(waiting).startswith("waiting for 2 of 2 GPUs")
    assert gpus._locked("01", 2) == {}
    found = gpus._locked("01", 1)
    assert list(found) == ["1"]
    os.close(found["1"])
    held.communicate("")
    assert said(waiting) == "GPU 0,1 of 0,1"


def test_jobs_share_the_gpus_that_are_listed_and_take_none_twice(job, monkeypatch):
    monkeypatch.setenv(VISIBLE, "5, GPU-ab7")
    assert said(job(1, 2)) == "GPU 5 of 5,GPU-ab7"
    assert said(job(1, 2)) == "GPU GPU-ab7 of 5,GPU-ab7"
    assert said(job(1, 2)).startswith("waiting for 1 of 2 GPUs (5,GPU-ab7)")


def test_each_job_of_a_scheduler_has_gpus_of_its_own_though_they_have_equal_numbers(job, monkeypatch):
    monkeypatch.setenv(VISIBLE, "0")
    monkeypatch.setenv("SLURM_JOB_ID", "11")
    assert said(job(1, 1)) == "GPU 0 of 0"
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    assert said(job(1, 1)) == "GPU 0 of 0"


def test_processes_that_a_job_starts_keep_its_gpus(job, monkeypatch):
    assert said(job(1, 1)) == "GPU 0 of 0"
    for name in (VISIBLE, OURS):
        monkeypatch.setenv(name, "0")
    take_gpus(1, 1)  # does not wait
    assert os.environ[VISIBLE] == "0"


def test_a_gpu_whose_memory_others_use_is_passed_over_if_there_is_another(job, tmp_path, monkeypatch):
    said_of = ("0, GPU-a, 8000, 80000", "1, GPU-b, 79000, 80000", "2, GPU-c, [N/A], [N/A]")
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in said_of))
    (tmp_path / "nvidia-smi").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert said(job(1, 3)) == "GPU 1 of 0,1,2"
    assert said(job(1, 3)) == "GPU 2 of 0,1,2"  # nothing is known of it
    assert said(job(1, 3)).startswith("waiting for 1 of 3 GPUs")
    monkeypatch.setenv(VISIBLE, "GPU-a")
    assert said(job(1, 1)) == "GPU GPU-a of GPU-a"  # the only one


@pytest.mark.parametrize(
    ("visible", "count"),
    [
        (None, 3),  # not the first, whose memory others use
        ("1,2", 2),
        ("GPU-a", 1),  # the only one
        ("GPU-b,GPU-c,7,1", 2),  # CUDA sees none behind a wrong one
        ("MIG-1,MIG-2", 2),
        ("", 0),
        ("-1", 0),
    ],
)
def test_as_many_jobs_have_a_gpu_as_are_there_visible_and_not_in_use(visible, count, tmp_path, monkeypatch):
    said_of = [f"{at}, GPU-{name}, {8000 if at == 0 else 79000}, 80000" for at, name in enumerate("abcd")]
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in said_of))
    (tmp_path / "nvidia-smi").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv(OURS, raising=False)
    monkeypatch.delenv(VISIBLE, raising=False)
    if visible is not None:
        monkeypatch.setenv(VISIBLE, visible)
    assert gpus.gpus_here() == count
    monkeypatch.setenv(OURS, visible or "")
    assert gpus.gpus_here() == (3 if visible is None else 0)  # 0: jobs share them


def test_without_nvidia_smi_nothing_is_known_of_gpus(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(VISIBLE, raising=False)
    assert gpus.gpus_here() == 0


def test_a_machine_without_gpus_gives_none_and_one_with_too_few_says_so(job):
    take_gpus(2, 0)
    assert VISIBLE not in os.environ
    with pytest.raises(ConfigError, match="nproc_per_node is 2, but this machine has 1 GPUs"):
        take_gpus(2, 1)
