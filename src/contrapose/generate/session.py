"""Everything that requests take in one process: its own server, the journal, the ledger, the client."""

import asyncio
import gc
import logging
from asyncio import Runner
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import pyarrow as pa

from contrapose.base.errors import BackendError, BudgetError
from contrapose.generate.attempts import AskAll, Attempts, OnAnswer, attempts_of, replayed
from contrapose.generate.client import Client, RecordedAnswers
from contrapose.generate.endpoint import journals_of, server
from contrapose.generate.estimate import UsageStats, estimated
from contrapose.generate.journal import Journal
from contrapose.generate.ledger import Ledger
from contrapose.generate.llm_requests import LLMRequests, Texts
from contrapose.generate.progress import Progress
from contrapose.generate.refused import Tally
from contrapose.settings.catalogs import RECORDED, Connection, serving_module
from contrapose.tables import RECORDED_ANSWERS, read_table

TURN = 256  # sentences read from the journal between two checks for signals: ~20 ms

logger = logging.getLogger(__name__)


@contextmanager
def session(
    connection: Connection,
    journal: str | Path,
    job: Mapping[str, str],
    recorded: Sequence[str] = (),
    code: str = "",
) -> Iterator[AskAll]:
    """Yield a function that asks a language model, or its recorded answers, about all sentences.

    The server of an endpoint `python:MODULE` runs in this process, until the context ends.

    `journal`: folder of the journals of this LLM role and model.  It must outlive the job: no rule may output
        it.
    `job`: llm, corpus, prompt and shard: names the job's journal, and appears in the cost table.
    `recorded`: up to one path of the RECORDED_ANSWERS, which need no journal.
    `code`: digest of the package code.  The server of `python:MODULE` is part of it, so its versions stay
        apart.
    """
    pa.set_memory_pool(pa.system_memory_pool())  # the default one takes 30 MB more for a shard's tables
    with ExitStack() as stack:
        runner = stack.enter_context(Runner())
        client: Client
        if connection.endpoint == RECORDED:
            client = RecordedAnswers(connection, read_table(recorded[0], RECORDED_ANSWERS))
        else:
            folder = journals_of(connection, journal, code)
            client = stack.enter_context(opened_client(connection, folder, job, runner))

        def ask_all(requests: LLMRequests, texts: Texts, note: str = "") -> list[Attempts]:
            return runner.run(_all_attempts(requests, list(texts), client, note))

        yield ask_all


@contextmanager
def opened_client(
    connection: Connection, folder: Path, job: Mapping[str, str], runner: Runner
) -> Iterator[Client]:
    """Yield a client with the journal and ledger of a folder, and a running server if it is served here."""
    writer = f"{job['corpus']}-prompt{job['prompt']}-{job['shard']}"
    url = connection.endpoint
    served = server(connection)() if serving_module(url) else nullcontext(url)
    with served as url, Journal(folder, writer) as journal, Ledger(folder, writer, connection) as ledger:
        client = Client(connection.model_copy(update={"endpoint": url}), journal, ledger, job)
        runner.run(client.__aenter__())
        try:
            yield client
        finally:
            runner.run(client.__aexit__())


async def _all_attempts(
    requests: LLMRequests, texts: Sequence[tuple[str, str]], client: Client, note: str
) -> list[Attempts]:
    """Take from the journal what it knows, then ask for the rest, up to `max_attempts` paid answers each.

    In the order of the texts.  Raises as `Client.ask`.
    """
    title = f"{requests.llm}, prompt {requests.prompt}{note and f', {note}'}"
    known = Tally()  # also of sentences that are to be asked about again
    attempts = await _replayed(requests, texts, client, known)
    left = [place for place in range(len(texts)) if place not in attempts]
    usage = UsageStats.of(attempts.values())
    estimate = estimated(
        len(attempts), [texts[place][1] for place in left], usage, requests, client.connection
    )
    logger.info("%s: %s", title, estimate)
    tally = Tally(row for one in attempts.values() for row in one.completions)
    if left:
        at_most, role = client.connection.max_invalid_ratio, client.connection.role
        known.check(at_most, title, role)
        progress = Progress(title, len(texts), client)
        for one in attempts.values():
            progress.count(sum(one.tokens), not one.items)

        def on_answer(completion: dict) -> None:
            tally.count(completion)
            try:
                tally.check(at_most, title, role, client.connection.concurrency)
            except BackendError as error:
                raise client.stop(error) from None

        async def answered(place: int) -> None:
            attempts[place] = one = await _tried(*texts[place], requests, client, on_answer)
            progress.count(sum(one.tokens), not one.items)

        with progress:
            try:
                client.ledger.check()
                await worked_off(answered, left, client.connection.concurrency)
            except BudgetError as error:
                done = f"{progress.done} of {len(texts)} sentences are answered"
                raise BudgetError(f"{title}: {done}. {error}") from None
    if tally.codes:
        logger.warning("%s: %s", title, tally)
    return [attempts[place] for place in range(len(texts))]


async def worked_off(work: Callable[[int], Awaitable[None]], places: Sequence[int], workers: int) -> None:
    """Work on every place, at most `workers` at a time; after an error, start no new one and raise it."""
    failures: list[Exception] = []
    waiting = iter(places)

    async def worker() -> None:
        for place in waiting:
            try:
                await work(place)
            except Exception as error:
                failures.append(error)
            await asyncio.sleep(0)  # lets signals and other tasks run even if nothing has to be asked
            if failures:
                return

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(places))):
            group.create_task(worker())
    if failures:
        raise failures[0]


async def _replayed(
    requests: LLMRequests, texts: Sequence[tuple[str, str]], client: Client, tally: Tally
) -> dict[int, Attempts]:
    """Return, by place, every sentence whose attempts are all in the journal; count all answers there."""
    known: dict[int, Attempts] = {}
    gc.disable()  # everything made here is kept: garbage collection takes a twentieth of the time
    try:
        for place, row in enumerate(texts):
            attempts = replayed(*row, requests, client.known, tally.count)
            if isinstance(attempts, Attempts):
                known[place] = attempts
            if place % TURN == 0:
                await asyncio.sleep(0)
    finally:
        gc.enable()
    return known


async def _tried(id: str, text: str, requests: LLMRequests, client: Client, on_answer: OnAnswer) -> Attempts:
    attempts = attempts_of(id, text, requests, on_answer)
    try:
        request = next(attempts)
        while True:
            request = attempts.send(await client.ask(request))
    except StopIteration as end:
        return end.value
