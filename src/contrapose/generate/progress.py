"""Progress of sending requests: a bar, with what they have cost."""

import logging
import sys
from typing import Self

from tqdm import tqdm

from contrapose.generate.client import Client

BAR_SECONDS, LOG_SECONDS = 0.5, 30.0  # between two updates of the bar, on a terminal and in a log

logger = logging.getLogger(__name__)


class Progress:
    """Report how many sentences of a job are done.  Use as a context manager.

    Sentences counted before entering were already known, and do not affect the speed.  `total` is in
    sentences.
    """

    def __init__(self, title: str, total: int, client: Client):
        self._title, self._total, self._client = title, total, client
        self.done = self.tokens = self.failed = 0
        self._bar: tqdm | None = None

    def __enter__(self) -> Self:
        self._bar = tqdm(
            total=self._total,
            initial=self.done,
            desc=self._title,
            unit=" sentences",
            mininterval=BAR_SECONDS if sys.stderr.isatty() else LOG_SECONDS,
        )
        return self

    def __exit__(self, *error: object) -> None:
        assert self._bar is not None
        self._bar.close()
        logger.info("%s: %d of %d sentences, %s", self._title, self.done, self._total, self.costs())

    def count(self, tokens: int, failed: bool) -> None:
        self.done += 1
        self.tokens += tokens
        self.failed += failed
        if self._bar is not None:
            self._bar.set_postfix_str(self.costs(), refresh=False)
            self._bar.update()

    def costs(self) -> str:
        """Return tokens, money, retries and how many sentences got no usable answer."""
        ledger = self._client.ledger
        unknown = f", at most {usd(ledger.at_most)}" if ledger.at_most > ledger.spent else ""
        return (
            f"{self.tokens} tokens, {usd(ledger.spent)}{unknown} in all jobs, {self._client.retries} "
            f"retries, {self.failed} without a valid answer"
        )


def usd(amount: float) -> str:
    """Return an amount in dollars, with cents, or four decimals below one dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def clock(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
