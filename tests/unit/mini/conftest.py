"""One mini world for all tests of what is written."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose_mini.files import write_mini_world

PAIRS = 6


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of a small mini world."""
    made = tmp_path_factory.mktemp("mini")
    write_mini_world(made, SimpleNamespace(seed=7, articles=40, pairs=PAIRS))
    return made
