"""Whether a job is still wanted: it ends with its Snakemake, and writes nothing once a newer one has begun.

Nothing here changes a result, so it is in no digest of code.
"""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from contrapose.base.errors import StoppedError

SHELLS = ("sh", "bash", "dash", "zsh")  # Snakemake starts a script through one
JOB_LOG = "CONTRAPOSE_LOG"  # in the environment of all processes of a job: device, inode and path of its log
SECONDS_BETWEEN_LOOKS = 1
SECONDS_TO_END = 120  # from SIGTERM to SIGKILL, as in tools.resources.SIGNAL: time to write a checkpoint


class Process(NamedTuple):
    """A process as described by /proc/PID/stat; number and start together identify it."""

    number: int
    name: str
    state: str  # Z: it has ended
    parent: int
    start: str  # clock ticks after the machine's


def process(number: int | str) -> Process:
    """Look a process up; OSError if there is none."""
    before, _, after = Path(f"/proc/{number}/stat").read_text().rpartition(")")
    if not (fields := after.split()):  # from the third one, state; it ended while it was read
        raise ProcessLookupError(number)
    return Process(int(number), before.partition("(")[2], fields[0], int(fields[1]), fields[19])


def snakemake_process() -> Process:
    """Return the Snakemake process that waits for this job: the first ancestor that is not a shell.

    For a job on a cluster it is the one that SLURM has started there, not the one that submitted it.
    """
    parent = process(os.getppid())
    while parent.name in SHELLS:
        parent = process(parent.parent)
    return parent


def end_with_snakemake() -> None:
    """Have this process end soon after its Snakemake.  On Linux only.

    It gets SIGTERM, on which training saves its state, and SIGKILL `SECONDS_TO_END` later.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):  # no /proc
        threading.Thread(target=_end_after, args=(snakemake_process(),), daemon=True).start()


def _end_after(snakemake: Process) -> None:
    while _lives(snakemake):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    ended = f"Snakemake (process {snakemake.number}) has ended, so its job ends."
    with suppress(OSError):  # a terminal that is closed
        print(ended, file=sys.stderr, flush=True)
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGTERM)
    time.sleep(SECONDS_TO_END)
    os.kill(os.getpid(), signal.SIGKILL)


def _lives(one: Process) -> bool:
    try:
        now = process(one.number)
    except OSError:
        return False
    return now.start == one.start and now.state != "Z"


def open_log(path: str) -> int:
    """Put a new file at the path of a job's log, for this job alone, and return its descriptor.

    So a job that was writing to the file before can tell that a newer one has begun: `end_if_replaced`.
    """
    new = f"{path}.{os.getpid()}"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.replace(new, path)
    status = os.fstat(descriptor)
    os.environ[JOB_LOG] = f"{status.st_dev} {status.st_ino} {os.path.abspath(path)}"
    return descriptor


def end_if_replaced() -> None:
    """Raise a StoppedError if a newer job has begun to make the same files; call it before writing one.

    Does nothing if a user has removed the log, or if this process does not belong to a job.
    """
    if JOB_LOG not in os.environ:
        return
    device, inode, path = os.environ[JOB_LOG].split(" ", 2)
    with suppress(FileNotFoundError):
        now = os.stat(path)
        if (now.st_dev, now.st_ino) != (int(device), int(inode)):
            raise StoppedError(
                f"{path}: a newer job makes the same files and writes this log. This job (process "
                f"{os.getpid()}) remains from an earlier run, and ends without writing the files."
            )
