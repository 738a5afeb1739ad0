"""The Chinese sets in their real files: as many pairs as published, and the same in both of their forms."""

import os
from pathlib import Path

import pandas as pd
import pytest

from contrapose.corpus.task_sentences import task_sentences
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.corpora import TaskCorpus
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tasks import TASKS

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="CONTRAPOSE_DATA names no folder with the Chinese sets")
FOLDERS = {"atec": "ATEC", "bq": "BQ", "lcqmc": "LCQMC", "pawsx_zh": "PAWSX", "stsb_zh": "STS-B"}
BUNDLE = {
    task: BenchmarkFiles(kind="senteval_cn", task=task, path=f"senteval_cn/{name}")
    for task, name in FOLDERS.items()
}
ORIGINAL = {
    "atec": BenchmarkFiles(kind="atec", task="atec", path="chinese_original/ATEC"),
    "bq": BenchmarkFiles(kind="bq", task="bq", path="chinese_original/BQ_corpus"),
    "stsb_zh": BenchmarkFiles(kind="cnsd", task="stsb_zh", path="chinese_original/CNSD-STS-B"),
    "pawsx_zh": BenchmarkFiles(kind="pawsx", task="pawsx_zh", path="pawsx/zh"),
}


def table_of(sources: dict) -> tuple[pd.DataFrame, dict[str, str]]:
    return read_benchmarks(Path(DATA or ""), sources)


def test_every_split_that_is_there_has_the_published_number_of_pairs():
    table, missing = table_of(BUNDLE)
    for (task, split), pairs in table.groupby(["task", "split"]):
        assert len(pairs) == TASKS[task].pairs[split], (task, split)
    assert set(missing) == {
        *(f"{task}/senteval/train" for task in ("atec", "bq", "lcqmc", "pawsx_zh")),
        "lcqmc/senteval/test",
    }
    positive = table[(table.split == "test") & (table.task == "atec")].score.sum()
    assert positive == 3610  # as counted in the file by other means


@pytest.mark.parametrize("task", ["bq", "stsb_zh", "pawsx_zh"])
def test_the_bundle_and_the_first_release_hold_the_same_pairs(task):
    columns = ["split", "row", "sentence1", "sentence2", "score"]
    ours, other = (table_of({task: sources[task]})[0][columns] for sources in (BUNDLE, ORIGINAL))
    shared = ours[ours.split.isin(set(other.split))].reset_index(drop=True)
    assert len(shared) == len(other)
    assert (shared.score.to_numpy() == other.score.to_numpy()).all()
    # A few texts of PAWS-X differ in their white space.
    assert (shared.sentence1.to_numpy() == other.sentence1.to_numpy()).mean() >= 0.99


def test_the_training_sentences_at_hand_make_a_corpus_without_repetitions():
    own = {"atec_test": BUNDLE["atec"].model_copy(update={"splits": ["dev", "test"]})}
    train = {"atec": ORIGINAL["atec"].model_copy(update={"splits": ["train"]})}
    table, _ = table_of({**train, "stsb_zh": BUNDLE["stsb_zh"], **own})
    spec = TaskCorpus(kind="tasks", tasks=["atec", "stsb_zh"], split="train", size=None, seed=1)
    corpus = task_sentences(table, spec)
    assert len(corpus) == corpus.text.nunique() == 86936
