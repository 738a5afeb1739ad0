import json
import os
import signal
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from contrapose.base.errors import BackendError, ConfigError
from contrapose.generate.journal import Journal, encoded, lines
from contrapose.generate.journal.locks import at_work
from contrapose.generate.journal.tools import Inspected, forget, inspected, journals
from contrapose.generate.ledger import sends
from contrapose.tables import ANSWERS, read_table
from contrapose.tools.journal import main
from tests.checkout import HOME
from tests.unit.generate.scripted_endpoint import body

NOTE = {
    "job": {"llm": "chatgpt", "corpus": "c", "prompt": "1", "shard": "0-of-2"},
    "prices": {"prompt": 2.0, "completion": 3.0, "as_of": None},
}


def key(name):
    return name.encode().hex().ljust(64, "0")


def about(name):
    return {"sentence_id": name, "prompt": "1", "attempt": 0, "model": "tiny"}


def send(journal, name):
    journal.sent(key(name), {**about(name), "most": [100, 600]})


def answer(journal, name, content=None, time=1000.0):
    text = json.dumps(body(f"Köln {name}")) if content is None else content
    more = {"outcome": "answer", "status": 200, "seconds": 0.5, "time": time, "body": text}
    journal.append(key(name), {**about(name), **more})


def fill(folder):
    """Write what two lives of one job and another job leave: every way in which a send can end."""
    with Journal(folder, "a") as journal:
        journal.note(NOTE)
        send(journal, "one")
        send(journal, "killed")
        send(journal, "two")
        answer(journal, "two")
        answer(journal, "one", time=1003.0)
    with Journal(folder, "a") as journal:
        journal.note(NOTE)
        send(journal, "killed")
        journal.unanswered(key("killed"), {"outcome": "rate_limit", "paid": "no"})
        send(journal, "killed")
        answer(journal, "killed", time=1007.5)
        send(journal, "lost")
        journal.unanswered(key("lost"), {"outcome": "lost", "paid": "unknown"})
    with Journal(folder, "b") as journal:
        send(journal, "no usage")
        answer(journal, "no usage", '{"choices": []}')
        send(journal, "one")  # paid twice
        answer(journal, "one")
        journal.append(key("hard"), {**about("hard"), "outcome": "unserved", "status": 500, "body": "oops"})


def held(folder):
    """Return the answers, the costs and the notes of a folder's journals."""
    names = ("one", "two", "killed", "lost", "no usage", "hard")
    with Journal(folder, "reader") as journal:
        answers = {name: journal.get(key(name)) for name in names}
    files = [folder / f"{name}.jsonl" for name in "ab"]
    notes = [[value for value in lines(file) if "note" in value] for file in files]
    return answers, [sorted(sends(file)) for file in files], notes


def test_an_inspection_counts_what_was_sent_and_what_came_of_it(tmp_path):
    fill(tmp_path)
    assert inspected(tmp_path / "a.jsonl") == Inspected(
        writer="a", held="", answers=3,
        sent=Counter({"answer": 3, "in flight": 1, "rate_limit": 1, "lost": 1}),
        unknown=2, prompt_tokens=3 * 7, completion_tokens=3 * 11, times=(1000.0, 1007.5),
        bytes=(tmp_path / "a.jsonl").stat().st_size,
    )  # fmt: skip


def test_an_inspection_says_who_writes_a_journal_and_what_is_broken_in_it(tmp_path, capsys):
    with Journal(tmp_path, "w") as journal:
        answer(journal, "one")
        with open(tmp_path / "w.jsonl", "ab") as file:
            file.write(b'{"key":\0\n{"sent"')
        main(["inspect", str(tmp_path)])
    printed = capsys.readouterr().out
    assert f"locked by process {os.getpid()} on" in printed
    assert "1 damaged line, and 7 bytes of an incomplete last line" in printed


def test_a_language_model_is_named_as_in_the_catalog(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "state/generate/writer-tiny")
    requests = SimpleNamespace(journal=lambda llm: f"{llm}-tiny")
    project = SimpleNamespace(config=SimpleNamespace(pathvars={}), llm_requests=requests)
    monkeypatch.setattr("contrapose.tools.journal.project_of", lambda config: project)
    main(["inspect", "writer"])
    said = capsys.readouterr().out
    assert said.startswith("state/generate/writer-tiny has the answers of 2 jobs:\nJob a: 3 answers")


def test_an_empty_file_hides_no_answers_of_a_server_that_jobs_start(tmp_path):
    fill(tmp_path / "loopback-1")
    (tmp_path / "forget.jsonl").touch()
    assert [path.name for path in journals(tmp_path)] == ["a.jsonl", "b.jsonl"]


def test_a_name_without_stored_answers_is_told(monkeypatch):
    monkeypatch.chdir(HOME / "examples/wiki")
    with pytest.raises(ConfigError, match=r"answers\.csv: the name of the file must end in \.parquet"):
        main(["export", "writer", "answers.csv"])
    for name, says in (("writer", "is a recording"), ("nobody", "has no entry 'nobody'")):
        with pytest.raises(ConfigError, match=says):
            main(["inspect", name])


@pytest.mark.parametrize("rows_at_once", [2, 10])
def test_an_export_has_a_row_for_every_answer(tmp_path, capsys, monkeypatch, rows_at_once):
    monkeypatch.setattr("contrapose.generate.journal.tools.ROWS_PER_GROUP", rows_at_once)
    fill(tmp_path)
    main(["export", str(tmp_path), str(tmp_path / "answers.parquet")])
    assert "6 answers" in capsys.readouterr().out
    rows = read_table(tmp_path / "answers.parquet", ANSWERS).set_index(["writer", "number"])
    assert list(rows.sentence_id) == ["two", "one", "killed", "no usage", "one", "hard"]
    assert dict(rows.loc["a", 1]) == {
        "key": key("one"), "sentence_id": "one", "prompt": "1", "attempt": 0, "asked_model": "tiny",
        "outcome": "answer", "status": 200, "answer": "Köln one", "finish_reason": "stop",
        "prompt_tokens": 7, "completion_tokens": 11, "model": "tiny-2025", "seconds": 0.5, "time": 1003.0,
    }  # fmt: skip
    assert rows.prompt_tokens.isna().tolist() == [False, False, False, True, False, True]
    assert rows.loc["b", 2].outcome == "unserved"


def test_a_forgotten_answer_is_asked_for_again_and_its_cost_stays(tmp_path):
    fill(tmp_path)
    with open(tmp_path / "b.jsonl", "ab") as file:
        file.write(b'{"torn')
    answers, costs, notes = held(tmp_path)
    forget(tmp_path, {key("one"), key("two")})
    left, again, same = held(tmp_path)
    assert left == answers | {"one": None, "two": None}  # `one` was in both journals
    assert same == notes
    outcomes = [[send._replace(outcome="") for send in each] for each in (*costs, *again)]
    assert outcomes[:2] == outcomes[2:]
    assert [Counter(send.outcome for send in each)["forgotten"] for each in again] == [2, 1]
    assert inspected(tmp_path / "a.jsonl").answers == 1
    forget(tmp_path, {key("one")})
    assert held(tmp_path) == (left, again, notes)
    with Journal(tmp_path, "a") as journal:
        send(journal, "one")
        answer(journal, "one", time=2000.0)
        assert journal.get(key("one"))["time"] == 2000.0
    assert len(list(sends(tmp_path / "a.jsonl"))) == len(costs[0]) + 1


def test_where_forgetting_is_killed_every_journal_is_whole_and_the_next_one_ends_it(tmp_path):
    def kept():
        """Return all answers but one, all costs and notes."""
        answers, costs, notes = held(tmp_path)
        return answers | {"one": ...}, [[send._replace(outcome="") for send in each] for each in costs], notes

    fill(tmp_path)
    undisturbed = kept()
    script = f"""if True:
        import os, signal, sys
        from pathlib import Path
        from contrapose.generate.journal.tools import forget
        moments = iter(range(int(sys.argv[2])))
        real = os.fsync
        os.fsync = lambda file: real(file) if next(moments, None) is not None else os.kill(os.getpid(), 9)
        folder = Path(sys.argv[1])
        forget(folder, {{{key("one")!r}}})
    """
    for moment in range(2):  # before each journal that holds something is written
        job = subprocess.run([sys.executable, "-c", script, tmp_path, str(moment)], check=False)
        assert job.returncode == -signal.SIGKILL
        assert list(tmp_path.glob(".*.draft"))
        assert kept() == undisturbed
    subprocess.run([sys.executable, "-c", script, tmp_path, "2"], check=True)
    assert kept() == undisturbed
    assert held(tmp_path)[0]["one"] is None
    assert not list(tmp_path.glob(".*.draft"))


def test_forgetting_refuses_while_a_job_is_at_work_and_the_other_way_round(tmp_path):
    with Journal(tmp_path, "w") as journal:
        answer(journal, "one")
        with pytest.raises(BackendError, match=rf"w \(process {os.getpid()} on .*\) uses this folder\. Wait"):
            forget(tmp_path, [])
    with (
        at_work(tmp_path / "jobs", alone=True),
        pytest.raises(BackendError, match=r"is changing the stored answers\. Run the same command again"),
    ):
        Journal(tmp_path, "w").__enter__()


def test_a_journal_that_an_earlier_version_made_smaller_is_read(tmp_path):
    with Journal(tmp_path, "a") as journal:
        journal.note(NOTE)
        send(journal, "one")
        answer(journal, "one")
    whole = list(sends(tmp_path / "a.jsonl"))
    note, sent, kept = lines(tmp_path / "a.jsonl")
    folded = kept | {"send": {"most": sent["most"]}}
    (tmp_path / "a.jsonl").write_bytes(encoded(note) + encoded(folded))
    assert list(sends(tmp_path / "a.jsonl")) == whole
    with Journal(tmp_path, "b") as journal:
        assert journal.get(key("one")) == kept
