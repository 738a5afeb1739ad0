"""Classification scores: accuracy and F1, with the influence of each pair."""

import numpy as np

from contrapose.evaluate.influence import Measured, mean, ratio


def class_scores(gold: np.ndarray, said: np.ndarray) -> dict[str, Measured]:
    """Return accuracy, micro-F1 and macro-F1 by name, each in [0, 1].

    A pair has one gold and one predicted class, so micro-F1 equals accuracy.  Macro-F1 is the mean over the
    classes that occur, as gold or predicted.  `gold` and `said` are classes from 0, int of shape (n,).
    """
    accuracy = mean((gold == said).astype(float))
    of_classes = []
    for each in np.union1d(gold, said):
        is_gold, is_said = gold == each, said == each
        of_classes.append(ratio(np.column_stack([2.0 * (is_gold & is_said), 1.0 * is_gold + is_said])))
    values, influences = zip(*of_classes, strict=True)
    macro = Measured(float(np.mean(values)), np.mean(influences, axis=0))
    return {"accuracy": accuracy, "micro_f1": accuracy, "macro_f1": macro}
