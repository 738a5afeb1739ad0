"""Fixtures of the generate stage."""

import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.unit.generate.scripted_endpoint import Endpoint, scripted_endpoint
from tests.unit.generate.virtual_time import VirtualTime, answer


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """Give a counting server that answers with five clean paraphrases until a test sets another `script`."""
    with scripted_endpoint() as state:
        yield state


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> VirtualTime:
    """Give the clock of everything that is asked what time it is; it starts on some day."""
    virtual = VirtualTime(1.8e9)
    monkeypatch.setattr(time, "time", virtual.time)
    monkeypatch.setattr(time, "monotonic", virtual.time)
    return virtual


@pytest.fixture
def virtual(clock: VirtualTime, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    """Do as `endpoint` does, in virtual time and without sockets."""
    state = Endpoint("http://127.0.0.1:1/v1", lambda request, count: None)
    monkeypatch.setattr(
        httpx2.AsyncHTTPTransport, "handle_async_request", lambda _, request: answer(state, request)
    )
    return state
