import pytest

from tests.unit.generate.scripted_endpoint import scripted_endpoint
from tests.unit.generate.virtual_time import virtual_clock, virtual_endpoint


@pytest.fixture
def endpoint():
    """Give a counting server that answers with five clean paraphrases until a test sets another `script`."""
    with scripted_endpoint() as state:
        yield state


@pytest.fixture
def clock():
    with virtual_clock() as clock:
        yield clock


@pytest.fixture
def virtual(clock):
    with virtual_endpoint() as state:
        yield state
