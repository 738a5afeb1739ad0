"""Five paraphrases of every sentence, and new sentences for those that get none.  Thesis, section 3.3.

The tables depend on the sentences, the settings and the answers alone: not on the order in which answers
come, on concurrency, or on the number of shards.
"""

import asyncio
import gc
import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from contrapose.errors import BackendError, BudgetError, TableError
from contrapose.generate.client import Client
from contrapose.generate.estimate import Seen, estimated
from contrapose.generate.outcomes import BROKEN_BODY, CUT, Action, Reply
from contrapose.generate.parsing import Refusal, compared, five_paraphrases
from contrapose.generate.progress import Progress
from contrapose.generate.prompts import Request, Tokens, request
from contrapose.generate.workers import worked_off
from contrapose.jobs import ParaphraseJob, ReplacementJob
from contrapose.tables import COMPLETIONS, PARAPHRASES, REPLACEMENTS, SENTENCES, Table, open_table

DRAWS = 1000  # replacements drawn for one sentence before the articles count as used up
TURN = 256  # sentences read from the journal between two looks at signals: ~20 ms

Replace = Callable[[str, int], Mapping[str, object]]

logger = logging.getLogger(__name__)


class Paraphrased(NamedTuple):
    """What a shard, or all of them, came to."""

    sentences: pd.DataFrame  # SENTENCES
    paraphrases: pd.DataFrame  # PARAPHRASES
    completions: pd.DataFrame  # COMPLETIONS
    replacements: pd.DataFrame  # REPLACEMENTS


class Tried(NamedTuple):
    """All tries of one sentence."""

    id: str
    items: tuple[str, ...]  # five, or none
    completions: tuple[dict[str, object], ...]

    @property
    def reason(self) -> str:
        """Why the last try was not accepted; empty if it was."""
        return str(self.completions[-1]["refused"])

    @property
    def tokens(self) -> Tokens:
        """Of all tries, as far as the server told."""
        counts = ("prompt_tokens", "completion_tokens")
        return Tokens(*(sum(one[name] or 0 for one in self.completions) for name in counts))  # type: ignore


def shard_rows(count: int, shard: int, shards: int) -> slice:
    """Return the rows of one shard: shards are neighbouring slices, equal in size up to one row."""
    return slice(*(count * number // shards for number in (shard, shard + 1)))


def read_shard(path: str | Path, shard: int, shards: int) -> pd.DataFrame:
    """Read `id` and `text` of one shard of a SENTENCES table, and no more than the shard into memory.

    Raises
    ------
    TableError
        The file is missing or is not this table.
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


async def paraphrase_shard(
    sentences: pd.DataFrame, job: ParaphraseJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for five paraphrases of every sentence, up to `asked.tries` paid answers each.

    Memory: about 4 kB per sentence.

    Parameters
    ----------
    sentences : DataFrame with `id` and `text`
        The rows of one shard.
    job : ParaphraseJob
    client : Client

    Returns
    -------
    PARAPHRASES and COMPLETIONS table
        In the order of the sentences.  A sentence whose tries all failed has completions only.
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    tried = await _all_tried(rows, job, client, f"{job.llm}, prompt {job.prompt}")
    return _paraphrases(tried), _completions(tried)


async def replace_failed(
    sentences: pd.DataFrame,
    paraphrases: pd.DataFrame,
    completions: pd.DataFrame,
    job: ReplacementJob,
    client: Client,
    replace: Replace,
) -> Paraphrased:
    """Put a new sentence in the place of each that has no paraphrases.  N sentences in, N out.

    It works on all shards together, in rounds, so that two sentences never get the same replacement: each
    round draws one new sentence for each failed one, in the order of the corpus, and asks about them.

    Memory: about 3 kB per sentence of the corpus.

    Parameters
    ----------
    sentences : SENTENCES table
        The whole corpus.
    paraphrases, completions : PARAPHRASES and COMPLETIONS table
        Those of all shards, in the order of the corpus.
    job : ReplacementJob
    client : Client
    replace : function of a sentence id and a number from 1
        Draws a row of SENTENCES.  Texts and ids of the corpus are skipped, with their number.

    Raises
    ------
    TableError
        The shards are not those of the sentences, or the articles hold no sentence that is new.
    BackendError
        `job.replacements` new sentences in the place of one failed too.
    """
    _check_shards(sentences, paraphrases, completions)
    draws = _Draws(sentences, replace, DRAWS)
    reasons = dict(zip(completions.sentence_id, completions.refused, strict=True))  # the last try counts
    has_five = set(paraphrases.sentence_id)
    failed = {id: reasons[id] for id in sentences.id if id not in has_five}
    history: dict[str, list[tuple[Tried, int, str]]] = {id: [] for id in failed}
    rows: dict[str, Mapping[str, object]] = {}
    for number in range(1, job.replacements + 1):
        if not failed:
            break
        drawn = {id: draws.next(id) for id in failed}
        title = f"{job.llm}, prompt {job.prompt}, round {number} of replacements"
        asked = [(str(row["id"]), str(row["text"])) for row, _ in drawn.values()]
        tried = await _all_tried(asked, job, client, title)
        for (id, (row, draw)), answer in zip(drawn.items(), tried, strict=True):
            history[id].append((answer, draw, failed[id]))
            rows[id] = row
        failed = {id: history[id][-1][0].reason for id in failed if not history[id][-1][0].items}
    if failed:
        id, reason = next(iter(failed.items()))
        raise BackendError(
            f"sentence {id} and {len(failed) - 1} more: {job.replacements} new sentences in place of each "
            f"were not paraphrased either (last reason: {reason}). Look at the answers of llms.{job.llm} to "
            f"prompt {job.prompt}, or raise llms.{job.llm}.replacements."
        )
    if history:
        logger.info("%d of %d sentences were replaced", len(history), len(sentences))
    return _merged(sentences, paraphrases, completions, history, rows)


class _Draws:
    """Replacements that are not in the corpus and not in each other's place."""

    def __init__(self, sentences: pd.DataFrame, replace: Replace, limit: int):
        self._taken = set(sentences.id) | {compared(text) for text in sentences.text}
        self._replace, self._limit = replace, limit
        self._numbers: dict[str, int] = {}

    def next(self, id: str) -> tuple[Mapping[str, object], int]:
        """Return the next new sentence for sentence `id`, and the number of its draw."""
        start = self._numbers.get(id, 0) + 1
        for number in range(start, start + self._limit):
            row = self._replace(id, number)
            keys = {str(row["id"]), compared(str(row["text"]))}
            if not keys & self._taken:
                self._taken |= keys
                self._numbers[id] = number
                return row, number
        raise TableError(
            f"sentence {id}: {self._limit} draws of a replacement gave only sentences that the corpus has "
            f"already. The articles hold too few sentences: take more articles, or a smaller corpus."
        )


async def _all_tried(
    rows: Sequence[tuple[str, str]], job: ParaphraseJob, client: Client, title: str
) -> list[Tried]:
    """Take from the journal what it knows, then ask for the rest."""
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
            await worked_off(counted, left, client.concurrency)
        except BudgetError as error:
            answered = f"{progress.done} of {len(rows)} sentences are answered"
            raise BudgetError(f"{title}: {answered}. {error}") from None
    return [tried[place] for place in range(len(rows))]


async def _replayed(rows: Sequence[tuple[str, str]], job: ParaphraseJob, client: Client) -> dict[int, Tried]:
    """Return, by its place, every sentence whose tries are all in the journal."""
    tried: dict[int, Tried] = {}
    gc.disable()  # all that is made here is kept: looking for garbage takes a twentieth of the time
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


def _seen(tried: Collection[Tried]) -> Seen:
    tokens = [one.tokens for one in tried]
    total = Tokens(sum(one.prompt for one in tokens), sum(one.completion for one in tokens))
    return Seen(len(tried), sum(len(one.completions) for one in tried), total)


def replayed(
    id: str, text: str, job: ParaphraseJob, known: Callable[[Request], Reply | None]
) -> Tried | Request:
    """Return all tries of a sentence if they are known, else the request that is not.  Nothing is sent."""
    tries = _tries(id, text, job)
    try:
        request = next(tries)
        while (reply := known(request)) is not None:
            request = tries.send(reply)
    except StopIteration as end:
        return end.value
    return request


async def _asked(id: str, text: str, job: ParaphraseJob, client: Client) -> Tried:
    """Ask about one sentence."""
    tries = _tries(id, text, job)
    try:
        request = next(tries)
        while True:
            request = tries.send(await client.ask(request))
    except StopIteration as end:
        return end.value


def _tries(id: str, text: str, job: ParaphraseJob) -> Generator[Request, Reply, Tried]:
    """Yield requests until an answer is accepted, the tries are used up or another would be in vain."""
    completions: list[dict[str, object]] = []
    max_tokens, before = job.asked.max_tokens, None
    for attempt in range(job.asked.tries):
        reply = yield request(id, text, job.prompt, job.text, job.asked, attempt, max_tokens)
        found = _verdict(reply, text)
        refused = found if isinstance(found, str) else ""
        completions.append(_completion(id, job, attempt, reply, refused))
        if not refused:
            return Tried(id, tuple(found), tuple(completions))
        if reply.outcome.action is Action.GIVE_UP:
            break
        if reply.outcome is CUT:
            max_tokens *= 2
        elif reply.outcome is not BROKEN_BODY:
            greedy = job.asked.temperature == 0 and not job.asked.send_seed
            if greedy or (reply.answer.text.strip() and reply.answer.text == before):
                break  # a server that decodes greedily gives the same bad answer again
        before = reply.answer.text
    return Tried(id, (), tuple(completions))


def _verdict(reply: Reply, source: str) -> list[str] | str:
    """Return five paraphrases, or why there are none as a short code."""
    if reply.outcome.action is not Action.ACCEPT:
        return reply.outcome.name
    found = five_paraphrases(reply.answer.text, reply.answer.finish_reason, source)
    return found.value if isinstance(found, Refusal) else found


def _completion(id: str, job: ParaphraseJob, attempt: int, reply: Reply, refused: str) -> dict[str, object]:
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


def _check_shards(sentences: pd.DataFrame, paraphrases: pd.DataFrame, completions: pd.DataFrame) -> None:
    for name, table in (("paraphrases", paraphrases), ("completions", completions)):
        foreign = sorted(set(table.sentence_id) - set(sentences.id))
        if foreign:
            raise TableError(
                f"the {name} of the shards hold sentence {foreign[0]}, which the corpus does not. "
                f"Build the shards again from this corpus."
            )
    lacking = sorted(set(sentences.id) - set(completions.sentence_id))
    if lacking:
        raise TableError(
            f"sentence {lacking[0]} and {len(lacking) - 1} more are in no shard. Build them all."
        )


def _merged(
    sentences: pd.DataFrame,
    paraphrases: pd.DataFrame,
    completions: pd.DataFrame,
    history: Mapping[str, list[tuple[Tried, int, str]]],
    rows: Mapping[str, Mapping[str, object]],
) -> Paraphrased:
    """Lay the replacements into the tables, each at the place of the sentence it replaces."""
    place = {id: at for at, id in enumerate(sentences.id)}
    new = [answer for id in history for answer, _, _ in history[id]]
    place |= {answer.id: place[id] for id in history for answer, _, _ in history[id]}
    records = [{str(name): value for name, value in row.items()} for row in sentences.to_dict("records")]
    kept = [rows.get(str(record["id"]), record) for record in records]
    replacements = [
        {"sentence_id": id, "replacement_id": answer.id, "number": draw, "reason": reason}
        for id in sorted(history, key=place.__getitem__)
        for answer, draw, reason in history[id]
    ]
    return Paraphrased(
        _table(_columns(kept, SENTENCES), SENTENCES),
        _in_order(paraphrases, _paraphrases(new), place),
        _in_order(completions, _completions(new), place),
        _table(_columns(replacements, REPLACEMENTS), REPLACEMENTS),
    )


def _in_order(old: pd.DataFrame, new: pd.DataFrame, place: Mapping[str, int]) -> pd.DataFrame:
    """Put the rows of replacements behind those of the sentence they replace."""
    both = pd.concat([old, new], ignore_index=True) if len(new) else old.reset_index(drop=True)
    order = both.sentence_id.map(place).sort_values(kind="stable").index
    return both.loc[order].reset_index(drop=True)


def _paraphrases(tried: Sequence[Tried]) -> pd.DataFrame:
    places = [(one, slot) for one in tried for slot in range(len(one.items))]
    columns: dict[str, Sequence[object]] = {
        "sentence_id": [one.id for one, _ in places],
        "slot": [slot for _, slot in places],
        "text": [one.items[slot] for one, slot in places],
    }
    return _table(columns, PARAPHRASES)


def _completions(tried: Sequence[Tried]) -> pd.DataFrame:
    rows = [row for one in tried for row in one.completions]
    return _table(_columns(rows, COMPLETIONS), COMPLETIONS)


def _columns(rows: Sequence[Mapping[str, object]], table: Table) -> dict[str, list[object]]:
    return {name: [row[name] for row in rows] for name in table.columns}


def _table(columns: Mapping[str, Sequence[object]], table: Table) -> pd.DataFrame:
    """Make a table from its columns; missing counts stay missing and whole numbers whole."""
    kinds = {"int16": "Int16", "int32": "Int32", "string": "str"}
    types = zip(table.columns, table.schema.types, strict=True)
    return pd.DataFrame({name: pd.array(columns[name], dtype=kinds[str(kind)]) for name, kind in types})
