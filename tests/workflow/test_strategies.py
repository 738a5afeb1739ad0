"""Pairs with prefixes and with marks are trained on like any other, and what a training itself changes."""

import shutil

import numpy as np
import pytest

from contrapose.jobs.status import read_status
from contrapose.tables import HISTORY, PAIRS, read_table
from tests.checkout import Checkout

PREFIX = "results/pairs/prefix+word=[MASK].parquet"
AUGMENTED = "simcse+cutoff=0.2+queue=20+repetition=0.32+shuffle=True"
OF_AUGMENTED = f"results/train/dropout+size=few/{AUGMENTED}/seed42/history.parquet"
LOG = "results/train/punctuation+size=few/simcse+max_length=12/seed42/history.parquet"


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with a size more."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    path = copy.folder / "config/catalogs/tiny.yaml"
    path.write_text(path.read_text().replace("small: 64", "few: 20, many: 9999, small: 64", 1))
    return copy


def test_prefixes_and_marks_are_made_and_trained_on(project: Checkout):
    project.run(PREFIX, LOG, OF_AUGMENTED)
    prefix = read_table(project.folder / PREFIX, PAIRS)
    assert len(prefix) == prefix.positive.str.startswith("[MASK] ").sum() == 64  # 10 words or more
    assert read_table(project.folder / LOG, HISTORY).sentences.tolist() == [3 * 16, 3 * 20]
    counts = read_status(project.folder / LOG).counts
    assert counts["texts"] == 3 * 20  # a sentence, and its marks in two slots
    assert 0 < counts["cut"] <= 60
    assert read_table(project.folder / OF_AUGMENTED, HISTORY).sentences.tolist() == [2 * 16, 2 * 20]


def test_a_guide_that_is_trained_here_is_trained_with(project: Checkout):
    guided = "nli/simcse+candidates=gistembed+guide=teacher+mix=0.2+negative_weight=1.0"
    run = f"results/train/{guided}/seed42/history.parquet"
    project.run(run)
    assert np.isfinite(read_table(project.folder / run, HISTORY).loss).all()
    assert project.plan(run) == {}
