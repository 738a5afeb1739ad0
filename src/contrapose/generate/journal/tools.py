"""`contrapose journal inspect|export|compact FOLDER`: the journals of one language model."""

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path

import pandas as pd

from contrapose.directory import with_directory
from contrapose.errors import ConfigError
from contrapose.generate.journal import FOLDED, JOBS, SHARED, encoded, lines, record
from contrapose.generate.journal.locks import alone, holder
from contrapose.generate.ledger import sends
from contrapose.generate.outcomes import judged
from contrapose.tables import ANSWERS, ROWS_PER_GROUP, TableWriter, written


@dataclass
class Inspected:
    """What one journal holds."""

    writer: str
    held: str  # by which process; empty if by none
    answers: int = 0
    sent: Counter[str] = field(default_factory=Counter)  # requests by outcome
    unknown: int = 0  # of these, without a token count
    prompt_tokens: int = 0
    completion_tokens: int = 0
    times: tuple[float, float] | None = None  # of the first and the last line that has one, since 1970
    bytes: int = 0
    damaged: int = 0  # lines
    torn: int = 0  # bytes after the last whole line


def main(arguments: list[str]) -> None:
    """Look into the journals of a language model, export the answers, or make the files smaller."""
    parser = argparse.ArgumentParser(prog="contrapose journal", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "print what each journal holds and who writes it"),
        ("export", "write every answer as a row of a Parquet file"),
        ("compact", "make the files smaller; no answer and no cost is lost"),
    ):
        command = commands.add_parser(name, help=says, description=says)
        with_directory(command)
        command.add_argument("folder", type=Path, help="of one language model: state/generate/ROLE-MODEL")
        if name == "export":
            command.add_argument("table", type=Path, help="FILE.parquet")
    options = parser.parse_args(arguments)
    if options.command == "inspect":
        for journal in journals(options.folder):
            print(_described(inspected(journal)))
    elif options.command == "export":
        print(f"{options.table}: {export(options.folder, options.table):,} answers")
    else:
        before, after = compact(options.folder)
        print(f"{options.folder}: {before:,} bytes before, {after:,} after")


def _described(journal: Inspected) -> str:
    sent = ", ".join(f"{count:,} {name}" for name, count in journal.sent.most_common()) or "nothing"
    text = [
        f"{journal.writer}: {journal.answers:,} answers, {journal.bytes:,} bytes, "
        f"held by {journal.held or 'nobody'}",
        f"  sent: {sent}",
        f"  tokens: {journal.prompt_tokens:,} of prompts, {journal.completion_tokens:,} of answers, "
        f"those of {journal.unknown:,} requests unknown",
    ]
    if journal.times:
        first, last = (datetime.fromtimestamp(time).isoformat(" ", "seconds") for time in journal.times)
        text.append(f"  from {first} to {last}")
    if journal.damaged or journal.torn:
        text.append(f"  {journal.damaged} damaged lines, {journal.torn} bytes of a torn end")
    return "\n".join(text)


def journals(folder: Path) -> list[Path]:
    """Return the journals of a folder by name; raise ConfigError if it holds none."""
    found = sorted(folder.glob("*.jsonl"))
    if not found:
        raise ConfigError(
            f"{folder}: no journals (*.jsonl) here. Give the folder of one language model, such as "
            f"state/generate/ROLE-MODEL."
        )
    return found


def inspected(journal: Path) -> Inspected:
    """Summarise one journal; it may still be growing."""
    found = Inspected(journal.stem, holder(journal.with_suffix(".lock")))
    with open(journal, "rb") as file:
        for line in file:
            found.bytes += len(line)
            value = record(line)
            if value is None:
                found.damaged += line.endswith(b"\n")
                found.torn = 0 if line.endswith(b"\n") else len(line)
                continue
            found.answers += "key" in value
            if "time" in value:
                found.times = (found.times[0] if found.times else value["time"], value["time"])
    for send in sends(journal):
        found.sent[send.outcome] += 1
        if send.used is None:
            found.unknown += 1
        else:
            found.prompt_tokens += send.used.prompt
            found.completion_tokens += send.used.completion
    return found


def export(folder: Path, table: Path) -> int:
    """Write all answers as an ANSWERS table and return their number.  Memory: some ten thousand answers."""
    number = 0
    with TableWriter(table, ANSWERS) as writer:
        for journal in journals(folder):
            answers = _answers(journal)
            while rows := list(islice(answers, ROWS_PER_GROUP)):
                # Missing counts stay missing, and whole numbers whole.
                kinds = {"prompt_tokens": "Int32", "completion_tokens": "Int32"}
                writer.write(pd.DataFrame(rows, columns=ANSWERS.columns).astype(kinds))
                number += len(rows)
    return number


def compact(folder: Path) -> tuple[int, int]:
    """Make the journals of a folder smaller; every answer and every cost stays the same.

    A request and its answer become one line, and damaged lines are dropped.  Each journal is replaced as a
    whole, so the compaction may be killed at any moment.  Returns the bytes of all journals before and after.
    Raises BackendError if a job is at work in the folder.
    """
    before = after = 0
    found = journals(folder)
    with alone(folder / JOBS):
        for draft in folder.glob(".*.draft"):  # of a compaction that was killed
            draft.unlink()
        for journal in found:
            before += journal.stat().st_size
            with written(journal) as draft, open(draft, "wb") as file:
                file.writelines(_compacted(journal))
                file.flush()
                os.fsync(file.fileno())
            after += journal.stat().st_size
    return before, after


def _compacted(journal: Path) -> Iterator[bytes]:
    """Yield the lines of a journal, with each send folded into its answer.

    Not across a note: the answer would be counted with the job and the prices of the wrong one.
    """
    pending: dict[str, dict] = {}
    with open(journal, "rb") as file:
        for value in filter(None, map(record, file)):
            if "note" in value:
                yield from map(encoded, pending.values())
                pending.clear()
            key = value.get("sent") or value.get("key") or value.get("unanswered") or ""
            send = pending.pop(key, None) if FOLDED not in value else None
            if send and "key" in value and all(value[name] == send.get(name) for name in SHARED):
                value[FOLDED] = {name: send[name] for name in send if name not in ("sent", *SHARED)}
            elif send:
                yield encoded(send)
            if "sent" in value:
                pending[key] = value
            else:
                yield encoded(value)
    yield from map(encoded, pending.values())


def _answers(journal: Path) -> Iterator[dict[str, object]]:
    values = (value for value in lines(journal) if "key" in value)
    for number, value in enumerate(values):
        status, body = value.get("status", 0), value.get("body", "")
        answer = judged(status, body).answer
        yield {
            "writer": journal.stem,
            "number": number,
            "asked_model": value["model"],
            **{name: value.get(name) for name in ("key", "sentence_id", "prompt", "attempt", "outcome")},
            **{name: value.get(name) for name in ("seconds", "time")},
            "status": status,
            "answer": answer.text,
            "finish_reason": answer.finish_reason,
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "model": answer.model,
        }
