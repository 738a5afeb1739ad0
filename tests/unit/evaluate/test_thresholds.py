import numpy as np
import pandas as pd
import pytest
from sentence_transformers.sentence_transformer.evaluation import BinaryClassificationEvaluator
from sklearn.metrics import accuracy_score, f1_score

from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.suite import scored_pairs, sts_scores
from contrapose.evaluate.thresholds import MEASURES, accuracy_threshold, f1_threshold, threshold_scores
from contrapose.tables import SCORES, write_table
from tests.tables import scored

JOB = RunSettings(run="encoder/x")
THEIRS = {
    "accuracy": lambda *pairs: BinaryClassificationEvaluator.find_best_acc_and_threshold(*pairs, True)[-1],
    "f1": lambda *pairs: BinaryClassificationEvaluator.find_best_f1_and_threshold(*pairs, True)[-1],
}


def drawn(seed: int, n: int = 60, decimals: int = 12):
    """Return cosines that tell labels apart a little; few decimals make ties."""
    data = np.random.default_rng(seed)
    labels = data.integers(0, 2, n)
    return np.round(0.2 * labels + data.random(n) / 2, decimals), labels


@pytest.mark.parametrize("decimals", [1, 2, 12])
@pytest.mark.parametrize("measure", MEASURES)
def test_thresholds_are_those_of_sentence_transformers_and_none_is_better(measure, decimals):
    best, measured = MEASURES[measure]
    theirs = {"accuracy": accuracy_score, "f1": f1_score}[measure]
    for seed in range(3):
        cosines, labels = drawn(seed, decimals=decimals)
        assert best(cosines, labels) == pytest.approx(THEIRS[measure](cosines, labels))
        said = cosines >= best(cosines, labels)
        value = measured(said, labels == 1).value
        assert value == pytest.approx(theirs(labels, said))
        tried = [theirs(labels, (cosines >= at).astype(int)) for at in np.linspace(0, 1, 21)]
        assert value >= max(tried) - 1e-12


def test_thresholds_by_hand():
    cosines, labels = np.array([0.9, 0.7, 0.5, 0.1]), np.array([1, 0, 1, 0])
    assert accuracy_threshold(cosines, labels) == pytest.approx(0.8)  # three right, as with 0.3
    assert f1_threshold(cosines, labels) == pytest.approx(0.3)  # 4 / 5, against 2 / 3 at 0.8
    # Where nothing is best, nothing is said.
    assert accuracy_threshold(np.array([0.9, 0.7]), np.array([0, 0])) > 0.9
    assert f1_threshold(np.array([0.9, 0.7]), np.array([0, 1])) == 0.7
    # Between neighbours there may be no number.
    next_to = np.array([0.5, np.nextafter(0.5, 1)])
    assert accuracy_threshold(next_to, np.array([0, 1])) == next_to[1]
    # A test pair at the threshold is said to be a paraphrase.
    dev, test = (np.array([0.9, 0.7]), np.array([0, 1])), (np.array([0.7, 0.6]), np.array([1, 0]))
    scores = threshold_scores(dev, test, "here")
    assert (scores["f1"].value, scores["accuracy"].value) == (1, 0.5)  # at 0.7; nothing above 0.9


def pairs(labels, task="mrpc", split="test"):
    return scored(labels, task, split=split, form="raw")


def test_each_measure_of_a_set_with_labels_has_its_own_threshold_from_dev(tmp_path):
    dev, test = drawn(3, 200), drawn(4, 300)
    others = pairs(1 - dev[1], split="dev")  # dev pairs of another form and of another set choose nothing
    others = [others.assign(form="senteval"), others.assign(task="paws_qqp")]
    table = pd.concat([pairs(dev[1], split="dev"), pairs(test[1]), *others], ignore_index=True)
    scores = sts_scores(table, np.concatenate([dev[0], test[0], dev[0], dev[0]]), JOB)
    assert set(scores.split) == {"test"}
    found = scores[scores.aggregation == "all"].set_index("metric")
    assert set(found.index) == {"spearman", "pearson", "accuracy", "f1"}
    assert set(scores.metric[scores.aggregation == "mean"]) == {"spearman", "pearson"}
    for measure, theirs in (("accuracy", accuracy_score), ("f1", f1_score)):
        said = (test[0] >= THEIRS[measure](*dev)).astype(int)
        assert found.value[measure] == pytest.approx(theirs(test[1], said))
        assert found.ci_low[measure] < found.value[measure] < found.ci_high[measure]
    assert set(found.n) == {300}
    write_table(scores, tmp_path / "s.parquet", SCORES)


def test_sets_without_both_labels_are_left_out_with_their_reason(caplog):
    both, duplicates, others = [0, 1, 1], [1, 1, 1], [0, 0, 0]
    sets = [
        *(pairs(both, split=split) for split in ("train", "dev", "test")),
        *(pairs(both, "qqp", split) for split in ("train", "dev")),
        *(pairs(duplicates, "qqp"), pairs(others, "paws_qqp", "dev"), pairs(both, "paws_qqp")),
    ]
    chosen = scored_pairs(pd.concat(sets, ignore_index=True))
    kept = [("mrpc", "dev"), ("mrpc", "test"), ("paws_qqp", "test")]
    assert list(chosen.groupby(["task", "split"]).groups) == kept
    for left_out in ("qqp/raw/dev", "qqp/raw/test", "paws_qqp/raw/dev"):
        assert f"{left_out} is skipped" in caplog.text
    scores = sts_scores(chosen, np.random.default_rng(0).random(len(chosen)), JOB)
    assert set(scores.metric[scores.task == "paws_qqp"]) == {"spearman", "pearson"}
    assert "encoder/x on paws_qqp/raw/test: accuracy and F1 are skipped" in caplog.text
