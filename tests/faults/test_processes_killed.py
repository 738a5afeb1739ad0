"""Whatever ends one process of a job, or the job, no process is left, and the log says what happened."""

import signal
import sys
from pathlib import Path

import pytest

from contrapose.jobs.warm import COLD
from tests.faults.running import printed

SCRIPT = Path(__file__).with_name("killed_processes.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return printed(SCRIPT, tmp_path_factory.mktemp("processes"), **{COLD: "1"})


@pytest.mark.parametrize(
    ("when", "code", "said"),
    [
        ("all end well", 0, "[1] with 2 threads"),
        ("one process is killed", 1, "Process 1 of 2 (counted from 0) ended with signal 9"),
        ("the job is killed", -signal.SIGKILL, ""),
        ("the job is asked to end", 1, "SIGTERM: the 2 processes of this job have ended"),
    ],
)
def test_no_process_outlives_its_job(when, code, said, results):
    assert results[when]["code"] == code, results[when]["log"]
    assert said in results[when]["log"]
