"""The ledger: what all jobs of a language model have spent, and what they may still spend.

A request is sent only if the budget holds even when it, and everything else in flight, costs the most that
it can.  One small file beside the journals has a row for each writer, under locks of the kernel: a killed
job leaves none behind.  The journals are authoritative: the row of a job that did not end well is rebuilt
from its journal.
"""

import asyncio
import fcntl
import hashlib
import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from contrapose.base.errors import BackendError, BudgetError
from contrapose.generate.journal import FORGOTTEN, journal_file, lines, whole_end
from contrapose.generate.outcomes import Paid, Reply, judged
from contrapose.generate.requests import Usage
from contrapose.settings.catalogs import Connection

PICO = 10**12  # pico-USD in a USD: a token at 0.001 USD per million is 1000 of them, so integers suffice
MILLION = 10**6  # prices are for a million tokens
AMOUNTS = ("settled", "unknown", "reserved")  # pico-USD
# 64 bytes, so that no row crosses a page boundary and one write() writes all of it or nothing.
ROW = np.dtype([("writer", "S32"), *((name, "<i8") for name in (*AMOUNTS, "size"))])
UNFINISHED = -1  # instead of the journal's size, while its job runs and after it was killed
ROWS, RECOVERY = 2**40, 2**40 + 1  # bytes that are locked to change a row, and to rebuild rows
LOOK_SECONDS = 0.05  # between two checks of what others have in flight, when the budget is nearly used up
RECOVER_SECONDS = 1.0  # between two checks for jobs that died with something in flight
REFRESH_SECONDS = 5.0  # between two checks of the others' spending if there is no budget

logger = logging.getLogger(__name__)


class Prices(NamedTuple):
    """Prices of one token, in pico-USD."""

    prompt: int
    completion: int

    def cost(self, tokens: Usage) -> int:
        """Return what tokens cost, in pico-USD."""
        return tokens.prompt * self.prompt + tokens.completion * self.completion

    @classmethod
    def per_million(cls, prompt: float, completion: float) -> "Prices":
        return cls(round(prompt * PICO / MILLION), round(completion * PICO / MILLION))


class SentRequest(NamedTuple):
    """One request that was sent, as a journal records it."""

    key: str
    job: Mapping[str, str]  # llm, corpus, prompt, shard
    prompt: str  # name of the prompt, or `greeting`
    sentence_id: str
    attempt: int
    outcome: str  # a row of the table in outcomes.py, or `in flight` for one that has not ended
    prices: Prices
    used: Usage | None  # None: billed, or perhaps billed, for an unknown amount
    worst_case: Usage
    answer: str = ""
    model: str = ""

    @property
    def cost(self) -> tuple[int, int]:
        """What it is known to have cost, and the most that it can have cost beside that, in pico-USD."""
        if self.used is None:
            return 0, self.prices.cost(self.worst_case)
        return self.prices.cost(self.used), 0


IN_FLIGHT = "in flight"
BATCHES = "batches"  # folder beside the journals: a file *.json there is a submitted batch


def sends(journal: Path) -> Iterator[SentRequest]:
    """Yield every request sent under one journal, in the order in which they ended.

    Unfinished ones come last, with outcome `in flight`: those of a killed job may have been billed.  Raises
    BackendError for a record without the fields of one: what it cost is not known.
    """
    try:
        yield from _sends(journal)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BackendError(
            f"{journal}: another program has changed this file, because a record is incomplete "
            f"({type(error).__name__}: {error}). Restore the file from a copy. If you move it away "
            "instead, the cost of its answers is no longer counted."
        ) from error


def _sends(journal: Path) -> Iterator[SentRequest]:
    job: Mapping[str, str] = {}
    price = Prices(0, 0)
    under_way: dict[str, SentRequest] = {}
    for record in lines(journal):
        if "prices" in record:
            job, prices = record["job"], record["prices"]
            price = Prices.per_million(prices["prompt"], prices["completion"])
        elif "sent" in record:
            key = record["sent"]
            if key in under_way:
                yield under_way[key]
            about = (record["prompt"], record["sentence_id"], record["attempt"])
            most, model = Usage(*record["most"]), record.get("model", "")
            under_way[key] = SentRequest(key, job, *about, IN_FLIGHT, price, None, most, model=model)
        elif "unanswered" in record and record["unanswered"] in under_way:
            tokens = None if record["paid"] == Paid.UNKNOWN else Usage(0, 0)
            yield under_way.pop(record["unanswered"])._replace(outcome=record["outcome"], used=tokens)
        elif record.get("key") in under_way:
            reply = judged(record["status"], record["body"])
            outcome = FORGOTTEN if FORGOTTEN in record else reply.outcome.name
            answered = under_way.pop(record["key"])
            yield answered._replace(outcome=outcome, used=billed(reply), answer=reply.answer.text)
    yield from under_way.values()


def billed(reply: Reply) -> Usage | None:
    """Return the tokens that a reply was billed for; None if the server did not report them."""
    if reply.outcome.paid is Paid.NO:
        return Usage(0, 0)
    prompt, completion = reply.answer.prompt_tokens, reply.answer.completion_tokens
    return None if prompt is None or completion is None else Usage(prompt, completion)


class Ledger:
    """Keep the spending of all jobs on a journal folder within the budget.

    Use as a context manager, once per process, while the journal of the same writer is held.

    The connection has `budget` in USD, `prompt_price` and `completion_price` in USD per million tokens.
    Without a budget there is no waiting, and the spending of other jobs is known a few seconds late.  Raises
    BackendError if something else has changed a journal whose costs have to be added up.
    """

    def __init__(self, folder: str | Path, writer: str, connection: Connection):
        self._folder, self._journal = Path(folder), journal_file(folder, writer)
        self._connection = connection
        self._prices = Prices.per_million(connection.prompt_price, connection.completion_price)
        self._budget = None if connection.budget is None else round(connection.budget * PICO)
        self._settled = self._unknown = self._reserved = 0
        self._others = (0, 0, 0)  # settled, unknown, reserved of all other writers at the last check
        self._looked = self._recovered = 0.0
        self._row = -1  # number of this job's row, once it is alive
        self._surprised = False  # whether a request took more than the expected maximum
        self._queue = asyncio.Lock()

    def __enter__(self) -> Self:
        self._file = os.open(self._folder / "ledger", os.O_RDWR | os.O_CREAT, 0o666)
        with _lock(self._file, RECOVERY):
            rows = self._recovered_rows()
            self._row, (_, self._settled, self._unknown, _, _) = rows[_name(self._journal)]
            fcntl.lockf(self._file, fcntl.LOCK_EX, ROW.itemsize, self._row * ROW.itemsize)  # "alive"
            self._update()
        return self

    def __exit__(self, *error: object) -> None:
        # If something is still reserved, the next job adds up the journal again.
        self._update(size=UNFINISHED if self._reserved else _size(self._journal))
        os.close(self._file)  # releases all locks

    @property
    def spent(self) -> float:
        """USD that all jobs of the folder are known to have spent."""
        return (self._settled + self._others[0]) / PICO

    @property
    def at_most(self) -> float:
        """USD that they have spent at most: unknown costs count with their maximum."""
        return self._certain / PICO

    async def reserve(self, worst_case: Usage) -> None:
        """Reserve the most that a request can cost; wait while that depends on requests in flight.

        Raises BudgetError if the budget does not allow it, whatever the requests in flight cost.
        """
        cost = self._prices.cost(worst_case)
        if self._budget is None:
            self._reserved += cost
            return
        async with self._queue:
            while not self._reserve(cost):
                await asyncio.sleep(LOOK_SECONDS)
                self._recover_now_and_then()

    def check(self) -> None:
        """Raise BudgetError if the budget is used up, and BackendError while a batch holds some requests."""
        if self._budget is not None and self._certain >= self._budget and any(self._prices):
            raise self._error(min(filter(None, self._prices)))
        out = sorted((self._folder / BATCHES).glob("*.json"))
        if out:
            role = self._connection.role
            raise BackendError(
                f"{out[0]}: this batch is submitted and not read yet. A live request would pay for "
                f"its answers a second time. Read it when it is done: contrapose batch read {role}. "
                "Or cancel it at the endpoint first."
            )

    def settle(self, worst_case: Usage, used: Usage | None) -> None:
        """Replace the reserved cost of an answer by its real cost; None: the server did not report it."""
        if used is None:
            return self.unknown(worst_case)
        if self._prices.cost(used) > self._prices.cost(worst_case) and not self._surprised:
            logger.warning(
                "a request used %d tokens for the prompt and %d for the answer, but at most %d and "
                "%d were expected",
                *(*used, *worst_case),
            )
            self._surprised = True
        self._settled += self._prices.cost(used)
        self.release(worst_case)

    def unknown(self, worst_case: Usage) -> None:
        """Keep counting the most that a request can have cost, as it may have been billed."""
        self._unknown += self._prices.cost(worst_case)
        self.release(worst_case)

    def release(self, worst_case: Usage) -> None:
        self._reserved -= self._prices.cost(worst_case)
        if self._budget is not None or time.monotonic() > self._looked + REFRESH_SECONDS:
            self._update()

    @property
    def _certain(self) -> int:
        """What is certainly spent, in pico-USD; unknown costs count with their maximum."""
        return self._settled + self._unknown + sum(self._others[:2])

    def _reserve(self, cost: int) -> bool:
        assert self._budget is not None
        with _lock(self._file, ROWS):
            self._look()
            if self._certain + cost > self._budget:
                raise self._error(cost)
            if self._certain + self._reserved + self._others[2] + cost > self._budget:
                return False
            self._reserved += cost
            self._write()
            return True

    def _update(self, size: int = UNFINISHED) -> None:
        with _lock(self._file, ROWS):
            self._look()
            self._write(size)

    def _look(self) -> None:
        """Read what the others wrote."""
        rows = _rows(self._file)
        row = rows[self._row]
        settled, unknown, reserved = (int(rows[name].sum() - row[name]) for name in AMOUNTS)
        self._others = settled, unknown, reserved
        self._looked = time.monotonic()

    def _write(self, size: int = UNFINISHED) -> None:
        amounts = (self._settled, self._unknown, self._reserved, size)
        _put(self._file, self._row, (_name(self._journal), *amounts))

    def _error(self, cost: int) -> BudgetError:
        at, unknown = self._connection.entry, self.at_most - self.spent
        perhaps = f", perhaps {unknown:.6f} USD more for requests of unknown cost" if unknown else ""
        return BudgetError(
            f"{at}.budget: the next request could exceed the budget of {self._connection.budget:g} "
            f"USD. {self.spent:.6f} USD are spent{perhaps}, and the next request may cost "
            f"{cost / PICO:.6f} USD. Answers received so far are kept. To continue, raise {at}.budget "
            "in the catalog file, or llm_budget in config/config.yaml, and run the same command "
            "again."
        )

    def _recover_now_and_then(self) -> None:
        """Look for jobs that died with something reserved: their requests in flight will never end."""
        if time.monotonic() < self._recovered + RECOVER_SECONDS:
            return
        self._recovered = time.monotonic()
        with suppress(BlockingIOError, PermissionError), _lock(self._file, RECOVERY, wait=False):
            self._recovered_rows()

    def _recovered_rows(self) -> dict[bytes, tuple[int, tuple]]:
        """Rebuild the outdated rows of all journals that no running job writes: {number: content}."""
        rows = {row[0]: (number, row) for number, row in enumerate(_rows(self._file).tolist())}
        journals = {_name(path): path for path in self._folder.glob("*.jsonl")}
        for name in (*rows.keys(), *sorted(journals.keys() - rows.keys())):
            number, row = rows.get(name, (len(rows), None))
            size = _size(journals[name]) if name in journals else 0
            if number == self._row or (row is not None and row[-1] == size):
                continue
            if not _is_held(self._file, number):
                if size:
                    logger.info("%s: computing what its answers cost", journals[name])
                row = (name, *(_totals(journals[name]) if name in journals else (0, 0)), 0, size)
                with _lock(self._file, ROWS):
                    _put(self._file, number, row)
                rows[name] = (number, row)
        return rows


def _totals(journal: Path) -> tuple[int, int]:
    """Return the settled and the unknown cost of one journal, in pico-USD; see `whole_end` for errors."""
    whole_end(journal)
    settled = unknown = 0
    for send in sends(journal):
        known, perhaps = send.cost
        settled, unknown = settled + known, unknown + perhaps
    return settled, unknown


def _name(journal: Path) -> bytes:
    return hashlib.sha256(journal.name.encode()).hexdigest()[:32].encode()


def _size(journal: Path) -> int:
    return journal.stat().st_size if journal.exists() else 0


def _rows(file: int) -> np.ndarray:
    size = os.fstat(file).st_size // ROW.itemsize * ROW.itemsize
    return np.frombuffer(os.pread(file, size, 0), ROW)


def _put(file: int, number: int, row: tuple) -> None:
    os.pwrite(file, np.array(row, ROW).tobytes(), number * ROW.itemsize)


def _is_held(file: int, number: int) -> bool:
    """Return whether a running job writes this row: it holds a lock on it."""
    try:
        with _lock(file, number * ROW.itemsize, wait=False, length=ROW.itemsize):
            return False
    except OSError:  # EACCES or EAGAIN, depending on the system
        return True


@contextmanager
def _lock(file: int, place: int, wait: bool = True, length: int = 1) -> Iterator[None]:
    """Hold a lock on bytes of the file, whether they exist or not; the kernel frees a killed job's."""
    fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), length, place)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, length, place)
