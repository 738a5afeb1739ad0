import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from snakemake_logger_plugin_contrapose.at_work import LOCKS, RECORD, LockingRun, locking_run, write_record
from snakemake_logger_plugin_contrapose.plain_errors import locked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no /proc")
LOCK = LOCKS / "0.input.lock"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A locked folder as the working directory, as of a call without options."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["snakemake"])
    LOCKS.mkdir(parents=True)
    LOCK.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "Another run uses the same files in {folder} (process {process} of ann on node1)"),
        (
            {"start": "1"},
            "was killed, so the folder is still locked.",
        ),  # its number is another process's by now
        (
            {"kernel": "b 2"},
            "has locked the folder: process {process} of ann on node1. This machine cannot see whether",
        ),
    ],
    ids=["at work", "killed", "in another container or on another machine"],
)
def test_a_run_is_known_by_its_record_whoever_started_it(change: dict, says: str, folder: Path):
    run = LockingRun.this()._replace(user="ann", host="node1", **change)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LockingRun, "this", lambda: run)
        write_record()
    assert locking_run() == run
    assert says.format(folder=folder, process=os.getpid()) in locked(folder)
    os.utime(LOCK, (2**32, 2**32))  # locked later, by a Snakemake without our logger
    assert locking_run() is None


@pytest.mark.parametrize("record", ["", "{", "[]", '{"user": "ann"}'])
def test_a_damaged_record_is_none(record: str, folder: Path):
    RECORD.write_text(record)
    assert "was killed, so the folder is still locked." in locked(folder)


def as_user(user: int, work: Callable[[], str]) -> str:
    """Return what a function returns in a process of another user."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.setuid(user)
            os.write(writer, work().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        return stream.read()


@pytest.mark.skipif(os.getuid() != 0, reason="root alone becomes another user")
def test_a_process_of_another_user_whose_folder_cannot_be_seen_is_named(folder: Path):
    folder.chmod(0o755)
    os.chown(LOCK, 12345, -1)
    with subprocess.Popen(
        ["/bin/sh", "-c", "echo; read line # snakemake"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/", user=12345,
    ) as other:  # fmt: skip
        assert other.stdout
        other.stdout.readline()
        said = as_user(12346, lambda: locked(folder))
        other.communicate(b"\n")
    assert f"user 12345 runs Snakemake on this machine (process {other.pid})" in said
