"""Who is at work in a folder: a record that each run leaves beside Snakemake's locks, and what /proc shows.

Imports nothing of contrapose: the workflow decides which package of that name it runs.
"""

import json
import os
import pwd
import socket
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

RECORD = Path(".snakemake/contrapose-run.json")  # of the last run that has locked the folder
LOCKS = Path(".snakemake/locks")


class LockingRun(NamedTuple):
    """A run that has locked a folder; `kernel` and `start` tell its process from others with its number."""

    user: str
    host: str
    kernel: str  # of the machine since it was started, and of its container
    process: int
    start: str  # clock ticks after the machine's

    @classmethod
    def this(cls) -> "LockingRun":
        """Return the run of this process."""
        return cls(_name(os.getuid()), socket.gethostname(), _kernel(), os.getpid(), _start(os.getpid()))

    @property
    def here(self) -> bool:
        """Whether this process would see it."""
        return bool(self.kernel) and self.kernel == _kernel()

    @property
    def alive(self) -> bool:
        """Whether it is at work, if it is here."""
        return self.here and bool(self.start) and _start(self.process) == self.start

    def __str__(self) -> str:
        return f"process {self.process} of {self.user} on {self.host}"


def write_record() -> None:
    """Write down that this process has locked the working directory."""
    with suppress(OSError):  # the run does not depend on it
        RECORD.write_text(json.dumps(LockingRun.this()._asdict()))


def locking_run() -> LockingRun | None:
    """Return the run that has locked the working directory; None if it has left no record."""
    with suppress(OSError, ValueError, TypeError):
        locked = max(path.stat().st_mtime for path in LOCKS.iterdir())
        if RECORD.stat().st_mtime >= locked:  # otherwise a later run has, without our logger
            return LockingRun(**json.loads(RECORD.read_text()))
    return None


def other_owner() -> str:
    """Return the user who has locked the working directory, or "" if it is this one or unknown."""
    with suppress(OSError, ValueError):
        owner = max(LOCKS.iterdir(), key=lambda path: path.stat().st_mtime).stat().st_uid
        return _name(owner) if owner != os.getuid() else ""
    return ""


def at_work_in(folder: Path) -> list[int]:
    """Return the processes of Snakemake and its jobs in a folder, without this one.  On Linux only."""
    return [process for process, place in _snakemakes() if place == folder]


def is_job(process: int) -> bool:
    """Whether a process of Snakemake is a job of it, which goes on if Snakemake itself was killed."""
    with suppress(OSError):  # it has ended
        return b"/.snakemake/scripts/" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def hidden_of(user: str) -> list[int]:
    """Return the processes of Snakemake of a user whose folders this one may not see.  On Linux only."""
    places = [(process, place) for process, place in _snakemakes() if place is None]
    return [process for process, _ in places if _owner(process) == user]


def _snakemakes() -> list[tuple[int, Path | None]]:
    """Return the processes of Snakemake and its jobs, and their folders, None if another user's."""
    found = list[tuple[int, Path | None]]()
    for process in sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")):
        with suppress(OSError):  # it has ended
            if process == os.getpid() or b"snakemake" not in Path(f"/proc/{process}/cmdline").read_bytes():
                continue
            try:
                found.append((process, Path(f"/proc/{process}/cwd").readlink()))
            except PermissionError:
                found.append((process, None))
    return found


def _owner(process: int) -> str:
    with suppress(OSError):
        return _name(Path(f"/proc/{process}").stat().st_uid)
    return ""


def _name(user: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return f"user {user}"  # in a container that does not know the name


def _start(process: int) -> str:
    """Return when a process started, in clock ticks; "" if there is none, or it has ended."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return fields[19] if fields[0] != "Z" else ""
    return ""


def _kernel() -> str:
    """Return what two processes share if they see each other's numbers; "" outside Linux."""
    with suppress(OSError):
        Path("/proc/1/stat").read_bytes()  # with hidepid nobody sees processes of others
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    return ""
