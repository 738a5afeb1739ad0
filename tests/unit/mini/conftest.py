"""One mini world for all tests of the endpoint that knows it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose_mini.files import write_mini_world


@pytest.fixture(scope="package")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of a small mini world."""
    made = tmp_path_factory.mktemp("world")
    write_mini_world(made, SimpleNamespace(seed=7, articles=40, pairs=6))
    return made
