"""Jobs that start as forks of a warm process make what jobs make that start by themselves."""

import shutil
import sys
from pathlib import Path

import pytest

from contrapose.jobs.warm import COLD
from tests.checkout import Checkout

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every job starts by itself")
# Not the first job with an encoder, so warm in the finished project.
MADE = "results/train/paraphrase+llm=vicuna+prompt=1/paraphrase+encoder=roberta-base/seed42"


def contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_a_warm_training_has_the_bytes_of_a_cold_one(finished: Checkout, tmp_path: Path, monkeypatch):
    monkeypatch.setenv(COLD, "1")
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    shutil.rmtree(copy.folder / MADE)
    copy.run(f"{MADE}/history.parquet")
    cold = contents(copy.folder / MADE)
    assert {"encoder/model.safetensors", "history.parquet"} <= cold.keys()
    assert cold == contents(finished.folder / MADE)
