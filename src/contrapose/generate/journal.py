"""The journal: every answer that was paid for, on disk before anybody reads it.

One append-only file per writer, one JSON object per line, the key first.  All journals of the folder
are read, so another number of shards, another prompt or another corpus finds what it shares with old ones.
"""

import errno
import fcntl
import json
import logging
import os
import re
import socket
import threading
import time
from pathlib import Path
from typing import Self

from contrapose.errors import BackendError

SYNC_SECONDS = 0.2  # between two fsyncs: one takes ~4 ms and guards against power loss only
POLL_SECONDS = 0.5  # between two looks at a lock
KEY_START = b'{"key":"'
KEY_HEX = 64  # SHA-256
OFFSET_BITS = 44  # of a place: 16 TiB per file, the file's number above
READ_BYTES = 1 << 16  # an answer has 1-4 kB

logger = logging.getLogger(__name__)


class Journal:
    """Answers by the hash of their whole request.  Use as a context manager.

    Memory: about 200 bytes per answer in the folder; the answers themselves stay on disk.

    Parameters
    ----------
    folder : path
        Of one LLM role and model; made if missing.  No rule may declare it as an output.
    writer : str
        Name of this job's journal.  Only one process at a time may hold it.
    wait : float
        Seconds to wait for another process that holds it.

    Raises
    ------
    BackendError
        Another process holds the writer's name for longer than `wait`.
    """

    def __init__(self, folder: str | Path, writer: str, wait: float = 60.0):
        self._own = Path(folder) / (re.sub(r"[^\w.,=-]+", "_", writer) + ".jsonl")
        self._wait = wait
        self._paths = [self._own]
        self._places: dict[bytes, int] = {}
        self._dirty, self._closing = threading.Event(), threading.Event()
        self._failed: OSError | None = None

    def __enter__(self) -> Self:
        self._own.parent.mkdir(parents=True, exist_ok=True)
        self._lock = _exclusive(self._own.with_suffix(".lock"), self._wait)
        self._file = os.open(self._own, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        _cut_torn_end(self._file, self._own)
        # In order of names, so that of two answers to one request every run takes the same.
        for path in sorted(self._own.parent.glob("*.jsonl")):
            self._read(path)
        self._end = os.fstat(self._file).st_size
        logger.info("%s: %d answers are known", self._own.parent, len(self._places))
        self._syncer = threading.Thread(target=self._sync_now_and_then, name="journal", daemon=True)
        self._syncer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._syncer.join()
        os.fsync(self._file)
        os.close(self._file)
        os.close(self._lock)  # gives the lock up

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> dict | None:
        """Return the record of a request that was answered, or None."""
        place = self._places.get(bytes.fromhex(key))
        if place is None:
            return None
        path, offset = self._paths[place >> OFFSET_BITS], place & ((1 << OFFSET_BITS) - 1)
        try:
            with open(path, "rb", buffering=READ_BYTES) as file:
                file.seek(offset)
                record = json.loads(file.readline())
        except (OSError, ValueError):
            logger.warning("%s: the record at byte %d cannot be read and counts as missing", path, offset)
            return None
        return record if record["key"] == key else None

    def append(self, key: str, record: dict) -> None:
        """Put an answer on disk: one line, one write.  It survives the end of this process from here on.

        Raises
        ------
        OSError
            The disk takes no more.  What was written before is whole.
        """
        self._write({"key": key, **record})
        self._places.setdefault(bytes.fromhex(key), self._last)

    def note(self, record: dict) -> None:
        """Put a line on disk that is no answer, e.g. a request that may have been billed and was lost."""
        self._write({"note": True, **record})

    def _write(self, record: dict) -> None:
        if self._failed:
            raise self._failed
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        line = text.encode("utf-8", "replace")
        try:
            done = os.write(self._file, line)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._own)) from error
        if done < len(line):  # the disk is full: leave no half line
            os.ftruncate(self._file, self._end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._own))
        self._last, self._end = self._end, self._end + done
        self._dirty.set()

    def _read(self, path: Path) -> None:
        """Index a journal; lines that are no answers, and a torn end of another writer's, are left out."""
        number = 0
        if path != self._own:
            number = len(self._paths)
            self._paths.append(path)
        start, stop = len(KEY_START), len(KEY_START) + KEY_HEX
        offset = 0
        with open(path, "rb", buffering=1 << 20) as file:
            for line in file:
                if line.startswith(KEY_START) and line.endswith(b"}\n"):
                    try:
                        key = bytes.fromhex(line[start:stop].decode())
                    except ValueError:
                        logger.warning("%s: skipped a line without a key at byte %d", path, offset)
                    else:
                        self._places.setdefault(key, number << OFFSET_BITS | offset)
                offset += len(line)

    def _sync_now_and_then(self) -> None:
        while not self._closing.wait(SYNC_SECONDS):
            if self._dirty.is_set():
                self._dirty.clear()
                try:
                    os.fsync(self._file)
                except OSError as error:
                    self._failed = error
                    return


def _exclusive(path: Path, wait: float) -> int:
    """Take the lock of a writer; it is given up with the process, however that ends."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    end = time.monotonic() + wait
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            holder = os.pread(lock, 200, 0).decode(errors="replace").strip() or "another process"
            if time.monotonic() >= end:
                os.close(lock)
                raise BackendError(
                    f"{path}: {holder} writes this journal already; a second one would pay for the same "
                    f"answers again. Wait for it to end, or end it, and start again: nothing is lost."
                ) from None
            if not told:
                logger.info("%s: held by %s; waiting up to %.0f s", path, holder, wait)
                told = True
            time.sleep(min(POLL_SECONDS, max(wait, 0.01)))
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return lock


def _cut_torn_end(file: int, path: Path) -> None:
    """Cut off what a killed process or a power loss left half written at the end."""
    size = end = os.fstat(file).st_size
    while end:
        start = _line_start(file, end)
        line = os.pread(file, end - start, start)
        try:
            whole = line.endswith(b"\n") and isinstance(json.loads(line), dict)
        except ValueError:
            whole = False
        if whole:
            break
        end = start
    if end < size:
        logger.warning("%s: cut off %d bytes of a record that was not finished", path, size - end)
        os.ftruncate(file, end)


def _line_start(file: int, end: int) -> int:
    """Return the offset of the line whose last byte is at `end - 1`."""
    at = end - 1
    while at > 0:
        begin = max(0, at - READ_BYTES)
        found = os.pread(file, at - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return 0
