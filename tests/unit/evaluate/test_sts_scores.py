from functools import partial

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError, UnavailableError
from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.suite import SuiteSettings, build, scored_pairs, sts_scores
from contrapose.jobs.status import read_status
from contrapose.tables import SCORES, write_table
from tests.tables import scored

JOB = RunSettings(run="encoder/x")


pairs = partial(scored, task="sts13", subset="FNWN")


def value(scores, metric="spearman", aggregation="all"):
    (found,) = scores[(scores.metric == metric) & (scores.aggregation == aggregation)].to_dict("records")
    return found


def test_all_is_one_list_and_not_the_mean_of_subsets():
    # methods, appendix: two subsets with perfect order, on different levels of cosine
    table = pd.concat([pairs([1, 2, 3, 4]), pairs([1, 2, 3, 4], subset="OnWN")], ignore_index=True)
    scores = sts_scores(table, np.array([0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.8, 0.9]), JOB)
    assert value(scores)["value"] == pytest.approx(0.487950, abs=1e-6)
    assert value(scores)["n"] == value(scores, aggregation="mean")["n"] == 8
    mean = value(scores, aggregation="mean")
    assert mean["value"] == pytest.approx(1)


def test_test_splits_and_stsb_dev_are_scored_in_every_form(tmp_path):
    kept = [{}, {"form": "raw"}, {"task": "stsb", "split": "dev"}]
    others = [{"task": "stsb", "split": "train"}, {"task": "sickr", "split": "dev"}]
    sets = [pairs([1, 2, 2, 4], **given) for given in [*kept, *others]]
    table = scored_pairs(pd.concat(sets, ignore_index=True))
    assert table.equals(pd.concat(sets[:3], ignore_index=True))
    cosines = np.tile([0.1, 0.3, 0.2, 0.9], 3)
    scores = sts_scores(table, cosines, JOB)
    write_table(scores, tmp_path / "s.parquet", SCORES)
    assert len(scores) == 3 * 2 * 3
    # Ties get their average rank, and without subsets all aggregations are equal.
    spearman = scores[scores.metric == "spearman"]
    assert spearman.value.to_numpy() == pytest.approx(0.948683, abs=1e-6)
    assert len(spearman[["split", "form", "value", "n"]].drop_duplicates()) == 3


def test_the_weighted_mean_weighs_subsets_by_their_pairs():
    table = pd.concat([pairs([1, 2, 3]), pairs([1, 2, 3, 4, 5, 6], subset="OnWN")], ignore_index=True)
    scores = sts_scores(table, np.array([3, 2, 1, 1, 2, 3, 4, 5, 6]) / 10, JOB)  # correlations -1 and 1
    assert value(scores, aggregation="mean")["value"] == pytest.approx(0)
    for metric in ("spearman", "pearson"):
        weighted = value(scores, metric, "wmean")
        assert [weighted[each] for each in ("value", "ci_low")] == pytest.approx([1 / 3, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("gold", "cosines", "message"),
    [
        ([1, 2], [0.1, 0.2], "sts13/senteval/test has 2 scored pairs, but a correlation needs 3"),
        ([2, 2, 2], [0.1, 0.2, 0.3], "all 3 gold scores of sts13/senteval/test are 2,"),
        ([1, 2, 3], [0.5, 0.5, 0.5], "all 3 cosines of encoder/x on sts13/senteval/test are 0.5,"),
    ],
)
def test_what_has_no_correlation_is_left_out_and_says_why(gold, cosines, message):
    with pytest.raises(UnavailableError, match=message):
        sts_scores(pairs(gold), np.array(cosines), JOB)
    both = pd.concat([pairs(gold), pairs([1, 2, 3], task="sickr")], ignore_index=True)
    scores = sts_scores(both, np.array([*cosines, 0.1, 0.2, 0.3]), JOB)
    assert set(scores.task) == {"sickr"}
    assert [reason.startswith(message) for reason in read_status(scores.attrs).skipped] == [True]


def test_a_subset_without_a_correlation_is_named_and_a_cosine_that_is_no_number_is_an_error():
    table = pd.concat([pairs([1, 2, 3]), pairs([4, 4, 4], subset="OnWN")], ignore_index=True)
    with pytest.raises(UnavailableError, match="all 3 gold scores of sts13/senteval/test/OnWN are 4"):
        sts_scores(table, np.arange(6) / 6, JOB)
    with pytest.raises(TableError, match="encoder/x: the cosine of 'a1' and its pair is not a number, so"):
        sts_scores(pairs([1, 2, 3]), np.array([0.5, np.nan, 0.5]), JOB)


def test_pairs_that_share_a_sentence_make_an_interval_wider():
    rng = np.random.default_rng(0)
    gold = rng.random(40)
    cosines = gold + rng.normal(size=40)
    table = pairs([*gold, *gold])  # every pair twice
    apart, shared = (
        value(sts_scores(each, np.tile(cosines, 2), JOB))
        for each in (table, table.assign(sentence1=[f"a{at % 40}" for at in range(80)]))
    )
    assert shared["value"] == apart["value"]
    ratio = (shared["ci_high"] - shared["ci_low"]) / (apart["ci_high"] - apart["ci_low"])
    assert ratio == pytest.approx(2**0.5, rel=0.05)


def test_without_dev_the_sentences_of_dev_pairs_are_not_encoded(monkeypatch):
    sets = [pairs([1, 2, 2, 4], task="own", subset="", split=split) for split in ("dev", "test")]
    seen: list[list[str]] = []

    def vectors(spec, source, texts, device):
        seen.append(texts)
        return np.random.default_rng(1).normal(size=(len(texts), 4)), "cls"

    monkeypatch.setattr("contrapose.evaluate.suite.sentence_vectors", vectors)
    for dev in (True, False):
        spec = SuiteSettings(run="encoder/x", dev=dev)
        cosines, scores = build(spec, pd.concat(sets, ignore_index=True), None, None)
        assert set(scores.split) == set(cosines.split) == {"test", *["dev"] * dev}
    assert [len(texts) for texts in seen] == [16, 8]
