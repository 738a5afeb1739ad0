import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from contrapose.errors import TableError
from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.sts import cosine_table, scored_pairs, sts_scores
from contrapose.seeds import generator
from contrapose.tables import COSINES, SCORES, write_table
from contrapose.train.cosines import paired_cosines

JOB = EvaluationJob(run="encoder/x", bootstrap=200)


def pairs(gold, task="sts13", subset="FNWN", split="test", form="senteval"):
    about = {"task": task, "form": form, "split": split, "subset": subset, "row": range(len(gold))}
    texts = {"sentence1": [f"a{at}" for at in range(len(gold))], "sentence2": "b"}
    return pd.DataFrame({**about, **texts, "score": map(float, gold)})


def value(scores, metric="spearman", aggregation="all", **where):
    at = (scores.metric == metric) & (scores.aggregation == aggregation)
    for column, wanted in where.items():
        at &= scores[column] == wanted
    (found,) = scores[at].to_dict("records")
    return found


def test_cosines_are_worked_out_in_float64():
    first = np.array([[3, 4], [1, 0], [0, 2], [0, 0]], np.float32)
    second = np.array([[3, 4], [0, 5], [0, -1], [1, 1]], np.float32)
    cosines = paired_cosines(first, second)
    assert cosines.dtype == np.float64
    assert cosines.tolist() == [1, 0, -1, 0]
    # Rounding makes none larger than 1.
    vectors = np.random.default_rng(0).normal(size=(100, 8)).astype(np.float32)
    assert paired_cosines(vectors, 3 * vectors).max() == 1
    assert paired_cosines(vectors, -3 * vectors).min() == -1


def test_each_pair_keeps_its_cosine(tmp_path):
    table = cosine_table(pairs([5, 0, 3]), np.array([0.2, 0.9, 0.1]))
    write_table(table, tmp_path / "c.parquet", COSINES)
    assert table[["row", "cosine"]].to_numpy().tolist() == [[0, 0.2], [1, 0.9], [2, 0.1]]


def test_test_splits_and_stsb_dev_are_scored():
    table = pd.concat(
        [
            pairs([1], split="test"),
            pairs([1], task="stsb", split="dev"),
            pairs([1], task="stsb", split="train"),
            pairs([1], task="sickr", split="dev"),
        ]
    )
    chosen = scored_pairs(table)
    assert list(zip(chosen.task, chosen.split, strict=True)) == [("sts13", "test"), ("stsb", "dev")]


def test_all_is_one_list_and_not_the_mean_of_subsets():
    # methods, appendix: two subsets with perfect order, on different levels of cosine
    table = pd.concat([pairs([1, 2, 3, 4]), pairs([1, 2, 3, 4], subset="OnWN")], ignore_index=True)
    scores = sts_scores(table, np.array([0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.8, 0.9]), JOB)
    assert value(scores)["value"] == pytest.approx(0.487950, abs=1e-6)
    assert value(scores, aggregation="mean")["value"] == pytest.approx(1)
    assert value(scores)["n"] == value(scores, aggregation="mean")["n"] == 8
    # Resamples are drawn within a subset, where the order is perfect in each.
    mean = value(scores, aggregation="mean")
    assert (mean["low"], mean["high"]) == pytest.approx((1, 1))
    assert value(scores)["low"] < value(scores)["value"] < value(scores)["high"] < 1


def test_ties_get_their_average_rank():
    scores = sts_scores(pairs([1, 2, 2, 4]), np.array([0.1, 0.3, 0.2, 0.9]), JOB)
    assert value(scores)["value"] == pytest.approx(0.948683, abs=1e-6)  # methods, appendix


def test_the_weighted_mean_weighs_subsets_by_their_pairs():
    table = pd.concat([pairs([1, 2, 3]), pairs([1, 2, 3, 4, 5, 6], subset="OnWN")], ignore_index=True)
    cosines = np.array([0.3, 0.2, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])  # correlations -1 and 1
    scores = sts_scores(table, cosines, JOB)
    assert value(scores, aggregation="mean")["value"] == pytest.approx(0)
    assert value(scores, aggregation="wmean")["value"] == pytest.approx(1 / 3)
    weighted = value(scores, "pearson", "wmean")
    assert (weighted["low"], weighted["value"], weighted["high"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_without_subsets_all_aggregations_are_equal():
    data = np.random.default_rng(0)
    gold = data.random(40)
    scores = sts_scores(pairs(gold, task="stsb", subset="stsb"), gold + data.random(40), JOB)
    spearman = scores[scores.metric == "spearman"][["value", "n", "low", "high"]]
    assert len(spearman.drop_duplicates()) == 1
    assert (spearman.low < spearman.value).all()
    assert (spearman.value < spearman.high).all()


def test_the_scores_are_a_table_with_every_form_and_split(tmp_path):
    sets = [pairs([1, 2, 3, 5], **given) for given in ({}, {"form": "raw"}, {"task": "stsb", "split": "dev"})]
    scores = sts_scores(pd.concat(sets, ignore_index=True), np.arange(12) / 12, JOB)
    assert len(scores) == 3 * 2 * 3
    write_table(scores, tmp_path / "s.parquet", SCORES)


def test_an_interval_is_that_of_all_resamples_scored_one_by_one():
    gold, cosines = np.random.default_rng(0).random((2, 30))
    scores = sts_scores(pairs(gold), cosines, JOB)
    drawn = generator("bootstrap", "sts13", "senteval", "test").integers(0, 30, size=(JOB.bootstrap, 30))
    for metric, function in (("spearman", spearmanr), ("pearson", pearsonr)):
        found = value(scores, metric)
        resampled = [function(cosines[at], gold[at]).statistic for at in drawn]
        assert [found["low"], found["high"]] == pytest.approx(np.quantile(resampled, [0.025, 0.975]))


@pytest.mark.parametrize(
    ("gold", "cosines", "message"),
    [
        ([1, 2], [0.1, 0.2], r"encoder/x on sts13/senteval/test: 2 scored pairs, .* needs 3"),
        ([2, 2, 2], [0.1, 0.2, 0.3], r"sts13/senteval/test: all 3 gold scores are 2,"),
        ([1, 2, 3], [0.5, 0.5, 0.5], r"sts13/senteval/test: all 3 cosines are 0\.5, .*same direction"),
        ([1, 2, 3], [0.5, np.nan, 0.5], r"encoder/x: the cosine of 'a1' and its pair is not a number"),
    ],
)
def test_what_has_no_correlation_is_refused_with_its_task(gold, cosines, message):
    with pytest.raises(TableError, match=message):
        sts_scores(pairs(gold), np.array(cosines), JOB)
    # Or with its subset.
    table = pd.concat([pairs([1, 2, 3]), pairs([4, 4, 4], subset="OnWN")], ignore_index=True)
    with pytest.raises(TableError, match="sts13/senteval/test/OnWN: all 3 gold scores are 4"):
        sts_scores(table, np.arange(6) / 6, JOB)
