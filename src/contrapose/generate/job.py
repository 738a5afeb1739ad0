"""What surrounds the asking in one process: the loopback server, the journal, the client."""

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from contrapose.config import Connection
from contrapose.generate.client import Client
from contrapose.generate.journal import Journal
from contrapose.generate.loopback.server import loopback_endpoint
from contrapose.generate.paraphrases import Ask

LOOPBACK = "loopback"
KNOWLEDGE = "llm/knowledge.parquet"  # in the data folder of the mini world

Result = TypeVar("Result")


def answered(
    work: Callable[[Ask, int], Awaitable[Result]],
    connection: Connection,
    journal: str | Path,
    writer: str,
    knowledge: Sequence[str] = (),
    code: str = "",
) -> Result:
    """Run `work` with a way to ask a language model, and return what it returns.

    Parameters
    ----------
    work : async function of (ask, concurrency)
    connection : Connection
        Endpoint `loopback` starts the mini world's server in this process, for as long as the work takes.
    journal : path
        Folder of the journals of this LLM role and model.  It must survive the job: no rule's output.
    writer : str
        Name of this job in the journal.
    knowledge : up to one path
        Of the mini world's data folder, or of the file in it that the loopback server reads.
    code : str
        Digest of the package code.  The loopback server is part of it, so its answers are kept apart by it.
    """
    with _served(connection, Path(journal), [Path(path) for path in knowledge], code) as (reachable, folder):

        async def run() -> Result:
            async with Client(reachable, state) as client:
                return await work(client.ask, reachable.concurrency)

        with Journal(folder, writer) as state:
            return asyncio.run(run())


@contextlib.contextmanager
def _served(
    connection: Connection, journal: Path, knowledge: list[Path], code: str
) -> Iterator[tuple[Connection, Path]]:
    """Give a connection that can be reached and the folder of its journals."""
    if connection.endpoint != LOOPBACK:
        yield connection, journal
        return
    files = [path / KNOWLEDGE if path.is_dir() else path for path in knowledge]
    known = hashlib.sha256(b"".join(file.read_bytes() for file in files))
    known.update(code.encode())
    with loopback_endpoint(files[0] if files else None) as url:
        reachable = connection.model_copy(update={"endpoint": url})
        yield reachable, journal / f"loopback-{known.hexdigest()[:16]}"
