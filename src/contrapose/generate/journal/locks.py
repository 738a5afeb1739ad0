"""Locks of the journals' folder: held by the kernel, so that a killed process leaves none behind."""

import asyncio
import errno
import fcntl
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from contrapose.base.errors import BackendError

POLL_SECONDS = 0.1  # between two tries to take a lock
# A job that checks whether a lock is held takes it for some microseconds; no writer may be refused for that.
GRACE_SECONDS = 0.25
LOCK_HEX = 15  # digits of the key that give the locked byte of the claims file: an offset has 63 bits

logger = logging.getLogger(__name__)
_IN_USE: set[Path] = set()  # claims files that this process has open


def locked(path: Path, wait: float) -> int:
    """Take a writer's lock and return its descriptor; closing it, or the end of the process, releases it.

    Raises BackendError if another process holds it for longer than `wait` seconds, or the file system
    has no locks.
    """
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    end = time.monotonic() + max(wait, GRACE_SECONDS)
    logged = False
    while not _try(path, fcntl.flock, lock, fcntl.LOCK_EX | fcntl.LOCK_NB):
        by = _written(lock)
        if time.monotonic() >= end:
            os.close(lock)
            raise BackendError(
                f"{path}: {by} is already writing these answers. A second job would pay for the same "
                "answers again. Wait until it has ended, or stop it. Then run the same command "
                "again: nothing is lost."
            )
        if not logged and wait:
            logger.info("%s: locked by %s; waiting up to %.0f s", path, by, wait)
            logged = True
        time.sleep(POLL_SECONDS)
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return lock


def holder(path: Path) -> str:
    """Return who holds a writer's lock, in words; empty if it is free."""
    try:
        lock = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return ""
    try:
        return "" if _try(path, fcntl.flock, lock, fcntl.LOCK_SH | fcntl.LOCK_NB) else _written(lock)
    finally:
        os.close(lock)


@contextmanager
def at_work(path: Path, alone: bool = False) -> Iterator[int]:
    """Keep who forgets answers out of the folder while a job is running.  Yields the open file `path`.

    `alone`: keep all jobs out.  Raises BackendError while others are at work there.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        if not _try(path, fcntl.flock, file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB):
            held = {lock.stem: by for lock in sorted(path.parent.glob("*.lock")) if (by := holder(lock))}
            who = ", ".join(f"{writer} ({by})" for writer, by in held.items()) or "another process"
            raise BackendError(
                f"{path.parent}: {who} uses this folder. Wait until it has ended, or stop it."
                if alone
                else (
                    f"{path.parent}: another command (llm-cache forget) is changing the stored answers. "
                    "Run the same command again when it has ended."
                )
            )
        yield file
    finally:
        os.close(file)


class Claims:
    """The right to send a request, for one task of one job at a time.

    A claim is a lock on one byte of a file, at an offset given by the key; the file stays empty.  Such
    locks belong to the process, and closing the file anywhere in it releases all of them.  So a process may
    use only one object per folder.
    """

    def __init__(self, path: Path):
        self._path = path
        self._file: int | None = None
        self._waiting: dict[int, asyncio.Event] = {}  # by offset, of this process

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            _IN_USE.discard(self._path)
            self._file = None

    @asynccontextmanager
    async def held(self, key: str) -> AsyncIterator[None]:
        """Hold the claim of a key; wait while another task or job holds it."""
        offset = int(key[:LOCK_HEX], 16)
        while offset in self._waiting:
            await self._waiting[offset].wait()
        done = self._waiting[offset] = asyncio.Event()
        try:
            file = self._opened()
            while not _try(self._path, fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset):
                await asyncio.sleep(POLL_SECONDS)
            try:
                yield
            finally:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, offset)
        finally:
            del self._waiting[offset]
            done.set()

    def _opened(self) -> int:
        if self._file is None:
            assert self._path not in _IN_USE, "one process, one journal per folder that asks"
            _IN_USE.add(self._path)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        return self._file


def _written(lock: int) -> str:
    return os.pread(lock, 200, 0).decode(errors="replace").strip() or "another process"


def _try(path: Path, lock: Callable[..., None], *arguments: int) -> bool:
    """Return whether a lock was free, and is taken now; raise BackendError if the file system has none."""
    try:
        lock(*arguments)
    except (BlockingIOError, PermissionError):  # POSIX allows both
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        raise BackendError(
            f"{path.parent}: this file system has no locks ({error.strerror}). Without locks, two "
            "jobs could pay for the same answer. Put the state folder on another file system, or "
            "mount it with locks."
        ) from error
    return True
