"""Look into the journals of one language model, export or forget their answers."""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pandas as pd

from contrapose.base.errors import ConfigError
from contrapose.generate.journal import FORGOTTEN, JOBS, cut_torn_end, encoded, lines, record
from contrapose.generate.journal.locks import at_work, holder
from contrapose.generate.ledger import BATCHES, sends
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


def journals(folder: Path) -> list[Path]:
    """Return the journals of a folder by name; raise ConfigError if it holds none.

    Those of a server that jobs start are in a folder for its code, inside that of the language model.
    """
    inside = (path for path in folder.glob("*/*.jsonl") if path.parent.name != BATCHES)
    if paths := [path for path in sorted([*folder.glob("*.jsonl"), *inside]) if path.stat().st_size]:
        return paths
    known = sorted({str(path.parent) for path in Path("state/generate").glob("*/*.jsonl")} - {str(folder)})
    raise ConfigError(
        f"{folder}: there are no stored answers of this language model. "
        + (f"There are some in {', '.join(known)}." if known else "A run stores them.")
    )


def inspected(journal: Path) -> Inspected:
    """Summarise one journal; it may still be growing."""
    summary = Inspected(journal.stem, holder(journal.with_suffix(".lock")))
    with open(journal, "rb") as file:
        for line in file:
            summary.bytes += len(line)
            value = record(line)
            if value is None:
                summary.damaged += line.endswith(b"\n")
                summary.torn = 0 if line.endswith(b"\n") else len(line)
                continue
            summary.answers += "key" in value and FORGOTTEN not in value
            if "time" in value:
                summary.times = (summary.times[0] if summary.times else value["time"], value["time"])
    for send in sends(journal):
        summary.sent[send.outcome] += 1
        if send.used is None:
            summary.unknown += 1
        else:
            summary.prompt_tokens += send.used.prompt
            summary.completion_tokens += send.used.completion
    return summary


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


def forget(folder: Path, keys: Collection[str]) -> None:
    """Mark the answers to some requests, which are asked for again; what they cost still counts.

    Each journal is replaced as a whole, so that this may be killed at any moment.  Raises BackendError if a
    job is at work in the folder, or something else has changed a journal.
    """
    paths = journals(folder)
    with at_work(folder / JOBS, alone=True):
        for draft in folder.glob(".*.draft"):  # of a call that was killed
            draft.unlink()
        for journal in paths:
            cut_torn_end(journal)
        for journal in paths:
            with written(journal) as draft, open(draft, "wb") as file:
                file.writelines(_with_forgotten(keys, journal))
                file.flush()
                os.fsync(file.fileno())


def _with_forgotten(keys: Collection[str], journal: Path) -> Iterator[bytes]:
    with open(journal, "rb") as file:
        for line in file:
            value = record(line) or {}
            is_forgotten = value.get("key") in keys and FORGOTTEN not in value
            yield encoded({FORGOTTEN: True, **value}) if is_forgotten else line


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
