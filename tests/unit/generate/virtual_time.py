"""An event loop whose clock moves only when everything waits, and an endpoint on it without sockets."""

import asyncio
import json
import selectors
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.unit.generate.scripted_endpoint import Endpoint

START = 1.8e9  # seconds since the epoch, some day


class VirtualTime:
    """The clock, and loops that it belongs to."""

    def __init__(self):
        self._start, self.now = START, 0.0

    def time(self) -> float:
        return self._start + self.now

    def runner(self) -> asyncio.Runner:
        loop = asyncio.SelectorEventLoop(_Skipping(self))
        loop.time = lambda: self.now  # type: ignore[method-assign]
        return asyncio.Runner(loop_factory=lambda: loop)

    def run(self, main: Coroutine):
        with self.runner() as runner:
            return runner.run(main)


class _Skipping(selectors.SelectSelector):
    """Looks at files without waiting, and moves the clock by what would have been waited for."""

    def __init__(self, clock: VirtualTime):
        super().__init__()
        self._clock = clock

    def select(self, timeout=None):
        found = super().select(timeout and 0)
        self._clock.now += 0.0 if found else timeout or 0.0
        return found


@contextmanager
def virtual_clock() -> Iterator[VirtualTime]:
    """Give the clock of everything that is asked what time it is."""
    clock = VirtualTime()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", clock.time)
        patch.setattr(time, "monotonic", clock.time)
        yield clock


@contextmanager
def virtual_endpoint() -> Iterator[Endpoint]:
    """Give a scripted server in virtual time and without sockets."""
    state = Endpoint("http://127.0.0.1:1/v1", lambda request, count: None)
    with pytest.MonkeyPatch.context() as patch:
        transport = httpx.AsyncHTTPTransport
        patch.setattr(transport, "handle_async_request", lambda _, request: answer(state, request))
        yield state


async def answer(state: Endpoint, request: httpx.Request) -> httpx.Response:
    """Respond as a scripted server would, without sockets."""
    if not str(request.url).startswith(state.url):
        raise httpx.ConnectError("nobody listens there")
    asked = json.loads(await request.aread())
    say = state.said(asked)
    await asyncio.sleep(say.seconds + say.drip * len(say.data))
    if say.reset == "unsent":
        raise httpx.LocalProtocolError("Illegal header value")
    if say.reset:
        early = "Server disconnected without sending a response."
        raise httpx.RemoteProtocolError(early if say.reset == "early" else "the body is not whole")
    state.served.append(asked)
    return httpx.Response(say.status, headers=say.head, stream=httpx.ByteStream(say.data))
