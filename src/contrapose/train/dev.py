"""The score that selects the checkpoint: Spearman's correlation on a dev set."""

import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from contrapose.errors import TableError
from contrapose.evaluate.embeddings import encoded, tokenised_texts
from contrapose.evaluate.sts import paired_cosines
from contrapose.tables import BENCHMARK, PAIRS, read_table
from contrapose.tasks import DevTask
from contrapose.train.encoder import SentenceEncoder

logger = logging.getLogger(__name__)


def read_dev(path: str | Path, dev: DevTask | Literal["pairs"]) -> pd.DataFrame:
    """Read what a recipe's `dev` selects checkpoints on: evaluation sets, or a pair set with labels.

    Returns
    -------
    DataFrame with columns sentence1, sentence2 and score
    """
    if dev != "pairs":
        return dev_pairs(read_table(path, BENCHMARK), dev)
    return labelled_pairs(read_table(path, PAIRS))


def labelled_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return pairs as sentence1 and sentence2, and their labels as score; weights do not count.

    Raises
    ------
    TableError
        There are fewer than two, or one has no label.
    """
    if len(pairs) < 2 or pairs.label.isna().any():
        raise TableError(
            f"dev pairs: {len(pairs)} rows, {int(pairs.label.isna().sum())} without a label; a checkpoint "
            "is selected on at least 2, all with labels. Look at the log of the step that made them."
        )
    named = {"anchor": "sentence1", "positive": "sentence2", "label": "score"}
    return pairs.rename(columns=named)[list(named.values())]


def dev_pairs(benchmarks: pd.DataFrame, task: DevTask = "stsb") -> pd.DataFrame:
    """Return the dev rows of a task in a BENCHMARK table, in the text form that SimCSE evaluates.

    Raises
    ------
    TableError
        There are fewer than two.
    """
    wanted = (benchmarks.task == task) & (benchmarks.split == "dev") & (benchmarks.form == "senteval")
    if wanted.sum() < 2:
        have = sorted(set(benchmarks.task + "/" + benchmarks.split + "/" + benchmarks.form))
        raise TableError(
            f"benchmarks: {int(wanted.sum())} rows of task {task}, split dev, form senteval, on which "
            f"training selects its checkpoint. There are: {', '.join(have) or 'no rows at all'}. Add {task} "
            "to the world's benchmarks."
        )
    return benchmarks[wanted]


def dev_scorer(encoder: SentenceEncoder, dev: pd.DataFrame, batch_size: int) -> Callable[[], float]:
    """Return a function that scores the encoder as it is when called, in evaluation mode and float32.

    The sentences are tokenised once.

    Parameters
    ----------
    encoder : SentenceEncoder
        Its mode (training or evaluation) is the same afterwards.
    dev : DataFrame with columns sentence1, sentence2 and score
    batch_size : int
        Sentences encoded at once; does not change the score.

    Returns
    -------
    callable, () -> float in [-1, 1]
        Spearman's correlation of cosines with gold scores; NaN if all cosines or all gold scores are equal.
    """
    texts = tokenised_texts(encoder, [*dev.sentence1, *dev.sentence2])

    def score() -> float:
        cosines = paired_cosines(*np.split(encoded(encoder, texts, batch_size), 2))
        if np.ptp(cosines) == 0 or dev.score.nunique() == 1:
            return math.nan
        return float(spearmanr(cosines, dev.score).statistic)

    return score
