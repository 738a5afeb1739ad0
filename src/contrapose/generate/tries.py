"""The tries of a sentence: ask until an answer is usable, whatever is asked for."""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from contrapose.errors import BudgetError
from contrapose.generate.client import Client
from contrapose.generate.continuation import one_continuation
from contrapose.generate.estimate import TokenUsage, estimated
from contrapose.generate.jobs import AskingJob
from contrapose.generate.negative import one_negative
from contrapose.generate.outcomes import BROKEN_BODY, CUT, UNSAID, Action, Reply
from contrapose.generate.parsing import Refusal, five_paraphrases
from contrapose.generate.progress import Progress
from contrapose.generate.prompts import Request, TokenSum, request
from contrapose.generate.translation import any_translation, one_translation
from contrapose.tables import COMPLETIONS, SENTENCES, Table, open_table

READERS = {
    "paraphrases": five_paraphrases,
    "negative": one_negative,
    "translation": one_translation,
    "any_translation": any_translation,
    "continuation": one_continuation,
}
TURN = 256  # sentences read from the journal between two checks for signals: ~20 ms

logger = logging.getLogger(__name__)


class Tried(NamedTuple):
    """All tries of one sentence."""

    id: str
    items: tuple[str, ...]  # five paraphrases, one text of another kind, or none
    completions: tuple[dict[str, object], ...]

    @property
    def reason(self) -> str:
        """Why the last try was not accepted; empty if it was."""
        return str(self.completions[-1]["refused"])

    @property
    def tokens(self) -> TokenSum:
        """Tokens of all tries, as far as the server reported them."""
        counts = ("prompt_tokens", "completion_tokens")
        return TokenSum(*(sum(one[name] or 0 for one in self.completions) for name in counts))  # type: ignore


def shard_rows(count: int, shard: int, shards: int) -> slice:
    """Return the rows of one shard: shards are neighbouring slices, equal in size up to one row."""
    return slice(*(count * number // shards for number in (shard, shard + 1)))


def read_shard(path: str | Path, shard: int, shards: int) -> pd.DataFrame:
    """Read `id` and `text` of one shard of a SENTENCES table, and no more than the shard into memory.

    Raises TableError if the file is missing or is not this table.
    """
    with open_table(path, SENTENCES) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        rows = shard_rows(sum(sizes), shard, shards)
        starts = [sum(sizes[:group]) for group in range(len(sizes))]
        ours = [
            group
            for group, (start, size) in enumerate(zip(starts, sizes, strict=True))
            if start < rows.stop and start + size > rows.start
        ]
        found = file.read_row_groups(ours, columns=["id", "text"])
    skipped = rows.start - starts[ours[0]] if ours else 0
    return found.slice(skipped, rows.stop - rows.start).to_pandas()


async def all_tried(
    rows: Sequence[tuple[str, str]], job: AskingJob, client: Client, title: str
) -> list[Tried]:
    """Take from the journal what it knows, then ask for the rest, up to `asked.tries` paid answers each.

    In the order of the rows, (id, text).  `title` starts the lines of the log.  Raises as `Client.ask`.
    """
    tried = await _replayed(rows, job, client)
    left = [place for place in range(len(rows)) if place not in tried]
    texts = [rows[place][1] for place in left]
    logger.info("%s: %s", title, estimated(len(tried), texts, _seen(tried.values()), job, client.connection))
    if not left:
        return list(tried.values())
    progress = Progress(title, len(rows), client)
    for one in tried.values():
        progress.count(sum(one.tokens), not one.items)
    async with progress:

        async def counted(place: int) -> None:
            tried[place] = one = await _asked(*rows[place], job, client)
            progress.count(sum(one.tokens), not one.items)

        try:
            client.ledger.check()
            await _worked_off(counted, left, client.concurrency)
        except BudgetError as error:
            answered = f"{progress.done} of {len(rows)} sentences are answered"
            raise BudgetError(f"{title}: {answered}. {error}") from None
    return [tried[place] for place in range(len(rows))]


async def _worked_off(work: Callable[[int], Awaitable[None]], places: Iterable[int], workers: int) -> None:
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
        for _ in range(workers):
            group.create_task(worker())
    if failures:
        raise failures[0]


async def _replayed(rows: Sequence[tuple[str, str]], job: AskingJob, client: Client) -> dict[int, Tried]:
    """Return, by place, every sentence whose tries are all in the journal."""
    tried: dict[int, Tried] = {}
    gc.disable()  # everything made here is kept: garbage collection takes a twentieth of the time
    try:
        for place, row in enumerate(rows):
            found = replayed(*row, job, client.known)
            if isinstance(found, Tried):
                tried[place] = found
            if place % TURN == 0:
                await asyncio.sleep(0)
    finally:
        gc.enable()
    return tried


def _seen(tried: Collection[Tried]) -> TokenUsage:
    tokens = [one.tokens for one in tried]
    total = TokenSum(sum(one.prompt for one in tokens), sum(one.completion for one in tokens))
    return TokenUsage(len(tried), sum(len(one.completions) for one in tried), total)


def replayed(id: str, text: str, job: AskingJob, known: Callable[[Request], Reply | None]) -> Tried | Request:
    """Return all tries of a sentence if they are known, else the first unknown request.  Nothing is sent."""
    tries = _tries(id, text, job)
    try:
        request = next(tries)
        while (reply := known(request)) is not None:
            request = tries.send(reply)
    except StopIteration as end:
        return end.value
    return request


async def _asked(id: str, text: str, job: AskingJob, client: Client) -> Tried:
    tries = _tries(id, text, job)
    try:
        request = next(tries)
        while True:
            request = tries.send(await client.ask(request))
    except StopIteration as end:
        return end.value


def _tries(id: str, text: str, job: AskingJob) -> Generator[Request, Reply, Tried]:
    """Yield requests until an answer is accepted, the tries are used up or another would be pointless."""
    completions: list[dict[str, object]] = []
    max_tokens, before = job.asked.max_tokens, None
    for attempt in range(job.asked.tries):
        reply = yield request(id, text, job.prompt, job.text, job.asked, attempt, max_tokens, job.entry)
        found = _verdict(reply, text, job)
        refused = found if isinstance(found, str) else ""
        completions.append(_completion(id, job, attempt, reply, refused))
        if not refused:
            return Tried(id, tuple(found), tuple(completions))
        if reply.outcome.action is Action.GIVE_UP:
            break
        if reply.outcome in (CUT, UNSAID):
            max_tokens *= 2
        elif reply.outcome is not BROKEN_BODY:
            greedy = job.asked.temperature == 0 and not job.asked.send_seed
            if greedy or (reply.answer.text.strip() and reply.answer.text == before):
                break  # a server that decodes greedily gives the same bad answer again
        before = reply.answer.text
    return Tried(id, (), tuple(completions))


def _verdict(reply: Reply, source: str, job: AskingJob) -> list[str] | str:
    """Return the items of the answer, or a short code for why it is unusable."""
    if reply.outcome.action is not Action.ACCEPT:
        return reply.outcome.name
    found = READERS[job.wanted](reply.answer.text, reply.answer.finish_reason, source)
    return found.value if isinstance(found, Refusal) else found


def _completion(id: str, job: AskingJob, attempt: int, reply: Reply, refused: str) -> dict[str, object]:
    return {
        "sentence_id": id,
        "prompt": job.prompt,
        "llm": job.llm,
        "attempt": attempt,
        "answer": reply.answer.text,
        "finish_reason": reply.answer.finish_reason,
        "prompt_tokens": reply.answer.prompt_tokens,
        "completion_tokens": reply.answer.completion_tokens,
        "model": reply.answer.model,
        "refused": refused,
    }


def completions_of(tried: Sequence[Tried]) -> pd.DataFrame:
    """Return the COMPLETIONS table of all tries."""
    return table_of([row for one in tried for row in one.completions], COMPLETIONS)


def table_of(rows: Sequence[Mapping[str, object]], table: Table) -> pd.DataFrame:
    """Return a table from its rows; missing counts stay missing and whole numbers whole."""
    kinds = {"int16": "Int16", "int32": "Int32", "string": "str"}
    types = zip(table.columns, table.schema.types, strict=True)
    return pd.DataFrame(
        {name: pd.array([row[name] for row in rows], dtype=kinds[str(kind)]) for name, kind in types}
    )
