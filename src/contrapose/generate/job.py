"""What surrounds the asking in one process: a server of its own, the journal, the ledger, the client."""

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

# In the data folder of the mini world: its English sentences and those Chinese ones that are translated.
KNOWLEDGE = ("llm/knowledge.parquet", "llm/knowledge_zh.parquet")

Result = TypeVar("Result")


def answered(
    work: Callable[[Client], Coroutine[Any, Any, Result]],
    connection: Connection,
    journal: str | Path,
    job: Mapping[str, str],
    knowledge: Sequence[str] = (),
    code: str = "",
) -> Result:
    """Run `work` with a client of a language model, or of its recorded answers, and return what it returns.

    Parameters
    ----------
    work : async function of a Client
    connection : Connection
        The server of an endpoint `python:MODULE` runs in this process, for as long as the work takes.
    journal : path
        Folder of the journals of this LLM role and model.  It must survive the job: no rule's output.
    job : mapping
        llm, corpus, prompt and shard: names the job's journal, and stands in the table of costs.
    knowledge : up to one path
        Of the mini world's data folder, or of a file that the server of `python:MODULE` reads; of the
        RECORDED_ANSWERS, which need no journal.
    code : str
        Digest of the package code.  The server of `python:MODULE` is part of it: it keeps the answers apart.
    """
    pa.set_memory_pool(pa.system_memory_pool())  # the default one takes 30 MB more for a shard's tables
    if connection.endpoint == RECORDED:
        return asyncio.run(work(Recorded(connection, read_table(knowledge[0], RECORDED_ANSWERS))))
    writer = f"{job['corpus']}-prompt{job['prompt']}-{job['shard']}"
    folder = journals_of(connection, journal, knowledge, code)
    with (
        _reachable(connection, knowledge) as reachable,
        Journal(folder, writer) as state,
        Ledger(folder, writer, reachable) as ledger,
    ):

        async def run() -> Result:
            async with Client(reachable, state, ledger, job) as client:
                return await work(client)

        return asyncio.run(run())


def journals_of(connection: Connection, journal: str | Path, knowledge: Sequence[str], code: str) -> Path:
    """Return the folder that keeps the answers; parameters as of `answered`.

    The answers of a `python:MODULE` depend on what it knows and on its code: each has a folder of its own.
    """
    if not serving_module(connection.endpoint):
        return Path(journal)
    known = hashlib.sha256(b"".join(file.read_bytes() for file in _files(knowledge)))
    known.update(code.encode())
    return Path(journal) / f"loopback-{known.hexdigest()[:16]}"


@contextlib.contextmanager
def _reachable(connection: Connection, knowledge: Sequence[str]) -> Iterator[Connection]:
    """Give a connection to a server that is there."""
    if not serving_module(connection.endpoint):
        yield connection
        return
    with server(connection)(*_files(knowledge)) as url:
        yield connection.model_copy(update={"endpoint": url})


def _files(knowledge: Sequence[str]) -> list[Path]:
    paths = list(map(Path, knowledge))
    inside = [path / name for path in paths if path.is_dir() for name in KNOWLEDGE]
    return [*inside, *(path for path in paths if not path.is_dir())]
