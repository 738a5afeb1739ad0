"""MRPC, PAWS-QQP and a sample of QQP in their real files."""

import os
from pathlib import Path

import numpy as np
import pytest

from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tasks import TASKS

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")
PLACES = {"mrpc": "mrpc_raw", "qqp": "qqp_sample", "paws_qqp": "paws_qqp"}
SOURCES = {task: BenchmarkFiles(kind=task, task=task, path=path, form="raw") for task, path in PLACES.items()}


@pytest.fixture(scope="module")
def benchmarks():
    return read_benchmarks(Path(DATA), SOURCES)[0]


def test_the_real_files_have_the_published_numbers_of_pairs_and_labels(benchmarks):
    sizes = benchmarks[benchmarks.task != "qqp"].groupby(["task", "split"]).size()
    assert len(sizes) == 5
    for (task, split), size in sizes.items():
        assert size == TASKS[task].pairs[split], (task, split)
    positive = benchmarks.groupby("task").score.sum().to_dict()
    assert positive == {"mrpc": 2753 + 1147, "paws_qqp": 191, "qqp": 14_926}
    assert benchmarks.groupby(["task", "split"]).size()["qqp", "dev"] == round(14_926 / 20)


def test_no_byte_notation_is_left_and_scrambled_pairs_share_their_words(benchmarks):
    pairs = benchmarks[benchmarks.task == "paws_qqp"]
    assert not [text for text in (*pairs.sentence1, *pairs.sentence2) if text[:2] in ("b'", 'b"')]
    words = pairs[["sentence1", "sentence2"]].map(lambda text: frozenset(text.lower().split())).to_numpy()
    overlap = [len(one & other) / len(one | other) for one, other in words]
    assert np.median(overlap) > 0.9
