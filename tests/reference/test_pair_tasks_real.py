"""Pair tasks in their real files: the numbers of PPDB-CSE's tables 1 and 2, and what other readers read."""

import csv
import json
import os
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles
from contrapose.tasks import NLI_CLASSES, TASKS

DATA = os.environ.get("CONTRAPOSE_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="CONTRAPOSE_DATA names no folder with the original files")
PLACES = {  # task: kind, path, and the splits that are there
    "stsb_pairs": ("stsb", "sts_raw/stsbenchmark", ("train", "dev", "test")),
    "sick_pairs": ("sick", "sick_raw", ("train", "dev")),
    "sick_nli": ("sick", "sick_raw", ("train", "dev")),
    "snli": ("snli", "SNLI", ("dev", "test")),
    "jsts": ("jglue", "jglue/jsts-v1.3", ("train", "dev", "test")),
    "jnli": ("jglue", "jglue/jnli-v1.3", ("test",)),
    "jsick": ("jsick", "jsick", ("train", "dev", "test")),
    "jsick_nli": ("jsick", "jsick", ("train", "dev", "test")),
    "pawsx_ja": ("pawsx", "pawsx/xtreme_ja", ("dev",)),
}
# SemEval's files of SICK: the paper has the later release, 4,439 and 495 pairs.
SEMEVAL = {
    (task, split): n for task in ("sick_pairs", "sick_nli") for split, n in (("train", 4500), ("dev", 500))
}


@pytest.fixture(scope="module")
def benchmarks():
    sources = {
        task: BenchmarkFiles(kind=kind, task=task, path=path, form="raw")
        for task, (kind, path, _) in PLACES.items()
    }
    return read_benchmarks(Path(DATA), sources)


def class_name(score: float) -> str:
    return NLI_CLASSES[int(score)]


def part(table: pd.DataFrame, task: str, split: str) -> pd.DataFrame:
    return table[(table.task == task) & (table.split == split)]


def test_the_real_files_have_the_numbers_of_the_paper_s_tables(benchmarks):
    table, missing = benchmarks
    there = [(task, split) for task, (_, _, splits) in PLACES.items() for split in splits]
    published = {(task, split): TASKS[task].pairs[split] for task, split in there}
    assert table.groupby(["task", "split"]).size().to_dict() == published | SEMEVAL
    wanted = {(task, split) for task in PLACES for split in ("train", "dev", "test")}
    assert {tuple(what.split("/")[::2]) for what in missing} == wanted - set(there)


def test_sick_s_two_tasks_are_the_same_pairs_with_another_gold_value(benchmarks):
    for one, other in (("sick_pairs", "sick_nli"), ("jsick", "jsick_nli")):
        for split in ("train", "dev"):
            texts = [
                part(benchmarks[0], task, split)[["row", "sentence1", "sentence2"]] for task in (one, other)
            ]
            assert texts[0].values.tolist() == texts[1].values.tolist()


def test_scores_and_classes_are_those_of_plain_readers(benchmarks):
    table, _ = benchmarks
    data = Path(DATA)
    lines = [json.loads(line) for line in (data / "jglue/jnli-v1.3/valid-v1.3.json").open(encoding="utf-8")]
    assert part(table, "jnli", "test").score.map(class_name).tolist() == [line["label"] for line in lines]
    lines = [json.loads(line) for line in (data / "jglue/jsts-v1.3/train-v1.3.json").open(encoding="utf-8")]
    own = pd.concat([part(table, "jsts", "train"), part(table, "jsts", "dev")]).sort_values("row")
    assert own.sentence1.tolist() == [line["sentence1"].strip() for line in lines]
    assert own.score.tolist() == [line["label"] for line in lines]
    jsick = pd.read_csv(data / "jsick/jsick.tsv", sep="\t", quoting=csv.QUOTE_NONE, encoding="utf-8")
    test = jsick[jsick.data == "test"]
    assert part(table, "jsick", "test").score.tolist() == test.relatedness_score_Ja.tolist()
    assert part(table, "jsick_nli", "test").score.map(class_name).tolist() == [
        label.lower() for label in test.entailment_label_Ja
    ]
    snli = Counter((data / "senteval/SNLI/labels.test").read_text().split())
    assert part(table, "snli", "test").score.map(class_name).value_counts().to_dict() == snli


def test_dev_pairs_of_jsts_are_spread_over_the_file_and_like_the_others(benchmarks):
    dev, train = (part(benchmarks[0], "jsts", split) for split in ("dev", "train"))
    assert abs(dev.row.mean() / train.row.mean() - 1) < 0.05
    assert abs(dev.score.mean() - train.score.mean()) < 0.15  # three standard errors
    assert not set(dev.row) & set(train.row)


def test_placeholders_of_paws_x_are_kept_as_the_paper_s_counts_say(benchmarks):
    pairs = part(benchmarks[0], "pawsx_ja", "dev")
    assert [*pairs.sentence1, *pairs.sentence2].count("NS") == 21  # of 2,000 pairs, all of them counted
    assert pairs.score.sum() == 854
