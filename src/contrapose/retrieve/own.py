"""Pairs of your own as an evaluation set: `dev.csv` and `test.csv`, header `sentence1,sentence2,score`."""

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from contrapose.errors import TableError
from contrapose.retrieve.lines import Pair, number_in, stripped, table_rows

FILES = {split: f"{split}.csv" for split in ("dev", "test")}
HEADER = ["sentence1", "sentence2", "score"]


def own_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a CSV file; white space at the ends of a sentence is removed.

    Any scale will do if more similar sentences score higher: correlations do not depend on it.  Raises
    TableError if the header is wrong, a sentence is empty, or a score is not a finite number.
    """
    for line in table_rows(path, [HEADER]):
        first, second = stripped(line.fields[0], line.fields[1])
        if not first or not second:
            raise TableError(f"{line.where}: a sentence is empty. Correct or remove the line.")
        score = number_in(line.fields[2])
        if not math.isfinite(score):
            raise TableError(
                f"{line.where}: score {line.fields[2]!r}, expected a number. Correct or remove the line."
            )
        yield line.number, first, second, score


def check_apart(found: pd.DataFrame, folder: Path) -> None:
    """Raise a TableError if both files hold the same pairs, as models would be selected on test pairs."""
    sides = found.set_index("split")[["sentence1", "sentence2"]]
    dev, test = (set(sides[sides.index == split].itertuples(index=False, name=None)) for split in FILES)
    if dev and dev == test:
        names = " and ".join(FILES.values())
        raise TableError(f"{folder}: {names} hold the same pairs. Split them, or remove dev.csv.")
