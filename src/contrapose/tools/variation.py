"""What differences between rows vary by: typical numbers, and those that a project has measured itself."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from contrapose.base.errors import TableError
from contrapose.evaluate.sharing import Sharing
from contrapose.report.about import label_of
from contrapose.report.cells import scores_of_rows
from contrapose.report.inference import FEWEST_FREEDOM, comparisons, median_share
from contrapose.tables import CELLS, SCORES, read_table


class Variation(NamedTuple):
    """What a difference to the baseline varies by, in points of Spearman x100."""

    pairs: float  # standard error over test pairs, times the square root of their number
    seeds: float  # standard deviation over seeds


# Medians over the rows of shipped tables, of differences to no training: the least and the largest of several
# sets.  Errors are times the square root of the effective number of pairs.  An encoder that knows similarity:
# examples/wiki (16 steps, STS-B) and evidence_released_914 (60 steps; STS-B, STS12, 13 and 15, SICK's train
# part).  One that does not: evidence_unlearned_914, without STS13, where one sentence decides.  Of both the
# tables in examples/evidence/reference/cpu; tests/reference/test_least_difference.py measures them.
KNOWS = Variation(2.6, 0.14), Variation(12.0, 0.26)
UNLEARNED = Variation(18.0, 0.27), Variation(76.0, 0.82)


class MeasuredSpread(NamedTuple):
    """What the difference of one row to the baseline varies by, as variances."""

    pairs: float  # over test pairs, times their number
    seeds: float  # over seeds, as half of all estimates are above; 0 if nothing is known
    freedom: int  # degrees of freedom of the second: trainings beyond the first


def typical_row(rows: Sequence[MeasuredSpread]) -> Variation | None:
    """Return the medians over rows, of the spread over seeds the typical one if too few trainings know it."""
    if not rows or not (pairs := math.sqrt(median(row.pairs for row in rows))):
        return None
    if sum(row.freedom for row in rows) < FEWEST_FREEDOM:
        return min((*KNOWS, *UNLEARNED), key=lambda each: abs(math.log(each.pairs / pairs)))._replace(
            pairs=pairs
        )
    return Variation(pairs, math.sqrt(median(row.seeds for row in rows if row.freedom)))


def of_table(file: Path, catalog: str, column: str, baseline: str) -> list[MeasuredSpread]:
    """Return what the rows of a finished table vary by in a column, against the row of a label.

    Raises TableError if the file is no CELLS table.
    """
    cells = read_table(file, CELLS)
    cells = cells[(cells.catalog == catalog) & (cells.column == column) & (cells.variant == "")]
    scores = scores_of_rows(cells)
    means = cells[cells.seed.isna() & cells["row"].isin(list(scores))].to_dict("records")
    others = [int(cell["row"]) for cell in means if label_of(cell) == baseline]
    pairs = {
        int(cell["row"]): other for cell in means if cell["baseline"] == baseline for other in others[:1]
    }
    rows = []
    for row, each in comparisons(scores, pairs).items():
        seeds = max(len(scores[one].values) for one in (row, pairs[row]))
        over_seeds = max(0.0, each.error**2 - each.over_pairs) * seeds
        rows.append(MeasuredSpread(each.over_pairs * (scores[row].freedom + 1), over_seeds, seeds - 1))
    return rows


class ScoredRun(NamedTuple):
    """A score x100 with the influences of its pairs."""

    value: float
    influence: np.ndarray


def of_scores(files: Mapping[str, Path], form: str, split: str) -> dict[tuple[str, str], ScoredRun]:
    """Return the Spearman scores whose influences are known, by run and task; `files` are SCORES of runs."""
    found = {}
    for run, file in files.items():
        try:
            every = read_table(file, SCORES)
        except TableError:  # of another version
            continue
        every = every[(every.form == form) & (every.split == split) & (every.aggregation == "all")]
        for score in every[every.metric == "spearman"].to_dict("records"):
            if len(score["influence"]):
                influence = 100 * np.asarray(score["influence"], float)
                found[run, score["task"]] = ScoredRun(100 * score["value"], influence)
    return found


def of_trainings(
    row: Sequence[ScoredRun], other: Sequence[ScoredRun], sharing: Sharing | None
) -> MeasuredSpread:
    """Return what a row varies by, from some of its trainings and as many scores of the baseline."""
    values = np.array([a.value - b.value for a, b in zip(row, other, strict=True)])
    influences = np.array([a.influence - b.influence for a, b in zip(row, other, strict=True)])
    number, pairs = influences.shape

    def squared(influence: np.ndarray) -> float:
        return sharing.squared(influence) if sharing else float(influence @ influence)

    own, over_seeds = sum(map(squared, influences)), 0.0
    if number > 1:  # the mean covariance of two trainings, as in `inference.mean_difference`
        own = (squared(influences.sum(axis=0)) - own) / (number * (number - 1))
        over_seeds = float(values.var(ddof=1)) / median_share(number - 1)
    return MeasuredSpread(max(0.0, own) / pairs, over_seeds, number - 1)
