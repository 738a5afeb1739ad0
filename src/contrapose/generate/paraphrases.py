"""Five paraphrases of every sentence, and new sentences for those that get none.  Thesis, section 3.3.

Likewise one hard negative of every sentence, as a single slot.

The tables depend on the sentences, the settings and the answers alone: not on the order in which answers
come, on concurrency, or on the number of shards.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.errors import BackendError, TableError
from contrapose.generate.client import Client
from contrapose.generate.jobs import AskingJob
from contrapose.generate.merge import ReplacementRequests
from contrapose.generate.parsing import compared
from contrapose.generate.tries import Tried, all_tried, completions_of, table_of
from contrapose.tables import COMPLETIONS, PARAPHRASES, REPLACEMENTS, SENTENCES

DRAWS = 1000  # replacements drawn for one sentence before the articles count as used up

Replace = Callable[[str, int], Mapping[str, object]]
# For each failed sentence, its replacements: the tries, the draw, why the one before was refused.
History = dict[str, list[tuple[Tried, int, str]]]

logger = logging.getLogger(__name__)


PARAPHRASED = (SENTENCES, PARAPHRASES, COMPLETIONS, REPLACEMENTS)


class Paraphrased(NamedTuple):
    """The result of one shard, or of all: the tables `PARAPHRASED`."""

    sentences: pd.DataFrame
    paraphrases: pd.DataFrame
    completions: pd.DataFrame
    replacements: pd.DataFrame


async def paraphrase_shard(
    sentences: pd.DataFrame, job: AskingJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for `job.wanted` of every sentence of a shard, up to `asked.tries` paid answers each.

    Returns PARAPHRASES and COMPLETIONS in the order of the sentences; the latter alone where all tries
    failed.  Memory: about 4 kB per sentence.
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    tried = await all_tried(rows, job, client, f"{job.llm}, prompt {job.prompt}")
    return _paraphrases(tried), completions_of(tried)


async def replace_failed(
    sentences: pd.DataFrame,
    paraphrases: pd.DataFrame,
    completions: pd.DataFrame,
    job: ReplacementRequests,
    client: Client,
    replace: Replace | None,
) -> Paraphrased:
    """Replace each sentence without paraphrases by a new one.  N sentences in, N out.

    It works on all shards together, in rounds, so that two sentences never get the same replacement: each
    round draws one new sentence for each failed one, in the order of the corpus, and asks about them.
    Without `replace`, such a sentence stays without paraphrases, and no pair is made of it.

    The tables are those of all shards, in the order of the corpus.  `replace` draws a row of SENTENCES for a
    sentence id and a number from 1; draws with a text or id of the corpus are skipped, as is their number.
    Raises TableError if the shards do not match the sentences, or the articles have no new sentence left, and
    BackendError if `job.replacements` replacements of one sentence failed too.

    Memory: about 3 kB per sentence of the corpus.
    """
    _check_shards(sentences, paraphrases, completions)
    reasons = dict(zip(completions.sentence_id, completions.refused, strict=True))  # the last try counts
    has_five = set(paraphrases.sentence_id)
    failed = {id: reasons[id] for id in sentences.id if id not in has_five}
    if failed:
        first, reason = next(iter(failed.items()))
        logger.info(
            "%d of %d sentences have no usable answer; the first is %s: %s",
            *(len(failed), len(sentences), first, reason),
        )
    if replace is None:
        return _merged(sentences, paraphrases, completions, {}, {})
    history, rows = await _replaced(failed, _Draws(sentences, replace, DRAWS), job, client)
    if history:
        logger.info("%d of %d sentences were replaced", len(history), len(sentences))
    return _merged(sentences, paraphrases, completions, history, rows)


async def _replaced(
    failed: Mapping[str, str], draws: "_Draws", job: ReplacementRequests, client: Client
) -> tuple[History, dict[str, Mapping[str, object]]]:
    """Ask about new sentences, round by round, until each failed sentence has a paraphrased one.

    Returns each failed sentence's answers, and the row of SENTENCES that takes its place.  Raises
    BackendError if `job.replacements` replacements of one sentence failed too.
    """
    history: History = {id: [] for id in failed}
    rows: dict[str, Mapping[str, object]] = {}
    for number in range(1, job.replacements + 1):
        if not failed:
            break
        drawn = {id: draws.next(id) for id in failed}
        title = f"{job.llm}, prompt {job.prompt}, round {number} of replacements"
        asked = [(str(row["id"]), str(row["text"])) for row, _ in drawn.values()]
        tried = await all_tried(asked, job, client, title)
        for (id, (row, draw)), answer in zip(drawn.items(), tried, strict=True):
            history[id].append((answer, draw, failed[id]))
            rows[id] = row
        failed = {id: history[id][-1][0].reason for id in failed if not history[id][-1][0].items}
    if failed:
        id, reason = next(iter(failed.items()))
        raise BackendError(
            f"sentence {id} and {len(failed) - 1} more: {job.replacements} new sentences in place of each "
            f"could not be paraphrased either (last reason: {reason}). Check the answers of "
            f"llms.{job.llm} to prompt {job.prompt}, or raise llms.{job.llm}.replacements."
        )
    return history, rows


class _Draws:
    """Replacements that are neither in the corpus nor used twice."""

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
            f"sentence {id}: {self._limit} draws of a replacement gave only sentences that are already in "
            f"the corpus. The articles have too few sentences: use more articles, or a smaller corpus."
        )


def _check_shards(sentences: pd.DataFrame, paraphrases: pd.DataFrame, completions: pd.DataFrame) -> None:
    for name, table in (("paraphrases", paraphrases), ("completions", completions)):
        foreign = sorted(set(table.sentence_id) - set(sentences.id))
        if foreign:
            raise TableError(
                f"the {name} of the shards contain sentence {foreign[0]}, which is not in the corpus. "
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
    history: History,
    rows: Mapping[str, Mapping[str, object]],
) -> Paraphrased:
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
        table_of(kept, SENTENCES),
        _in_order(paraphrases, _paraphrases(new), place),
        _in_order(completions, completions_of(new), place),
        table_of(replacements, REPLACEMENTS),
    )


def _in_order(old: pd.DataFrame, new: pd.DataFrame, place: Mapping[str, int]) -> pd.DataFrame:
    both = pd.concat([old, new], ignore_index=True) if len(new) else old.reset_index(drop=True)
    order = both.sentence_id.map(place).sort_values(kind="stable").index
    return both.loc[order].reset_index(drop=True)


def _paraphrases(tried: Sequence[Tried]) -> pd.DataFrame:
    rows = [
        {"sentence_id": one.id, "slot": slot, "text": text}
        for one in tried
        for slot, text in enumerate(one.items)
    ]
    return table_of(rows, PARAPHRASES)
