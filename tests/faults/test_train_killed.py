"""A training that is killed with signal 9, or asked to end, goes on and ends in the same bytes."""

import signal
from pathlib import Path

import pytest

from tests.faults.running import printed

SCRIPT = Path(__file__).with_name("killed_training.py")


@pytest.fixture(scope="module")
def results(tiny_encoder, tmp_path_factory):
    return printed(SCRIPT, tiny_encoder("bert"), tmp_path_factory.mktemp("killed"))


@pytest.mark.parametrize(
    ("when", "left"),
    [
        ("before the first checkpoint", []),
        ("while a checkpoint is written", [".draft", ".safetensors"]),
        ("after a checkpoint", [".safetensors"]),
        ("between step and dev score", [".safetensors"]),
        ("while weights become the best", [".safetensors"]),
        ("after the last step", [".safetensors"]),
        ("asked to end, long before a checkpoint", [".safetensors"]),
    ],
)
def test_a_killed_training_ends_in_the_same_bytes(when, left, results):
    assert results[when]["signal"] == (signal.SIGTERM if when.startswith("asked") else signal.SIGKILL)
    assert results[when]["left"] == left
    assert results[when]["after"] == results["whole"]
    assert results[when]["drafts"] == 0
