"""One mini world for all tests of the endpoint that knows it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from contrapose_mini.files import write_mini_world


@pytest.fixture(scope="session")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what the language models of a small mini world know."""
    made = tmp_path_factory.mktemp("mini")
    write_mini_world(made, SimpleNamespace(seed=7, articles=40, pairs=6))
    return made / "llm"
