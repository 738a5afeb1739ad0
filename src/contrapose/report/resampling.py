"""Scores as other test pairs would have given them: the same draws for all rows and columns of a table."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.base.seeds import generator
from contrapose.evaluate.sharing import Sharing
from contrapose.tables import BENCHMARK, read_provenance, read_table


class PairsOfSets(NamedTuple):
    """The test pairs of several sets: which of them share sentences, also with pairs of another set."""

    task: np.ndarray  # (n,), the set of each pair
    sharing: Sharing

    def of_task(self, task: str) -> np.ndarray:
        """Return the places of the pairs of a set."""
        return np.flatnonzero(self.task == task)

    def effective(self, task: str) -> float:
        """Return how many independent pairs those of a set count as."""
        return self.sharing[self.of_task(task)].effective


class Resamples:
    """Draws of scores, from the influences of pairs.

    The covariance of two scores over draws is the sum of products of influences, over all pairs and over
    pairs that share a sentence.  Sets whose texts are not known here have items of their own.  B draws of n
    pairs take 4 B n bytes.
    """

    def __init__(self, number: int, pairs: PairsOfSets | None = None) -> None:
        """Take the number of draws, and what is known of the pairs of sets."""
        self.number, self.pairs = number, pairs
        self.drawn = pairs.sharing.draws(number, generator("resamples", "together")) if pairs else None
        self.of_task, self.effective = cache(self._of_task), cache(self._effective)

    def _effective(self, task: str, n: int) -> float:
        """Return how many independent pairs the n pairs of a set count as."""
        if self.pairs is None or task not in self.pairs.task:
            return float(n)
        return self.pairs.effective(task)

    def __call__(self, task: str, value: float, influence: np.ndarray) -> np.ndarray:
        """Return a score in each draw, shape (draws,); NaN without influences of its pairs."""
        if not len(influence):
            return np.full(self.number, np.nan)
        return value + self.of_task(task, len(influence)) @ (influence / len(influence)).astype(np.float32)

    def _of_task(self, task: str, n: int) -> np.ndarray:
        if self.pairs is None or self.drawn is None or task not in self.pairs.task:
            return generator("resamples", task).standard_normal((self.number, n), np.float32)
        return self.drawn[:, self.pairs.of_task(task)]


def scored_pairs(
    sets: Iterable[str | Path], tasks: Iterable[str], form: str, split: str
) -> PairsOfSets | None:
    """Return the pairs of tasks in BENCHMARK files, in their order; None if they have none."""
    files = [each for each in sets if read_provenance(each)["table"] == BENCHMARK.name]
    columns = ["task", "form", "split", "sentence1", "sentence2"]
    pairs = pd.concat(
        [pd.DataFrame(columns=columns), *(read_table(file, BENCHMARK, columns) for file in files)]
    )
    chosen = pairs[pairs.task.isin(list(tasks)) & (pairs.form == form) & (pairs.split == split)]
    if chosen.empty:
        return None
    return PairsOfSets(chosen.task.to_numpy(object), Sharing(chosen.sentence1, chosen.sentence2))
