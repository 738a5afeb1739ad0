"""An event loop whose clock moves only when everything waits: a minute takes as long as its work."""

import asyncio
import selectors
from collections.abc import Coroutine


class _Skipping(selectors.SelectSelector):
    """Looks at files without waiting, and moves the clock by what would have been waited for."""

    now = 0.0

    def select(self, timeout=None):
        self.now += timeout or 0.0
        return super().select(0)


class VirtualTime:
    """The clock, and the loop that it belongs to."""

    def __init__(self, start: float):
        self._start, self._selector = start, _Skipping()

    def time(self) -> float:
        return self._start + self._selector.now

    def run(self, main: Coroutine):
        loop = asyncio.SelectorEventLoop(self._selector)
        loop.time = lambda: self._selector.now  # type: ignore[method-assign]
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(main)
