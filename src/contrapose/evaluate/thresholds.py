"""Accuracy and F1 of paraphrase detection by cosine, at thresholds chosen on dev pairs."""

import logging
from collections.abc import Callable

import numpy as np

from contrapose.evaluate.influence import Measured, f1, mean

logger = logging.getLogger(__name__)


def accuracy_threshold(cosines: np.ndarray, labels: np.ndarray) -> float:
    """Return the threshold with the highest accuracy; above all cosines, if that is best.

    A pair is predicted to be a paraphrase if its cosine is at least the threshold; labels are 0 or 1.
    Midpoints between neighbouring cosines are tried, as in sentence-transformers'
    BinaryClassificationEvaluator, and a value below the lowest; of equally good ones the highest is taken.
    """
    thresholds, predicted, right = _candidates(cosines, labels)
    return float(thresholds[np.argmax(right + (labels == 0).sum() - (predicted - right))])


def f1_threshold(cosines: np.ndarray, labels: np.ndarray) -> float:
    """Return the threshold with the largest F1 of label 1, of the same thresholds."""
    thresholds, predicted, right = _candidates(cosines, labels)
    return float(thresholds[np.argmax(2 * right / (predicted + labels.sum()))])


def _candidates(cosines: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return thresholds in descending order, and the numbers of pairs and of label 1 pairs at or above."""
    order = np.argsort(-cosines, kind="stable")
    values = cosines[order]
    ends = np.flatnonzero(np.append(values[1:] < values[:-1], True))  # the last of equal cosines
    midpoints = (values[ends[:-1]] + values[ends[:-1] + 1]) / 2
    # There may be no float between two neighbours: then the higher one is taken.
    midpoints = np.where(midpoints > values[ends[:-1] + 1], midpoints, values[ends[:-1]])
    thresholds = np.concatenate([[np.nextafter(values[0], np.inf)], midpoints, values[-1:]])
    right = np.cumsum(labels[order])[ends]
    return thresholds, np.append(0, ends + 1), np.append(0, right)


# The threshold that is best by a measure, and the measure, of what is predicted and what is true.
MEASURES: dict[str, tuple[Callable, Callable[[np.ndarray, np.ndarray], Measured]]] = {
    "accuracy": (accuracy_threshold, lambda predicted, gold: mean((predicted == gold).astype(float))),
    "f1": (f1_threshold, f1),
}


def threshold_scores(
    dev: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray], where: str
) -> dict[str, Measured]:
    """Return accuracy and F1 of test pairs, each at its own threshold, as RISE's code does.

    `dev` and `test` are cosines and labels of shape (n,), with both labels among them.  Thresholds are chosen
    on the dev pairs, and count as fixed.  `where` names run and task in the log.
    """
    scores = {}
    for name, (best, measure) in MEASURES.items():
        threshold = best(dev[0], dev[1].astype(int))
        scores[name] = measure(test[0] >= threshold, test[1] == 1)
        logger.info("%s: threshold of %s is %.4f, by %d dev pairs", where, name, threshold, len(dev[0]))
    return scores
