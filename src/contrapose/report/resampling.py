"""Resamples of test pairs: the same for all rows and columns of a table, in groups that share sentences."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from contrapose.evaluate.influence import connected
from contrapose.seeds import generator
from contrapose.tables import BENCHMARK, read_provenance, read_table


class Resamples:
    """Scores on resamples, from the influences of pairs.

    Pairs that share a sentence, also with a pair of another set, are drawn together.  Sets whose texts are
    not known here have items of their own.  A table of C groups and B resamples takes 4 B C bytes.
    """

    def __init__(self, number: int, together: Mapping[str, np.ndarray] | None = None) -> None:
        """Take the number of resamples, and for each known set the number of the group of each pair."""
        self.number, self.together = number, dict(together or {})
        groups = 1 + max((int(each.max()) for each in self.together.values()), default=-1)
        self.beyond = self._drawn(groups, "together") if groups else np.empty((number, 0), np.float32)
        self.of_task = cache(self._of_task)

    def groups(self, task: str, n: int) -> int:
        """Return the number of groups of n pairs that share nothing with each other."""
        return len(np.unique(self.together[task])) if task in self.together else n

    def __call__(self, task: str, value: float, influence: np.ndarray) -> np.ndarray:
        """Return a score in each resample, shape (resamples,); NaN without influences of its pairs."""
        if not len(influence):
            return np.full(self.number, np.nan)
        group, beyond = self.of_task(task, len(influence))
        return value + beyond @ (np.bincount(group, influence) / len(influence)).astype(np.float32)

    def _of_task(self, task: str, n: int) -> tuple[np.ndarray, np.ndarray]:
        if task not in self.together:
            return np.arange(n), self._drawn(n, task)
        present, group = np.unique(self.together[task], return_inverse=True)
        return group, self.beyond[:, present]

    def _drawn(self, groups: int, *name: str) -> np.ndarray:
        """Return how often each group is in each resample, less 1: shape (resamples, groups)."""
        drawn = generator("resamples", *name).integers(0, groups, size=(self.number, groups))
        cells = drawn + groups * np.arange(self.number)[:, None]
        counts = np.bincount(cells.ravel(), minlength=self.number * groups).astype(np.float32)
        return counts.reshape(self.number, groups) - 1


def together_in(
    sets: Iterable[str | Path], tasks: Iterable[str], form: str, split: str
) -> dict[str, np.ndarray]:
    """Return for each task in BENCHMARK files the number of the group of each pair, in their order.

    Pairs are in a group if they share a sentence, directly or by others, within a task or between tasks.
    """
    files = [each for each in sets if read_provenance(each)["table"] == BENCHMARK.name]
    columns = ["task", "form", "split", "sentence1", "sentence2"]
    pairs = pd.concat(
        [pd.DataFrame(columns=columns), *(read_table(file, BENCHMARK, columns) for file in files)]
    )
    chosen = pairs[pairs.task.isin(list(tasks)) & (pairs.form == form) & (pairs.split == split)]
    if chosen.empty:
        return {}
    group = connected(chosen.sentence1, chosen.sentence2)
    return {str(task): group[(chosen.task == task).to_numpy()] for task in chosen.task.unique()}
