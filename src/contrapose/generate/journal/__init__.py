"""The journal: every answer that was paid for, on disk before it is parsed.

One append-only file per writer, one JSON object per line.  All journals of the folder are read, so a run
with another number of shards, another prompt or another corpus reuses what it shares with earlier ones.

    {"sent": key, ...}         a request is about to be sent
    {"unanswered": key, ...}   and got nothing worth keeping
    {"key": key, ...}          or its answer
    {"forgotten": true, ...}   or one that is asked for again: what it cost still counts
    {"note": true, ...}        the job and its prices, for the lines that follow
"""

import ctypes
import errno
import json
import logging
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Self

import numpy as np

from contrapose.base.errors import SHOWN, BackendError, shown
from contrapose.generate.journal.locks import Claims, at_work, holder, locked
from contrapose.generate.journal.places import SHORT_HEX, JournalIndex, answers, file_and_offset, place_of

SYNC_SECONDS = 0.2  # between two fsyncs: one takes ~4 ms and guards against power loss only
READ_BYTES = 1 << 12  # an answer has 1-4 kB
OPEN_FILES = 256  # other journals kept open; a process may open 1024 files on most systems
SHARED = ("sentence_id", "prompt", "attempt", "model")  # what a send and its answer have in common
# In journals that versions up to 0.4 made smaller, the other fields of the send within its answer.
FOLDED = "send"
# In an answer that is asked for again: only what it cost still counts.  It stands first in its line, so that
# `places.answers` finds no answer there.
FORGOTTEN = "forgotten"
JOBS = "jobs"  # a byte for each job ever started, so that running jobs notice new ones
FULL = (errno.ENOSPC, errno.EDQUOT)
KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE of linux/falloc.h: the file does not get longer
# What a kill or a power loss can leave as last line: the beginning of a record, or a block of NULs in one.
TORN = re.compile(rb"\{[^\0\n]*|(\{[^\0\n]*)?\0+[^\0\n]*\n?")

logger = logging.getLogger(__name__)
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Journal:
    """Answers by the hash of their whole request.  Use as a context manager, once per process and folder.

    Memory: 16 bytes per answer in the folder, some more for new ones; the answers stay on disk.

    The folder is that of one LLM role and model, and is created if missing; no rule may declare it as an
    output.  Only one process at a time may hold the journal of a `writer`; another waits `wait` seconds.
    Raises BackendError if a process holds it for longer, its answers are being forgotten, something else has
    changed the file, or the file system has no locks.
    """

    def __init__(self, folder: str | Path, writer: str, wait: float = 60.0):
        self.folder, self._path, self._wait = Path(folder), journal_file(folder, writer), wait
        self._places = JournalIndex()
        self._paths, self._ends = [str(self._path)], [0]  # of all journals, and how far each was read
        self._open: dict[int, int] = {}  # descriptors of others, by number
        self._growing: list[int] = []  # journals of jobs that are at work
        self._jobs_seen = -1
        self._claims = Claims(self.folder / "claims")
        self._rooms: dict[str, int] = {}  # bytes for the answers in flight, by key
        self._roomy = 0  # offset up to which the disk has room for this file
        self._dirty, self._closing = threading.Event(), threading.Event()
        self._failed: OSError | None = None

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            self._jobs = stack.enter_context(at_work(self.folder / JOBS))
            stack.callback(os.close, locked(self._path.with_suffix(".lock"), self._wait))
            self._file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
            stack.callback(os.close, self._file)
            stack.callback(self._claims.close)
            stack.callback(self._close_others)
            os.write(self._jobs, b".")  # after the lock: a job that sees the byte sees the lock, too
            cut_torn_end(self._path)
            self._end = os.fstat(self._file).st_size
            self._read_all()
            self._stack = stack.pop_all()
        logger.info("%s: %d answers are stored", self.folder, len(self))
        self._syncer = threading.Thread(target=self._sync_now_and_then, name="journal", daemon=True)
        self._syncer.start()
        return self

    def __exit__(self, *error: object) -> None:
        with self._stack:
            self._closing.set()
            self._syncer.join()
            os.ftruncate(self._file, os.fstat(self._file).st_size)  # gives back the room
            os.fsync(self._file)

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> dict | None:
        """Return the record of the answer that was known first; None if there is none."""
        return next(self.records(key), None)

    def records(self, key: str) -> Iterator[dict]:
        """Yield the records of all answers to a request: there are more if one of them counts no more."""
        for place in self._places.find(key):
            number, offset = file_and_offset(place)
            try:
                answer = json.loads(_line(self._descriptor(number), offset))
            except (OSError, ValueError):
                logger.warning(
                    "%s: the stored answer at byte %d is damaged and is not used. If the run needs it, it is "
                    "requested and paid for again. No action is needed",
                    self._paths[number], offset,
                )  # fmt: skip
                continue
            if answer.get("key") == key:
                answer.pop(FOLDED, None)
                yield answer

    @asynccontextmanager
    async def claimed(self, key: str) -> AsyncIterator[None]:
        """Hold the exclusive right to send a request, among all tasks of this process and jobs on the folder.

        Waits while another holds it.  Inside, `get` knows what the others have appended.  The kernel releases
        a killed job's claims.
        """
        async with self._claims.held(key):
            self._catch_up()
            yield

    def sent(self, key: str, record: Mapping[str, object], room: int = 0) -> None:
        """Record that a request is about to be sent, and take `room` bytes of disk for its answer before.

        Same errors as `append`.
        """
        needed = sum(self._rooms.values()) + room
        if room and self._roomy < self._end + needed:
            self._take_room(2 * needed)  # for some of the next ones, too
        self._write({"sent": key, **record})
        self._rooms[key] = room

    def unanswered(self, key: str, record: Mapping[str, object]) -> None:
        """Record that a sent request brought no answer; same errors as `append`."""
        self._write({"unanswered": key, **record})
        self._rooms.pop(key, None)

    def append(self, key: str, record: Mapping[str, object]) -> None:
        """Write an answer to disk: one line, one write.  From then on it survives the end of this process.

        Raises OSError if the disk takes no more.  Earlier records are intact.
        """
        offset = self._end
        self._write({"key": key, **record})
        self._rooms.pop(key, None)
        self._places.put(int(key[:SHORT_HEX], 16), place_of(0, offset))

    def note(self, record: Mapping[str, object]) -> None:
        """Write a line that describes the lines after it; same errors as `append`."""
        self._write({"note": True, **record})

    def _write(self, record: Mapping[str, object]) -> None:
        if self._failed:
            raise self._failed
        line = encoded(record)
        try:
            done = os.write(self._file, line)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        if done < len(line):  # the disk is full: leave no half line
            os.ftruncate(self._file, self._end)
            self._roomy = 0
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        self._end += done
        self._dirty.set()

    def _take_room(self, size: int) -> None:
        """Have the disk keep room for this file, which does not get longer by it; OSError if it has none."""
        while (number := fallocated(self._file, self._end, size)) == errno.EINTR:
            pass
        if number in FULL:
            raise OSError(number, os.strerror(number), str(self._path))
        self._roomy = sys.maxsize if number else self._end + size
        if number:
            logger.info("%s: disk space cannot be reserved (%s), so answers that arrive when the disk "
                        "is full are lost", self._path, os.strerror(number))  # fmt: skip

    def _read_all(self) -> None:
        """Index all journals in the order of their names, so that every run takes the same of two answers."""
        self._find_journals()
        keys, places = [], []
        for number in sorted(range(len(self._paths)), key=self._paths.__getitem__):
            short, offsets = self._news(number)
            keys.append(np.array(short, np.uint64))
            places.append(np.array(offsets, np.uint64) + np.uint64(place_of(number, 0)))
        self._places.load(keys, places)

    def _catch_up(self) -> None:
        """Index what other jobs appended since the last check."""
        numbers: Iterable[int] = self._growing
        if os.fstat(self._jobs).st_size != self._jobs_seen:
            self._find_journals()
            numbers = range(1, len(self._paths))
        for number in numbers:
            if os.stat(self._paths[number]).st_size > self._ends[number]:
                for short, offset in zip(*self._news(number), strict=True):
                    self._places.put(short, place_of(number, offset))

    def _find_journals(self) -> None:
        """List the journals, and which of them running jobs hold: only those still grow."""
        self._jobs_seen = os.fstat(self._jobs).st_size
        known = set(self._paths)
        new = sorted(path for path in map(str, self.folder.glob("*.jsonl")) if path not in known)
        self._paths += new
        self._ends += [0] * len(new)
        locks = ((number, Path(path).with_suffix(".lock")) for number, path in enumerate(self._paths))
        self._growing = [number for number, lock in locks if number and holder(lock)]

    def _news(self, number: int) -> tuple[list[int], list[int]]:
        """Return short keys and offsets of the answers after the part of a journal that was read."""
        short, offsets, self._ends[number] = answers(
            self._descriptor(number), self._ends[number], self._paths[number]
        )
        return short, offsets

    def _descriptor(self, number: int) -> int:
        if number == 0:
            return self._file
        if number not in self._open:
            if len(self._open) == OPEN_FILES:
                os.close(self._open.pop(next(iter(self._open))))
            self._open[number] = os.open(self._paths[number], os.O_RDONLY)
        return self._open[number]

    def _close_others(self) -> None:
        while self._open:
            os.close(self._open.popitem()[1])

    def _sync_now_and_then(self) -> None:
        while not self._closing.wait(SYNC_SECONDS):
            if self._dirty.is_set():
                self._dirty.clear()
                try:
                    os.fsync(self._file)
                except OSError as error:
                    self._failed = error
                    return


def journal_file(folder: str | Path, writer: str) -> Path:
    """Return the path of a writer's journal."""
    return Path(folder) / (re.sub(r"[^\w.,=-]+", "_", writer) + ".jsonl")


def lines(path: str | Path) -> Iterator[dict]:
    """Yield the records of one journal in order; damaged ones and a torn end are left out, with a warning."""
    damaged = 0
    with open(path, "rb", buffering=1 << 20) as file:
        for line in file:
            value = record(line)
            if value is None:
                damaged += 1
                continue
            send = value.pop(FOLDED, None)
            if send is not None:  # both in one line
                yield {"sent": value["key"], **{name: value[name] for name in SHARED}, **send}
            yield value
    if damaged:
        logger.warning(
            "%s: %d lines with stored answers are damaged and are not used. If the run needs the answers, "
            "they are requested and paid for again. No action is needed",
            path,
            damaged,
        )


def encoded(record: Mapping[str, object]) -> bytes:
    """Return the line of a record; a lone surrogate, which JSON may hold, becomes a question mark."""
    return (_json(record) + "\n").encode("utf-8", "replace")


def record(line: bytes) -> dict | None:
    """Return what a line holds, also one of Windows or without its end; None if it is damaged."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _line(file: int, offset: int) -> bytes:
    line, size = b"", READ_BYTES
    while (part := os.pread(file, size, offset + len(line))) and b"\n" not in part:
        line, size = line + part, 2 * size
    return line + part[: part.find(b"\n") + 1]


def cut_torn_end(journal: Path) -> None:
    """Move what a kill or a power loss left half written at the end into a file `.torn` beside the journal.

    That is one record.  Raises BackendError, and changes nothing, if any other line is damaged.
    """
    end, size = whole_end(journal), journal.stat().st_size
    with open(journal, "rb+") as file:
        file.seek(end)
        torn = file.read()
        if torn:
            beside = journal.with_suffix(".torn")
            with open(beside, "ab") as copy:
                copy.write(torn + b"\n")
                copy.flush()
                os.fsync(copy.fileno())
            logger.warning("%s: %d bytes of an unfinished record were moved to %s",
                           journal, len(torn), beside)  # fmt: skip
            file.truncate(end)
        elif size:
            file.seek(size - 1)
            if file.read() != b"\n":
                file.write(b"\n")


def whole_end(journal: Path) -> int:
    """Return the offset after the last whole record; raise BackendError if more than a torn one follows."""
    end = 0
    with open(journal, "rb", buffering=1 << 20) as file:
        for number, line in enumerate(file, 1):
            if record(line) is None:
                if TORN.fullmatch(line) and not _begins_with_record(line) and not file.read(1):
                    return end
                excerpt = shown(line[:SHOWN].decode(errors="replace"))
                raise BackendError(
                    f"{journal}, line {number}: {excerpt} is not a record, so another program has "
                    "changed the file. Nothing was removed. Restore the file from a copy, or move "
                    "this line to another file. An answer in the line would be paid for again."
                )
            end += len(line)
    return end


def fallocated(file: int, offset: int, size: int) -> int:
    """Take room on the disk as by fallocate(2), which Python lacks; return 0, or the number of an error."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "fallocate"):  # not Linux
        return errno.ENOSYS
    failed = libc.fallocate(file, KEEP_SIZE, ctypes.c_int64(offset), ctypes.c_int64(size))
    return ctypes.get_errno() if failed else 0


def _begins_with_record(line: bytes) -> bool:
    try:
        json.JSONDecoder().raw_decode(line.decode(errors="replace"))
    except ValueError:
        return False
    return True
