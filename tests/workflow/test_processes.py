import shutil
from pathlib import Path

import pytest

from contrapose.tables import HISTORY, read_table
from tests.checkout import Checkout

# Without dropout, which each process draws for its share; a small rate, as AdamW makes much of rounding.
RUN = "train/dropout/simcse+dropout=0.0+learning_rate=1e-06/seed42"


def test_two_processes_train_as_one(finished: Checkout, tmp_path: Path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    history = copy.folder / f"results/{RUN}/history.parquet"
    copy.run(f"results/{RUN}/history.parquet")
    alone = read_table(history, HISTORY)
    shutil.rmtree(history.parent)
    copy.run(f"results/{RUN}/history.parquet", "--config", "nproc_per_node=2")
    both = read_table(history, HISTORY)
    assert both.loss.tolist() == pytest.approx(alone.loss.tolist(), rel=1e-5)
    assert both.drop(columns=["loss", "dev_score"]).equals(alone.drop(columns=["loss", "dev_score"]))
    log = (copy.folder / "logs" / RUN).with_suffix(".log").read_text()
    assert "[0] " in log
    assert "process 0 of 2, on cpu" in log
    assert "process 1 of 2, on cpu" in log
    assert (history.parent / "encoder" / "model.safetensors").is_file()
    assert not list((copy.folder / "state" / RUN).glob("*/*"))  # the checkpoint has been removed
