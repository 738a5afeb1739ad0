"""Fixtures of the generate stage."""

from collections.abc import Iterator

import pytest

from tests.unit.generate.scripted_endpoint import Endpoint, scripted_endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """Give a counting server that answers with five clean paraphrases until a test sets another `script`."""
    with scripted_endpoint() as state:
        yield state
