import asyncio
import errno
import fcntl
import hashlib
import json
import multiprocessing
import os
import signal
import time
from contextlib import AsyncExitStack

import pytest

from contrapose.base.errors import BackendError
from contrapose.generate.journal import Journal, lines
from contrapose.generate.journal.locks import holder
from contrapose.generate.journal.tools import forget


def key(text):
    return hashlib.sha256(text.encode()).hexdigest()


def written(folder, writer="w", **bodies):
    """Write answers of a job that has ended; return its file."""
    with Journal(folder, writer) as journal:
        for name, body in bodies.items():
            journal.append(key(name), {"body": body})
    return folder / f"{writer}.jsonl"


def test_what_is_appended_is_found_now_and_later(tmp_path):
    with Journal(tmp_path, "0-of-1") as journal:
        journal.append(key("a"), {"body": "Köln\n\ud83d", "status": 200})  # and half a surrogate pair
        assert json.loads((tmp_path / "0-of-1.jsonl").read_bytes())["body"] == "Köln\n?"  # on disk by now
        assert journal.get(key("a")) == {"key": key("a"), "body": "Köln\n?", "status": 200}
        assert journal.get(key("b")) is None
    with Journal(tmp_path, "0-of-1") as journal:
        assert journal.get(key("a"))["body"] == "Köln\n?"


def test_of_two_answers_to_one_request_every_writer_takes_the_same(tmp_path):
    with Journal(tmp_path, "b") as late, Journal(tmp_path, "a") as early:
        late.append(key("x"), {"body": "from b"})
        early.append(key("x"), {"body": "from a"})
    for writer in ("a", "b", "c"):
        with Journal(tmp_path, writer) as journal:
            assert journal.get(key("x"))["body"] == "from a"


HALF = b'{"key":"%s","body":"no end' % key("t").encode()
REFUSED = None


@pytest.mark.parametrize(
    ("change", "cut"),
    [
        # Of an editor, a copy through Windows, `core.autocrlf` of git: all is read.
        (lambda text: text.replace(b"\n", b"\r\n"), b""),
        (lambda text: b"\xef\xbb\xbf" + text, b""),
        (lambda text: text[:-1], b""),
        # Of a kill or a power loss: one record is cut off and kept.
        *((lambda text, torn=torn: text + torn, torn) for torn in (
            HALF, b"{", b"\0" * 700, HALF + b"\0" * 700, b"\0" * 700 + b'the end"}\n', HALF + b'{"sent":"',
        )),
        # Anything else is refused.
        (lambda text: text.replace(b"\n", b"\r"), REFUSED),
        (lambda text: text.decode().encode("utf-16"), REFUSED),
        (lambda text: text.replace(b'"}\n', b"", 1), REFUSED),  # two halves glued
        (lambda text: text.replace(b"\n", b"", 1) + HALF, REFUSED),
        (lambda text: text + b'{"sent":"a"}' + HALF, REFUSED),
        (lambda text: text.replace(b"\n", b"\n=======\n", 1), REFUSED),
        (lambda text: text + b"=======\n", REFUSED),
        (lambda text: text.replace(b"\n", b"\n\0\0\0\n", 1), REFUSED),
        (lambda text: text + HALF + b"\n" + HALF, REFUSED),
    ],
)  # fmt: skip
def test_a_journal_that_was_changed_by_others_loses_one_torn_record_at_most(tmp_path, change, cut):
    file, torn = written(tmp_path, a="x" * 5000, b="y"), tmp_path / "w.torn"
    whole = file.read_bytes()
    file.write_bytes(change(whole))
    if cut is REFUSED:
        with pytest.raises(BackendError, match=r"w\.jsonl, line \d: .* Nothing was removed"):
            Journal(tmp_path, "w").__enter__()
        with pytest.raises(BackendError, match=r"w\.jsonl, line \d: .* Nothing was removed"):
            forget(tmp_path, [])
        assert file.read_bytes() == change(whole)
        assert not torn.exists()
        return
    written(tmp_path, c="z")
    with Journal(tmp_path, "w") as journal:
        assert [journal.get(key(name))["body"][0] for name in "abc"] == ["x", "y", "z"]
    assert len(list(lines(file))) == 3
    assert (torn.read_bytes() if torn.exists() else b"\n") == cut + b"\n"


def test_what_is_damaged_or_torn_in_another_journal_is_missing_and_stays(tmp_path, caplog):
    damaged, torn = (b'{"key":"' + key(name).encode() + b'","body":"\xff' for name in "ab")
    other = tmp_path / "v.jsonl"
    other.write_bytes(damaged + b'\xff}\n{"note":true}\n' + torn)
    with Journal(tmp_path, "w") as journal:
        assert journal.get(key("a")) is journal.get(key("b")) is None
        assert (
            "v.jsonl: the stored answer at byte 0 is damaged and is not used. If the run needs it"
            in caplog.text
        )
        journal.append(key("a"), {"body": "whole"})
        assert journal.get(key("a"))["body"] == "whole"
    assert other.read_bytes().endswith(torn)  # its writer may be at work


def test_lines_are_all_whole_records_in_order_and_damage_is_told(tmp_path, caplog):
    with Journal(tmp_path, "w") as journal:
        journal.note({"job": {"llm": "chatgpt"}})
        journal.sent(key("a"), {"prompt": "1", "most": [9, 600]})
        journal.unanswered(key("a"), {"outcome": "lost", "paid": "unknown"})
    with open(tmp_path / "w.jsonl", "ab") as file:
        file.write(b'{"key":"ab\n[1]\n\0\0\n{"note":true,"last":1}\n{"key":"torn')
    assert list(lines(tmp_path / "w.jsonl")) == [
        {"note": True, "job": {"llm": "chatgpt"}},
        {"sent": key("a"), "prompt": "1", "most": [9, 600]},
        {"unanswered": key("a"), "outcome": "lost", "paid": "unknown"},
        {"note": True, "last": 1},
    ]
    assert "4 lines with stored answers are damaged and are not used. If the run needs" in caplog.text


def test_a_second_writer_is_told_who_holds_the_journal(tmp_path):
    told = pytest.raises(BackendError, match=f"process {os.getpid()} on .*nothing is lost")
    with Journal(tmp_path, "w"), told:
        Journal(tmp_path, "w", wait=0).__enter__()


def test_a_full_disk_leaves_no_half_record(tmp_path, monkeypatch):
    with Journal(tmp_path, "w") as journal:
        journal.append(key("a"), {"body": "x"})
        whole = (tmp_path / "w.jsonl").read_bytes()
        write = os.write
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:20]))
        with pytest.raises(OSError, match="No space left"):
            journal.append(key("b"), {"body": "y"})
        monkeypatch.undo()
        assert (tmp_path / "w.jsonl").read_bytes() == whole
        assert journal.get(key("b")) is None


def test_the_disk_keeps_room_for_the_answers_to_what_is_sent(tmp_path):
    with Journal(tmp_path, "w") as journal:
        journal.sent(key("a"), {}, room=1_000_000)
        journal.sent(key("b"), {}, room=1_000_000)
        held = os.stat(tmp_path / "w.jsonl")
        assert held.st_size < 200
        assert held.st_blocks * 512 > 2_000_000  # stat(2): blocks of 512 bytes
        journal.append(key("a"), {"body": "x"})
    assert os.stat(tmp_path / "w.jsonl").st_blocks * 512 < 100_000
    assert len(list(lines(tmp_path / "w.jsonl"))) == 3


def test_a_disk_that_takes_no_answer_for_good_ends_the_job(tmp_path, monkeypatch):
    def fsync(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("contrapose.generate.journal.SYNC_SECONDS", 0.01)
    with Journal(tmp_path, "w") as journal, monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        journal.append(key("a"), {"body": "x"})
        journal._syncer.join(60)
        with pytest.raises(OSError, match="Input/output error"):
            journal.append(key("b"), {"body": "y"})


def test_a_journal_that_is_closed_is_on_the_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("contrapose.generate.journal.SYNC_SECONDS", 1000)
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    file = written(tmp_path, a="x")
    assert synced == [file.stat().st_size]


def test_more_journals_than_a_process_may_open_are_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr("contrapose.generate.journal.OPEN_FILES", 3)
    for number in range(10):
        written(tmp_path, str(number), **{str(number): number})
    before = len(os.listdir("/proc/self/fd"))
    with Journal(tmp_path, "w") as journal:
        assert [journal.get(key(str(number)))["body"] for number in range(10)] == list(range(10))
        assert len(os.listdir("/proc/self/fd")) <= before + 6  # 3, its own, its lock, the list of jobs
    assert len(os.listdir("/proc/self/fd")) == before
    assert (tmp_path / "w.jsonl").read_bytes() == b""  # they are not copied


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    def flock(file, kind):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(BackendError, match=f"{tmp_path}: this file system has no locks"):
        Journal(tmp_path, "w").__enter__()


def test_a_task_that_fails_or_is_cancelled_leaves_its_claim_to_the_next(tmp_path, clock):
    async def hold(journal, error):
        async with journal.claimed(key("a")):
            if error:
                raise error
            await asyncio.sleep(60)

    async def run(journal):
        with pytest.raises(ValueError, match="bad"):
            await hold(journal, ValueError("bad"))
        holding = asyncio.create_task(hold(journal, None))
        waiting = asyncio.create_task(hold(journal, None))
        await asyncio.sleep(0.01)
        waiting.cancel()
        holding.cancel()
        await asyncio.wait([holding, waiting])
        async with asyncio.timeout(1), journal.claimed(key("a")):
            return "mine"

    with Journal(tmp_path, "w") as journal:
        assert clock.run(run(journal)) == "mine"


def _claim_and_hang(folder, answer, ready):
    async def run(journal):
        async with AsyncExitStack() as stack:
            for name in "ab":
                await stack.enter_async_context(journal.claimed(key(name)))
            if answer:
                journal.append(key("a"), {"body": "from the first"})
            ready.set()
            time.sleep(60)

    with Journal(folder, "first") as journal:
        asyncio.run(run(journal))


@pytest.mark.parametrize("answer", [True, False])
def test_the_claims_of_a_killed_job_are_free_and_what_it_answered_is_known(tmp_path, answer, clock):
    async def claim(journal, name):
        async with asyncio.timeout(10), journal.claimed(key(name)):
            return journal.get(key(name))

    context = multiprocessing.get_context("fork")
    ready = context.Event()
    with Journal(tmp_path, "second") as journal:  # begun before the first
        first = context.Process(target=_claim_and_hang, args=(tmp_path, answer, ready))
        first.start()
        assert ready.wait(60)
        assert holder(tmp_path / "first.lock").startswith(f"process {first.pid} on")
        with pytest.raises(TimeoutError):
            clock.run(claim(journal, "a"))
        os.kill(first.pid, signal.SIGKILL)
        first.join()
        assert holder(tmp_path / "first.lock") == ""
        found = clock.run(claim(journal, "a"))
        assert (found or {}).get("body") == ("from the first" if answer else None)
        assert clock.run(claim(journal, "b")) is None
