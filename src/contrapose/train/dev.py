"""The score that selects the checkpoint: Spearman's correlation on a dev set."""

import logging
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from contrapose.errors import TableError
from contrapose.evaluate.embeddings import encoded, tokenised_texts
from contrapose.evaluate.sts import paired_cosines
from contrapose.tasks import DevTask
from contrapose.train.encoder import SentenceEncoder

logger = logging.getLogger(__name__)


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
    dev : BENCHMARK table
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
