"""A training that is killed with signal 9, or asked to end, goes on and ends in the same bytes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("killed_training.py")
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def results(tiny_encoder, tmp_path_factory):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, str(SCRIPT), str(tiny_encoder("bert")), str(tmp_path_factory.mktemp("killed"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


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
