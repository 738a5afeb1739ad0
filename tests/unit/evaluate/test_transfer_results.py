"""The protocol against scikit-learn's own search, and numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold

from contrapose.base.errors import TableError
from contrapose.evaluate.transfer import PENALTIES, Transfer, accuracy, classified, fitted, transfer_results
from contrapose.tables import PREDICTIONS, SCORES, TRANSFER, write_table

JOB = Transfer(run="r", folds=4)


def problem(n: int, classes: int = 2, noise: float = 1.0, size: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Make vectors far from 0, of which the first ones hint at the class."""
    y = np.arange(n) % classes
    x = np.random.default_rng(n).normal(3, noise, (n, size))
    x[:, :classes] += np.eye(classes)[y]
    return x, y


def splits() -> StratifiedKFold:
    return StratifiedKFold(JOB.folds, shuffle=True, random_state=1111)


def plain(x, y, penalty, classes: int = 2) -> LogisticRegression:
    factor = 2 if classes == 2 else 1
    return LogisticRegression(C=factor / (penalty * len(y)), tol=1e-8, max_iter=10_000).fit(x, y)


def means_of_folds(x, y, classes: int = 2) -> np.ndarray:
    """Return the mean accuracy over folds of each penalty."""
    folds = list(splits().split(x, y))
    found = [[plain(x[a], y[a], each, classes).score(x[b], y[b]) for each in PENALTIES] for a, b in folds]
    return np.mean(found, axis=0)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_minimum_is_that_of_sentevals_objective(classes):
    """Gradient of mean cross-entropy plus penalty / 2 |W|^2, with a softmax of a vector per class."""
    x, y = problem(60, classes)
    penalty = 0.01
    found = fitted(x, y, penalty)
    weights, bias = found.coef_, found.intercept_  # (classes, features), (classes,)
    if classes == 2:  # both vectors: at the minimum they are opposite, and half of the difference each
        weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    logits = x @ weights.T + bias
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    error = (chances - np.eye(classes)[y]) / len(y)
    assert np.abs(error.T @ x + penalty * weights).max() < 5e-4
    assert np.abs(error.sum(axis=0)).max() < 5e-4


def test_without_given_splits_folds_within_folds_choose_the_penalty():
    x, y = problem(90)
    test, dev = classified(x, y, np.full(90, "all"), JOB.folds, "here")
    accuracies, chosen_by = [], []
    for train, held_out in splits().split(x, y):
        # The penalty is one on the mean over the items that a fit sees: so many are left in an inner fold.
        inner = means_of_folds(x[train], y[train])
        penalty = PENALTIES[int(np.round(100 * inner, 2).argmax())]
        chosen_by.append(inner.max())
        accuracies.append(plain(x[train], y[train], penalty).score(x[held_out], y[held_out]))
    assert accuracy(y, [test]).value == pytest.approx(np.mean(accuracies))
    assert accuracy(y, dev).value == pytest.approx(np.mean(chosen_by))
    assert sorted(test.items) == list(range(90))
    assert len(dev) == JOB.folds


def test_with_a_train_and_a_test_part_folds_of_the_train_part_choose_it():
    x, y = problem(120, classes=3)  # 90 to train on: a fold's fit sees 67 or 68 of them
    split = np.repeat(["train", "test"], [90, 30])
    test, (dev,) = classified(x, y, split, JOB.folds, "here")
    means = means_of_folds(x[:90], y[:90], classes=3)
    penalty = PENALTIES[int(np.round(100 * means, 2).argmax())]
    assert accuracy(y, [dev]).value == pytest.approx(means.max())
    assert test.predicted.tolist() == plain(x[:90], y[:90], penalty, classes=3).predict(x[90:]).tolist()


def test_a_given_dev_part_chooses_it_as_in_a_grid_search():
    x, y = problem(150, noise=2.0)
    split = np.repeat(["train", "dev", "test"], [80, 40, 30])
    test, (dev,) = classified(x, y, split, JOB.folds, "here")
    given = PredefinedSplit(np.repeat([-1, 0], [80, 40]))
    strengths = {"C": [2 / (penalty * 80) for penalty in PENALTIES]}  # the smallest penalty first, as here
    search = GridSearchCV(LogisticRegression(tol=1e-8), strengths, cv=given, refit=False)
    search.fit(x[:120], y[:120])
    assert accuracy(y, [dev]).value == pytest.approx(search.best_score_)
    chosen = plain(x[:80], y[:80], PENALTIES[search.best_index_])
    assert test.predicted.tolist() == chosen.predict(x[120:]).tolist()


def test_predictions_add_up_to_the_scores(tmp_path):
    """Of two tasks, one of pairs, whose rows stand mixed in the table."""
    x, y = problem(80, noise=0.5)
    mr = pd.DataFrame({"task": "mr", "split": "all", "row": range(80), "label": y, "sentence2": None})
    mrpc = mr[:60].assign(task="mrpc", split=np.repeat(["train", "test"], [40, 20]), sentence2="b")
    order = np.random.default_rng(0).permutation(140)
    items = pd.concat([mr, mrpc]).assign(sentence1="a").iloc[order].reset_index(drop=True)[TRANSFER.columns]
    first = np.concatenate([x, np.zeros((60, 6))])[order]
    second = x[items[items.task == "mrpc"]["row"]]  # |0 - v| tells of the class as v does
    scores, predictions = transfer_results(items, first, second, JOB)
    write_table(scores, tmp_path / "s.parquet", SCORES)
    write_table(predictions, tmp_path / "p.parquet", PREDICTIONS)
    right = predictions.assign(right=predictions.label == predictions.predicted)
    found = {(row.task, row.split, row.metric): row for row in scores.itertuples()}
    of_accuracy = {(task, split, "accuracy") for task in ("mr", "mrpc") for split in ("dev", "test")}
    assert set(found) == {*of_accuracy, ("mrpc", "test", "f1")}
    for task, theirs, ours in [("mr", "all", "test"), ("mrpc", "test", "test"), ("mrpc", "train", "dev")]:
        of_part = right[(right.task == task) & (right.split == theirs)]
        row = found[task, ours, "accuracy"]
        assert row.value == pytest.approx(of_part.groupby("fold").right.mean().mean())
        assert row.n == len(of_part) == (items.task.eq(task) & items.split.eq(theirs)).sum()
        assert 0 <= row.ci_low <= row.value <= row.ci_high <= 1
    test = predictions[(predictions.task == "mrpc") & (predictions.split == "test")]
    assert found["mrpc", "test", "f1"].value == pytest.approx(f1_score(test.label, test.predicted))
    # The labels are those of the rows, in whatever order the table has them.
    both = predictions.merge(items, on=["task", "split", "row"], suffixes=("", "_given"))
    assert len(both) == len(predictions)
    assert (both.label == both.label_given).all()
    assert min(found[task, "test", "accuracy"].value for task in ("mr", "mrpc")) > 0.6


def test_a_class_of_fewer_items_than_folds_is_refused():
    with pytest.raises(TableError, match="r on mr: class 1 has 3 items, too few to divide into 4 folds"):
        classified(problem(40)[0], np.repeat([0, 1], [37, 3]), np.full(40, "all"), 4, "r on mr")
