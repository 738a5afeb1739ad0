"""Transfer tasks: a logistic regression on frozen vectors, in SentEval's protocol."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.evaluate.evaluation import RunSettings, Source, run_settings, sentence_vectors
from contrapose.evaluate.influence import Measured, f1, ratio, scored
from contrapose.jobs.step import Device, FromJob, Outputs, Rows, planned
from contrapose.settings.plan import Plan
from contrapose.tables import PREDICTIONS, SCORES, TRANSFER, empty

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

logger = logging.getLogger(__name__)

SEED = 1111  # SentEval's, for every division into folds
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)  # weight decays, `senteval/tools/validation.py`
MOST_STEPS = 1000  # of Newton's method, which rarely needs ten

Part = tuple[np.ndarray, np.ndarray]  # train items and held-out items


class Classified(NamedTuple):
    """Held-out items and their predictions by a classifier that was not fitted on them."""

    items: np.ndarray  # (n,) places in the task
    fold: np.ndarray  # (n,) fold in which they were held out
    predicted: np.ndarray  # (n,)


class Transfer(RunSettings):
    """What the scores of one encoder on the transfer tasks depend on, beside its folder and the tasks."""

    folds: int = Field(10, ge=2, description="Of tasks without given splits, and to choose penalties")


@planned
def plan(project: Plan, run: str) -> Transfer:
    """Return the folds and precision of the transfer tasks, and the encoder of a run."""
    return run_settings(Transfer, project, run, folds=project.config.folds)


def build(
    spec: Transfer,
    transfer: Annotated[pd.DataFrame, Rows(TRANSFER)],
    source: Source,
    device: Device,
    threads: Annotated[int, FromJob(lambda spec, job: job.threads)],
) -> Annotated[tuple, Outputs(scores=SCORES, predictions=PREDICTIONS)]:
    """Score one encoder on every transfer task: one of a run, or a pretrained one."""
    from threadpoolctl import threadpool_limits

    texts = [*transfer.sentence1, *transfer.sentence2.dropna()]
    with threadpool_limits(threads):
        vectors, _ = sentence_vectors(spec, source, texts, device)
        first, second = vectors[: len(transfer)], vectors[len(transfer) :]
        return transfer_results(transfer, first, second, spec)


def transfer_results(
    items: pd.DataFrame, first: np.ndarray, second: np.ndarray, job: Transfer
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score an encoder on every transfer task, with 95 % intervals over items.

    `first`, of shape (len(items), D), are the vectors of `sentence1`, and `second`, of shape (m, D), those of
    `sentence2` of the m items that have one, in their order.

    Returns SCORES: accuracy in [0, 1] on `test`, the held-out parts of all folds if no split is given, and on
    `dev`, by which the penalty was chosen: SentEval's devacc.  F1 of label 1 on the test pairs.  And
    PREDICTIONS for every test item, and for the train or dev items of tasks with given splits.  Raises
    TableError if a class has too few items for the folds.
    """
    places = np.cumsum(items.sentence2.notna()) - 1  # of an item's vector in `second`
    scores: list[dict] = []
    predictions = [empty(PREDICTIONS)]
    for task, group in tqdm(items.groupby("task", sort=True), desc="tasks", mininterval=5):
        at = group.index.to_numpy()
        pairs = bool(group.sentence2.notna().all())
        x = first[at]
        if pairs:  # |u - v| and u * v side by side, (n, 2 D).  SentEval, `mrpc.py`
            other = second[places[at]]
            x = np.hstack([np.abs(x - other), x * other])
        y = group.label.to_numpy()
        test, dev = classified(x, y, group.split.to_numpy(), job.folds, f"{job.run} on {task}")
        measures = {("test", "accuracy"): accuracy(y, [test]), ("dev", "accuracy"): accuracy(y, dev)}
        if pairs:
            measures["test", "f1"] = f1(test.predicted == 1, y[test.items] == 1)
        for (split, metric), measured in measures.items():
            about = {"run": job.run, "task": task, "form": "senteval", "split": split, "metric": metric}
            scores.append({**about, "aggregation": "all", **scored(measured)})
        for part in [test, *dev] if len(dev) == 1 else [test]:
            rows = group.iloc[part.items]
            predicted = {"run": job.run, "fold": part.fold, "predicted": part.predicted}
            predictions.append(rows[["task", "split", "row", "label"]].assign(**predicted))
    return pd.DataFrame(scores, columns=SCORES.columns), pd.concat(predictions, ignore_index=True)


def classified(
    x: np.ndarray, y: np.ndarray, split: np.ndarray, folds: int, where: str
) -> tuple[Classified, list[Classified]]:
    """Classify the held-out items of a task: x of shape (n, features), y and split of shape (n,).

    The available splits decide the protocol, as in SentEval's `validation.py`.  `all`: stratified folds,
    with as many inner folds of the remaining items to choose the penalty.  `train` and `test`: folds of the
    train part to choose it.  `train`, `dev` and `test`: the dev part chooses it.  The classifier is then
    fitted on all of the train part with the chosen penalty.

    Returns the test items, and the items by which a penalty was chosen, once for each choice.  `where` names
    run and task in messages.  Raises TableError if a class has fewer items than there are folds.
    """
    train, dev, test = (np.flatnonzero(split == name) for name in ("train", "dev", "test"))
    outer = [(train, test)] if len(test) else divided(y, np.arange(len(y)), folds, where)
    tests, chosen_by, penalties = [], [], []
    for fitted_to, held_out in outer:
        inner = [(fitted_to, dev)] if len(dev) else divided(y, fitted_to, folds, where)
        penalty, of_dev = selected(x, y, inner)
        tests.append(fitted(x[fitted_to], y[fitted_to], penalty).predict(x[held_out]))
        chosen_by.append(of_dev)
        penalties.append(penalty)
    counts = {penalty: penalties.count(penalty) for penalty in sorted(set(penalties))}
    logger.info("%s: chosen penalties, and how often: %s", where, counts)
    return _together(outer, tests), chosen_by


def divided(y: np.ndarray, items: np.ndarray, folds: int, where: str) -> list[Part]:
    """Divide items into stratified folds; each is held out once."""
    classes, sizes = np.unique(y[items], return_counts=True)
    if sizes.min() < folds:
        raise TableError(
            f"{where}: class {classes[sizes.argmin()]} has {sizes.min()} items, too few to divide "
            f"into {folds} folds. Complete the files of the task, choose a larger catalog, or lower "
            "`folds`."
        )
    from sklearn.model_selection import StratifiedKFold

    division = StratifiedKFold(folds, shuffle=True, random_state=SEED).split(items, y[items])
    return [(items[train], items[held_out]) for train, held_out in division]


def selected(x: np.ndarray, y: np.ndarray, parts: Sequence[Part]) -> tuple[float, Classified]:
    """Choose the penalty that is best on held-out items, on average over the parts.

    Accuracies are compared in percent with two decimals, and of equal ones the smallest penalty is taken, as
    in SentEval.  The held-out items of all parts are classified with that penalty.
    """
    predicted = []  # for each part: (penalties, held-out items)
    for train, held_out in parts:
        of_part = [fitted(x[train], y[train], penalty).predict(x[held_out]) for penalty in PENALTIES]
        predicted.append(np.stack(of_part))
    right = [(each == y[held_out]).mean(axis=1) for each, (_, held_out) in zip(predicted, parts, strict=True)]
    best = int(np.argmax(np.round(100 * np.mean(right, axis=0), 2)))
    return PENALTIES[best], _together(parts, [each[best] for each in predicted])


def fitted(x: np.ndarray, y: np.ndarray, penalty: float) -> "LogisticRegression":
    """Return a logistic regression with SentEval's objective at its minimum.

    SentEval adds `penalty / 2 * |W|^2` to the mean cross-entropy of a softmax with a weight vector per
    class.  scikit-learn multiplies the sum of the cross-entropies by C, and for two classes has only the
    difference of both vectors: its square is twice the sum of theirs at the minimum.  SentEval stops Adam
    early, whereas scikit-learn goes to the minimum, and SentEval also penalises the bias.  Without a penalty
    on the bias, the mean of the vectors has no effect; subtracting it halves the time for vectors in a
    narrow cone.
    """
    from sklearn.linear_model import LogisticRegression

    strength = (2 if len(np.unique(y)) == 2 else 1) / (penalty * len(y))
    mean = x.mean(axis=0)
    classifier = LogisticRegression(C=strength, solver="newton-cg", max_iter=MOST_STEPS).fit(x - mean, y)
    classifier.intercept_ -= classifier.coef_ @ mean
    return classifier


def _together(parts: Sequence[Part], predicted: Sequence[np.ndarray]) -> Classified:
    held_out = [items for _, items in parts]
    fold = np.repeat(np.arange(len(parts)), [len(items) for items in held_out])
    return Classified(np.concatenate(held_out), fold, np.concatenate(predicted))


def accuracy(y: np.ndarray, choices: Sequence[Classified]) -> Measured:
    """Return the mean over choices of the mean accuracy over their folds, as SentEval averages."""
    weights, added = np.zeros(len(y)), np.zeros(len(y))
    for choice in choices:
        sizes = np.bincount(choice.fold)
        each = 1 / (len(choices) * len(sizes) * sizes[choice.fold])
        weights[choice.items] += each
        added[choice.items] += each * (choice.predicted == y[choice.items])
    return ratio(np.column_stack([added, weights])[weights > 0])
