"""How a project is split over processes and jobs changes no result."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from contrapose.tables import HISTORY, read_table
from tests.checkout import Checkout

# Without dropout, which each process draws for its share; a small rate, as AdamW makes much of rounding.
RUN = "train/dropout/simcse+dropout=0.0+learning_rate=1e-06/seed42"
# Requests to language models are not here but in tests/faults/test_generate_bytes.py.
# Sampling, asking and DINO: their unit tests have 1, 2 and 7 shards.
SHARDED = (
    "corpus/wiki40b",
    "pairs/ppdb",
)


def test_two_processes_train_as_one(finished: Checkout, tmp_path: Path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    history = copy.folder / f"results/{RUN}/history.parquet"
    copy.run(f"results/{RUN}/history.parquet")
    alone = read_table(history, HISTORY)
    shutil.rmtree(history.parent)
    copy.run(f"results/{RUN}/history.parquet", "--config", "processes=2")
    both = read_table(history, HISTORY)
    assert both.loss.tolist() == pytest.approx(alone.loss.tolist(), rel=1e-5)
    assert both.drop(columns=["loss", "dev_score"]).equals(alone.drop(columns=["loss", "dev_score"]))
    log = (copy.folder / "logs" / RUN).with_suffix(".log").read_text()
    assert "[0] " in log
    assert "process 0 of 2, on cpu" in log
    assert "process 1 of 2, on cpu" in log
    assert (history.parent / "encoder" / "model.safetensors").is_file()
    assert not list((copy.folder / "state" / RUN).glob("*/*"))  # the checkpoint has been removed


def test_no_table_depends_on_the_number_of_shards(finished: Checkout, tmp_path: Path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    for made in ("corpus/wiki40b", "generate/rewrites/ppdb"):  # whole, they would be kept
        (copy.folder / "results" / made / "1-of-2.parquet").unlink()
    files = [f"results/{name}.parquet" for name in SHARDED]
    before = [pq.read_table(copy.folder / file) for file in files]  # in two shards
    seven = ", ".join(f"{stage}: 7" for stage in ("corpus", "rewrites"))
    made = copy.run("--config", f"shards={{{seven}}}", "--", *files).stdout
    assert "/6-of-7.parquet" in made
    for file, expected in zip(files, before, strict=True):
        assert len(expected)
        found = pq.read_table(copy.folder / file).replace_schema_metadata()
        assert found.equals(expected.replace_schema_metadata()), file
