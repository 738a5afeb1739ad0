"""Progress of asking: a bar on a terminal, else a plain line now and then."""

import asyncio
import logging
import sys
import time
from contextlib import suppress
from typing import Self

from tqdm import tqdm

from contrapose.generate.client import Client

FIRST_SECONDS, EVERY_SECONDS = 10.0, 30.0  # until the first plain line, and between two
BAR_SECONDS = 0.5  # between two updates of the bar

logger = logging.getLogger(__name__)


class Progress:
    """Report how many sentences of a job are done.  Use as an async context manager.

    It reads the client's counts and ledger from time to time; a sentence costs only a few additions.
    Sentences counted before entering were already known, and do not affect the speed.  `total` is in
    sentences.
    """

    def __init__(self, title: str, total: int, client: Client):
        self._title, self._total, self._client = title, total, client
        self.done = self.tokens = self.failed = 0
        self._first = self._last = (time.monotonic(), 0)

    async def __aenter__(self) -> Self:
        self._first = self._last = (time.monotonic(), self.done)
        self._telling = asyncio.create_task(self._bar() if sys.stderr.isatty() else self._lines())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._telling.cancel()
        with suppress(asyncio.CancelledError):
            await self._telling
        self._last = self._first  # the overall speed
        logger.info("%s: %s", self._title, self.line())

    def count(self, tokens: int, failed: bool) -> None:
        self.done += 1
        self.tokens += tokens
        self.failed += failed

    def line(self) -> str:
        """Return the state in words, with the speed since the last line."""
        now = time.monotonic()
        (then, before), self._last = self._last, (now, self.done)
        speed = (self.done - before) / max(now - then, 1e-9)
        left = f"{clock((self._total - self.done) / speed)} left, " if speed else ""
        share = self.done / self._total if self._total else 1
        return f"{self.done} of {self._total} sentences ({share:.1%}), {speed:.1f}/s, {left}{self.costs()}"

    def costs(self) -> str:
        """Return tokens, money, retries and how many sentences got no usable answer."""
        ledger = self._client.ledger
        unknown = f", at most {usd(ledger.at_most)}" if ledger.at_most > ledger.spent else ""
        return (
            f"{self.tokens} tokens, {usd(ledger.spent)}{unknown} in all jobs, "
            f"{self._client.retries} retries, {self.failed} failed"
        )

    async def _lines(self) -> None:
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            logger.info("%s: %s", self._title, self.line())
            await asyncio.sleep(EVERY_SECONDS)

    async def _bar(self) -> None:
        with tqdm(total=self._total, initial=self.done, desc=self._title, unit=" sentences") as bar:
            try:
                while True:
                    await asyncio.sleep(BAR_SECONDS)
                    bar.set_postfix_str(self.costs(), refresh=False)
                    bar.update(self.done - bar.n)
            finally:
                bar.update(self.done - bar.n)


def usd(amount: float) -> str:
    """Return an amount in dollars, with cents, or four decimals below one dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def clock(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
