"""The setting of asking in one process: its own server, the journal, the ledger, the client."""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from contrapose.generate.client import Client
from contrapose.generate.endpoint import server, serving_module
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger
from contrapose.generate.recorded import Recorded
from contrapose.settings.worlds import RECORDED, Connection
from contrapose.tables import RECORDED_ANSWERS, read_table

Result = TypeVar("Result")


def answered(
    work: Callable[[Client], Coroutine[Any, Any, Result]],
    connection: Connection,
    journal: str | Path,
    job: Mapping[str, str],
    recorded: Sequence[str] = (),
    code: str = "",
) -> Result:
    """Run `work` with a client of a language model, or of its recorded answers, and return what it returns.

    The server of an endpoint `python:MODULE` runs in this process, for as long as the work takes.

    `journal`: folder of the journals of this LLM role and model.  It must outlive the job: no rule may output
        it.
    `job`: llm, corpus, prompt and shard: names the job's journal, and appears in the cost table.
    `recorded`: up to one path of the RECORDED_ANSWERS, which need no journal.
    `code`: digest of the package code.  The server of `python:MODULE` is part of it, so its versions stay
        apart.
    """
    pa.set_memory_pool(pa.system_memory_pool())  # the default one takes 30 MB more for a shard's tables
    if connection.endpoint == RECORDED:
        return asyncio.run(work(Recorded(connection, read_table(recorded[0], RECORDED_ANSWERS))))
    writer = f"{job['corpus']}-prompt{job['prompt']}-{job['shard']}"
    folder = journals_of(connection, journal, code)
    with (
        _reachable(connection) as reachable,
        Journal(folder, writer) as state,
        Ledger(folder, writer, reachable) as ledger,
    ):

        async def run() -> Result:
            async with Client(reachable, state, ledger, job) as client:
                return await work(client)

        return asyncio.run(run())


def journals_of(connection: Connection, journal: str | Path, code: str) -> Path:
    """Return the folder that keeps the answers; parameters as for `answered`.

    The answers of a `python:MODULE` depend on its code: each version has its own folder.
    """
    if not serving_module(connection.endpoint):
        return Path(journal)
    return Path(journal) / f"loopback-{hashlib.sha256(code.encode()).hexdigest()[:16]}"


@contextlib.contextmanager
def _reachable(connection: Connection) -> Iterator[Connection]:
    """Yield a connection to a running server."""
    if not serving_module(connection.endpoint):
        yield connection
        return
    with server(connection)() as url:
        yield connection.model_copy(update={"endpoint": url})
