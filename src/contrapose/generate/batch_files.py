"""Batches: the same requests at half the price, answered within a day.  OpenAI's Batch API.

Requests that the journal lacks are written into input files and uploaded; their answers are read into the
same journal, so later live jobs and batches ask only for what is left.  A batch holds one attempt at
each sentence.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from contrapose.base.errors import BackendError, BudgetError, ContraposeError
from contrapose.generate.attempts import Attempts, replayed
from contrapose.generate.client import ENDS, known_reply, prices_of_the_day
from contrapose.generate.journal import SHARED, Journal, encoded, journal_file
from contrapose.generate.journal.locks import holder
from contrapose.generate.ledger import BATCHES, IN_FLIGHT, Ledger, sends
from contrapose.generate.llm_requests import CorpusRequests, Texts
from contrapose.generate.outcomes import Reply, judged
from contrapose.generate.requests import Request, Usage, wire_body
from contrapose.settings.catalogs import Connection
from contrapose.tables import written

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Batch

WRITER = "batch"  # of the journal
MOST_REQUESTS, MOST_BYTES = 50_000, 200 * 10**6  # of one input file, by OpenAI's guide
PRICE = 0.5  # share of the price of a live request
URL: Literal["/v1/chat/completions"] = "/v1/chat/completions"
WINDOW: Literal["24h"] = "24h"
ENDED = ("completed", "expired", "cancelled", "failed")


class BatchFiles(NamedTuple):
    """One batch on disk."""

    input: Path  # what is uploaded
    requests: Path  # the sentence and attempt of each line
    out: Path  # {"id": ...} once it is submitted

    @classmethod
    def numbered(cls, folder: Path, number: int) -> "BatchFiles":
        return cls(
            *(folder / BATCHES / f"{number:04}.{end}" for end in ("input.jsonl", "requests.jsonl", "json"))
        )

    def remove(self) -> None:
        for path in (self.input, self.requests, self.out):  # the marker of a submitted batch goes last
            path.unlink(missing_ok=True)


def half_price(connection: Connection) -> Connection:
    """Return the connection with the prices of a batch."""
    halves = connection.prompt_price * PRICE, connection.completion_price * PRICE
    return connection.model_copy(update={"prompt_price": halves[0], "completion_price": halves[1]})


def on_disk(folder: Path) -> list[BatchFiles]:
    """Return the batches of a journal folder, submitted or not."""
    inputs = sorted((folder / BATCHES).glob("*.input.jsonl"))
    return [BatchFiles.numbered(folder, int(path.name.split(".")[0])) for path in inputs]


def write(
    requests: Iterable[tuple[CorpusRequests, Texts]], connection: Connection, folder: Path
) -> list[BatchFiles]:
    """Write the requests that the journal in `folder` lacks, the next attempt at each sentence, into files.

    The requests about a corpus come with (id, text) of its sentences.  Raises BudgetError if the worst case,
    at half the price, would exceed the budget, and BackendError if a batch is in progress.
    """
    with Journal(folder, WRITER) as journal, Ledger(folder, WRITER, half_price(connection)) as ledger:
        ledger.check()
        for old in on_disk(folder):
            old.remove()
        pieces = list(_pieces(_unanswered(requests, journal), connection, folder))
        worst_case = _worst_case(record for files in pieces for record in _records(files.requests))
        try:
            asyncio.run(ledger.reserve(worst_case))
        except BudgetError:
            for files in pieces:
                files.remove()
            raise
        ledger.release(worst_case)
    return pieces


def _unanswered(
    requests: Iterable[tuple[CorpusRequests, Texts]], journal: Journal
) -> Iterator[tuple[str, Request]]:
    """Yield corpus and request of each next attempt; every request once."""
    written = set[str]()

    def known(request: Request) -> Reply | None:
        return known_reply(journal, request.key)

    for each, texts in requests:
        for id, text in texts:
            if each.source:  # the next batch asks about answers still missing now
                before = replayed(id, text, each.source, known)
                if not isinstance(before, Attempts) or not before.items:
                    continue
                text = before.items[0]
            next_one = replayed(id, text, each.requests, known)
            if isinstance(next_one, Request) and next_one.key not in written:
                written.add(next_one.key)
                yield each.corpus, next_one


def _pieces(
    requests: Iterable[tuple[str, Request]], connection: Connection, folder: Path
) -> Iterator[BatchFiles]:
    lines: list[tuple[bytes, bytes]] = []
    size = number = 0
    for corpus, request in requests:
        line = _input_line(request, connection)
        if lines and (len(lines) == MOST_REQUESTS or size + len(line) > MOST_BYTES):
            number += 1
            yield _piece(lines, BatchFiles.numbered(folder, number))
            lines, size = [], 0
        lines.append((line, encoded(_record(corpus, request))))
        size += len(line)
    if lines:
        yield _piece(lines, BatchFiles.numbered(folder, number + 1))


def _piece(lines: Sequence[tuple[bytes, bytes]], files: BatchFiles) -> BatchFiles:
    for path, column in ((files.requests, 1), (files.input, 0)):
        with written(path) as draft:
            draft.write_bytes(b"".join(line[column] for line in lines))
    return files


def _input_line(request: Request, connection: Connection) -> bytes:
    body = wire_body(request.body, connection.max_tokens_name)
    return encoded({"custom_id": request.key, "method": "POST", "url": URL, "body": body})


def _record(corpus: str, request: Request) -> dict:
    return {"key": request.key, "corpus": corpus, **request.about, "most": request.worst_case}


def submit(connection: Connection, folder: Path, client: "OpenAI") -> list[str]:
    """Upload the input files and start their batches; return the ids of all submitted batches.

    May be killed and called again: a batch that was started is found at the endpoint by its name.  Raises
    BudgetError if the worst case would exceed the budget, BackendError if a job sends live requests at the
    same time, or has done so meanwhile.
    """
    with Journal(folder, WRITER) as journal, Ledger(folder, WRITER, half_price(connection)) as ledger:
        under_way = _under_way(journal)
        return [
            _submitted(files, connection, journal, ledger, client, under_way) for files in on_disk(folder)
        ]


def _submitted(
    files: BatchFiles,
    connection: Connection,
    journal: Journal,
    ledger: Ledger,
    client: "OpenAI",
    under_way: set[str],
) -> str:
    began = files.out.exists()
    if began and (id := json.loads(files.out.read_bytes())["id"]):
        return id
    _mark(files, "")  # before looking for other jobs: one that starts later sees it
    new = _not_sent(files, journal, under_way)
    worst_case = _worst_case(new)
    try:
        _refuse_beside_others(journal.folder)
        if any(known_reply(journal, record["key"]) for record in _records(files.requests)):
            raise BackendError(
                f"{files.input}: some of its requests have been answered in the meantime. Write the "
                "batches again."
            )
        asyncio.run(ledger.reserve(worst_case))
    except ContraposeError:
        if not began:
            files.out.unlink()
        raise
    name = f"{connection.role} {_sha256(files.input)}"
    batch = (_batch_named(name, client) if began else None) or _created(files, name, client)
    _note_sent(new, connection, journal)
    ledger.unknown(worst_case)
    _mark(files, batch.id)
    return batch.id


def _created(files: BatchFiles, name: str, client: "OpenAI") -> "Batch":
    with files.input.open("rb") as content:
        file = client.files.create(file=content, purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint=URL, completion_window=WINDOW, metadata={"name": name}
    )


def _batch_named(name: str, client: "OpenAI") -> "Batch | None":
    named = (batch for batch in client.batches.list() if (batch.metadata or {}).get("name") == name)
    return next(named, None)


def _refuse_beside_others(folder: Path) -> None:
    for lock in sorted(folder.glob("*.lock")):
        if lock.stem != WRITER and (by := holder(lock)):
            raise BackendError(
                f"{lock}: {by} is sending live requests. With the batches, some answers would be paid "
                "for twice. Wait until it has ended."
            )


def _worst_case(records: Iterable[Mapping]) -> Usage:
    return reduce(Usage.plus, (Usage(*record["most"]) for record in records), Usage(0, 0))


def _under_way(journal: Journal) -> set[str]:
    return {send.key for send in sends(journal_file(journal.folder, WRITER)) if send.outcome == IN_FLIGHT}


def _not_sent(files: BatchFiles, journal: Journal, under_way: set[str]) -> list[dict]:
    """Return the requests of a batch that are neither answered nor in flight."""
    records = (record for record in _records(files.requests) if record["key"] not in under_way)
    return [record for record in records if known_reply(journal, record["key"]) is None]


def _note_sent(records: Iterable[Mapping], connection: Connection, journal: Journal) -> None:
    """Record that requests are sent, at half the price."""
    prices = prices_of_the_day(half_price(connection))
    for (corpus, prompt), group in groupby(records, lambda record: (record["corpus"], record["prompt"])):
        job = {"llm": connection.role, "corpus": corpus, "prompt": prompt, "shard": WRITER}
        journal.note({"job": job, "prices": prices})
        for record in group:
            about = {name: value for name, value in record.items() if name not in ("key", "corpus")}
            journal.sent(record["key"], about)


def fetch(connection: Connection, folder: Path, client: "OpenAI") -> list[str]:
    """Read the finished batches; return the result of each as readable text."""
    said = []
    with Journal(folder, WRITER) as journal:
        under_way = _under_way(journal)
        for files in on_disk(folder):
            id = json.loads(files.out.read_bytes())["id"] if files.out.exists() else ""
            if not id:
                said.append(
                    f"{files.input}: this batch is not submitted, or only in part. Submit it with "
                    "contrapose batch submit"
                )
                continue
            batch = client.batches.retrieve(id)
            if batch.status in ENDED:
                named = [file for file in (batch.output_file_id, batch.error_file_id) if file]
                content = [line for file in named for line in client.files.content(file).content.splitlines()]
                said.append(f"{id}: {batch.status}, {_taken(content, files, connection, journal, under_way)}")
            else:
                said.append(f"{id}: the batch is {batch.status}, so its answers are not available yet")
    return said


def read(paths: Sequence[Path], connection: Connection, folder: Path) -> list[str]:
    """Read output and error files of finished batches that a person has downloaded.

    A batch with an answer in one of the files is over: requests in none of them are unanswered.  Raises
    BackendError if no line belongs to any of the batches.
    """
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    keys = {json.loads(line)["custom_id"] for line in lines if line.strip()}
    with Journal(folder, WRITER) as journal:
        under_way = _under_way(journal)
        said = [
            f"{files.input}: {_taken(lines, files, connection, journal, under_way)}"
            for files in on_disk(folder)
            if keys & {record["key"] for record in _records(files.requests)}
        ]
    if not said:
        raise BackendError(
            f"{paths[0]}: the file contains no answer to a batch in {folder / BATCHES}. Check that it "
            "belongs to this model."
        )
    return said


def _taken(
    lines: Iterable[bytes], files: BatchFiles, connection: Connection, journal: Journal, under_way: set[str]
) -> str:
    """Put answers and errors of one batch into the journal, in any order, and remove it; may be repeated."""
    left = {record["key"]: record for record in _records(files.requests)}
    _note_sent(_not_sent(files, journal, under_way), connection, journal)  # if uploaded by hand
    counts = {"answered": 0, "not answered": 0}
    for line in filter(bytes.strip, lines):
        came = json.loads(line)
        record = left.pop(came["custom_id"], None)
        if record is not None and known_reply(journal, record["key"]) is None:
            answered = _keep(record, came, journal)
            counts["answered" if answered else "not answered"] += 1
    for key in left:
        if known_reply(journal, key) is None:
            journal.unanswered(key, {"outcome": "batch_expired", "paid": "no"})
            counts["not answered"] += 1
    files.remove()
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _keep(record: Mapping, came: Mapping, journal: Journal) -> bool:
    """Put one line of an output or error file into the journal; return whether the request is answered."""
    response = came.get("response")
    if not response:
        error = (came.get("error") or {}).get("code") or "batch_failed"
        journal.unanswered(record["key"], {"outcome": error, "paid": "no"})
        return False
    body = json.dumps(response["body"], ensure_ascii=False)
    reply = judged(response["status_code"], body)
    if reply.outcome.action not in ENDS:
        journal.unanswered(record["key"], {"outcome": reply.outcome.name, "paid": reply.outcome.paid})
        return False
    about = {name: record[name] for name in SHARED}
    about |= {"outcome": reply.outcome.name, "status": response["status_code"], "time": round(time.time(), 3)}
    journal.append(record["key"], {**about, "body": body})
    return True


def _records(path: Path) -> Iterator[dict]:
    with path.open("rb") as lines:
        yield from map(json.loads, lines)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mark(files: BatchFiles, id: str) -> None:
    with written(files.out) as draft:
        draft.write_bytes(encoded({"id": id}))
