"""Classification scores: accuracy and F1, with intervals."""

import numpy as np

from contrapose.evaluate.bootstrap import resampled_means, with_interval


def class_scores(
    gold: np.ndarray, said: np.ndarray, resamples: int, rng: np.random.Generator
) -> dict[str, dict[str, float]]:
    """Return {metric: value, n, low, high} of accuracy, micro-F1 and macro-F1, each in [0, 1].

    A pair has one gold and one predicted class, so micro-F1 equals accuracy.  Macro-F1 is the mean over the
    classes that occur, as gold or predicted; in a resample, over those that occur there.

    `gold` and `said` are classes from 0, int of shape (n,).
    """
    classes = np.arange(max(gold.max(), said.max()) + 1)
    is_gold, is_said = gold[:, None] == classes, said[:, None] == classes  # (n, classes)
    right = (gold == said)[:, None]
    # Contribution of each pair to accuracy, and to numerator and denominator of F1, 2 TP / (gold + said).
    parts = np.hstack([right, 2.0 * (is_gold & is_said), 1.0 * is_gold + is_said])
    all_of_them, resampled = parts.mean(axis=0), resampled_means(parts, resamples, rng)
    measures = {"accuracy": _accuracy, "micro_f1": _accuracy, "macro_f1": _macro_f1}
    return {
        metric: with_interval(measure(all_of_them[None])[0], measure(resampled), len(gold))
        for metric, measure in measures.items()
    }


def _accuracy(means: np.ndarray) -> np.ndarray:
    return means[:, 0]


def _macro_f1(means: np.ndarray) -> np.ndarray:
    """Return the macro-F1 of each row of means over pairs, (resamples, 1 + 2 classes): (resamples,)."""
    twice_right, both = np.hsplit(means[:, 1:], 2)
    occurs = both > 0
    scores = np.divide(twice_right, both, out=np.zeros_like(both), where=occurs)
    return scores.sum(axis=1) / occurs.sum(axis=1)
