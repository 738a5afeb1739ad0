import hashlib
import json
import multiprocessing
import os
import time

import pytest

from contrapose.errors import BackendError
from contrapose.generate.journal import Journal


def key(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_what_is_appended_is_found_now_and_later(tmp_path):
    with Journal(tmp_path, "0-of-1") as journal:
        journal.append(key("a"), {"body": "Köln\n", "status": 200})
        assert journal.get(key("a")) == {"key": key("a"), "body": "Köln\n", "status": 200}
        assert journal.get(key("b")) is None
    with Journal(tmp_path, "0-of-1") as journal:
        assert journal.get(key("a"))["body"] == "Köln\n"


def test_a_record_is_on_disk_before_append_returns(tmp_path):
    with Journal(tmp_path, "w") as journal:
        journal.append(key("a"), {"body": "x"})
        line = (tmp_path / "w.jsonl").read_bytes()
        assert json.loads(line)["body"] == "x"
        assert line.endswith(b"}\n")


def test_answers_of_other_writers_are_found_and_not_copied(tmp_path):
    with Journal(tmp_path, "0-of-2") as first, Journal(tmp_path, "1-of-2") as second:
        first.append(key("a"), {"body": "one"})
        second.append(key("b"), {"body": "two"})
    with Journal(tmp_path, "0-of-1") as journal:
        assert [journal.get(key(name))["body"] for name in "ab"] == ["one", "two"]
    assert (tmp_path / "0-of-1.jsonl").read_bytes() == b""


def test_of_two_answers_to_one_request_every_writer_takes_the_same(tmp_path):
    with Journal(tmp_path, "b") as late, Journal(tmp_path, "a") as early:
        late.append(key("x"), {"body": "from b"})
        early.append(key("x"), {"body": "from a"})
    for writer in ("a", "b", "c"):
        with Journal(tmp_path, writer) as journal:
            assert journal.get(key("x"))["body"] == "from a"


@pytest.mark.parametrize(
    "torn", [b'{"key":"ab', b'{"key":"%s","body":"no end' % key("t").encode(), b"\0" * 700 + b"\n"]
)
def test_a_torn_end_is_cut_off_and_the_rest_stays(tmp_path, torn):
    with Journal(tmp_path, "w") as journal:
        journal.append(key("a"), {"body": "x" * 100_000})
        whole = (tmp_path / "w.jsonl").read_bytes()
    (tmp_path / "w.jsonl").write_bytes(whole + torn)
    with Journal(tmp_path, "w") as journal:
        assert (tmp_path / "w.jsonl").read_bytes() == whole
        assert journal.get(key("a"))["body"] == "x" * 100_000
        journal.append(key("b"), {"body": "y"})
    with Journal(tmp_path, "w") as journal:
        assert len(journal) == 2


def test_every_cut_of_a_journal_keeps_all_whole_records(tmp_path):
    with Journal(tmp_path, "w") as journal:
        for name in "abc":
            journal.append(key(name), {"body": name})
    whole = (tmp_path / "w.jsonl").read_bytes()
    for size in range(len(whole)):
        (tmp_path / "w.jsonl").write_bytes(whole[:size])
        with Journal(tmp_path, "w") as journal:
            assert len(journal) == whole[:size].count(b"\n")


def test_the_torn_end_of_a_writer_at_work_is_left_alone(tmp_path):
    (tmp_path / "other.jsonl").write_bytes(b'{"key":"' + key("a").encode() + b'","bo')
    with Journal(tmp_path, "w") as journal:
        assert journal.get(key("a")) is None
    assert (tmp_path / "other.jsonl").read_bytes().endswith(b'"bo')


def test_a_damaged_record_counts_as_missing(tmp_path):
    damaged = b'{"key":"' + key("a").encode() + b'","body":"\xff\xff}\n'
    (tmp_path / "w.jsonl").write_bytes(damaged + b'{"note":true}\n')
    with Journal(tmp_path, "w") as journal:
        assert journal.get(key("a")) is None


def test_notes_are_kept_and_are_no_answers(tmp_path):
    with Journal(tmp_path, "w") as journal:
        journal.note({"lost": key("a")})
        assert journal.get(key("a")) is None
    assert json.loads((tmp_path / "w.jsonl").read_text()) == {"note": True, "lost": key("a")}


def test_a_second_writer_is_told_who_holds_the_journal(tmp_path):
    with (
        Journal(tmp_path, "w"),
        pytest.raises(BackendError, match=f"process {os.getpid()} on .*nothing is lost"),
    ):
        Journal(tmp_path, "w", wait=0).__enter__()


def _hold(folder, seconds, ready):
    with Journal(folder, "w") as journal:
        ready.set()
        time.sleep(seconds)
        journal.append(key("a"), {"body": "from the first"})


def test_a_second_writer_waits_and_then_finds_the_answers_of_the_first(tmp_path):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    first = context.Process(target=_hold, args=(tmp_path, 0.3, ready))
    first.start()
    assert ready.wait(10)
    with Journal(tmp_path, "w", wait=10) as journal:
        assert journal.get(key("a"))["body"] == "from the first"
    first.join()


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


def test_ten_thousand_answers_are_indexed_in_well_under_a_second(tmp_path):
    with Journal(tmp_path, "w") as journal:
        for number in range(10_000):
            journal.append(key(str(number)), {"body": "x" * 1000})
    started = time.perf_counter()
    with Journal(tmp_path, "w") as journal:
        assert journal.get(key("9999"))["body"] == "x" * 1000
    assert time.perf_counter() - started < 1
