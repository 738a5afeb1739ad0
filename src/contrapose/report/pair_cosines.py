"""Cosines of similar and dissimilar test pairs, before and after training: their distributions."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.report.about import TableRow
from contrapose.report.panel import Axis, Outline, Panel, points_of
from contrapose.report.web import Grid, grid_of
from contrapose.settings.ids import is_trained

THIRD = 1 / 3  # of the scale of gold scores, at each end
FEWEST = 10  # pairs of a level: fewer show no distribution.  Ours
BINS = 40
QUANTILES = {0.05: "5 %", 0.25: "25 %", 0.5: "median", 0.75: "75 %", 0.95: "95 %"}
LEVELS = {"similar": "var(--gain)", "dissimilar": "var(--loss)"}
PAIR = ["task", "form", "split", "subset", "row"]  # names a scored pair


class CosinePicture(NamedTuple):
    """The distributions of the cosines of test pairs by an encoder before and after training."""

    answer: str
    levels: str  # which pairs are similar, and which dissimilar
    panels: list[tuple[str, Panel]]  # by encoder
    colours: Mapping[str, str]  # by level
    quantiles: Grid


class ComparedRuns(NamedTuple):
    """Ids of the runs of an encoder before training and after, and what the latter is called."""

    before: str
    after: str
    method: str


def compared_runs(rows: Sequence[TableRow], order: Iterable[int], recommended: str) -> ComparedRuns | None:
    """Return what a picture compares: the recommended training, or else the first of the best method.

    `order` are places of rows, the best first.  None if nothing is trained, or no row is its encoder.
    """
    best = (rows[place] for place in order)
    chosen = [row for row in rows if recommended in row.runs and is_trained(recommended)]
    row = next((each for each in (*chosen, *best) if each.runs and is_trained(each.runs[0])), None)
    if row is None:
        return None
    after = recommended if chosen else row.runs[0]
    released = (run for each in rows if each.encoder == row.encoder for run in each.runs[:1])
    before = row.untrained or next((run for run in released if not is_trained(run)), "")
    method = f"{row.label}, {after.rpartition('/')[2].replace('seed', 'seed ')}"
    return ComparedRuns(before, after, method) if before else None


def levels_of(pairs: pd.DataFrame) -> pd.Series:
    """Return the level of each BENCHMARK pair: similar, dissimilar, or missing between both.

    These are the highest and the lowest third of the scale of its set, from the least to the greatest score.
    """
    scores = pairs.groupby("task").score
    low, high = scores.transform("min"), scores.transform("max")
    place = ((pairs.score - low) / (high - low)).round(9)  # so that a third of 0 to 5 is one
    levels = pd.Series(pd.NA, pairs.index, dtype="string")
    return levels.mask(place >= round(1 - THIRD, 9), "similar").mask(place <= round(THIRD, 9), "dissimilar")


def by_level(gold: pd.DataFrame, cosines: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the cosines of the pairs of each level, from BENCHMARK and COSINES rows of the same pairs."""
    both = gold.assign(level=levels_of(gold)).merge(cosines, on=PAIR)
    return {level: both.cosine[both.level == level].to_numpy() for level in LEVELS}


def is_higher(similar: np.ndarray, dissimilar: np.ndarray) -> float:
    """Return the probability that a similar pair has the higher cosine of the two; equal ones count half."""
    ranks = pd.Series(np.concatenate([similar, dissimilar])).rank().to_numpy()
    n = len(similar)
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * len(dissimilar)))


def cosine_picture(
    gold: pd.DataFrame, before: pd.DataFrame, after: pd.DataFrame, method: str
) -> CosinePicture | None:
    """Draw the cosines of test pairs by an encoder before training and after training with a method.

    `gold` are rows of BENCHMARK, `before` and `after` of COSINES.  None if a level has too few pairs, or
    a pair has no cosine.
    """
    if any(len(gold.merge(each, on=PAIR)) < len(gold) for each in (before, after)):
        return None
    cosines = {"before": by_level(gold, before), "after": by_level(gold, after)}
    every = [values for of_levels in cosines.values() for values in of_levels.values()]
    if min(map(len, every)) < FEWEST:
        return None
    edges = np.histogram_bin_edges(np.concatenate(every), BINS)
    shares = [
        {level: np.histogram(values, edges)[0] / len(values) for level, values in of_levels.items()}
        for of_levels in cosines.values()
    ]
    most = max(share.max() for of_levels in shares for share in of_levels.values())
    titles = ("Before training", f"After training with {method}")
    rows = [
        [when, level, f"{len(values):,}", *(f"{each:.2f}" for each in np.quantile(values, [*QUANTILES]))]
        for when, of_levels in cosines.items()
        for level, values in of_levels.items()
    ]
    chances = [100 * is_higher(*of_levels.values()) for of_levels in cosines.values()]
    return CosinePicture(
        "A similar pair has a higher cosine than a dissimilar one with a probability of "
        f"{chances[0]:.1f} % before training and of {chances[1]:.1f} % after training with {method}.",
        _bounds(gold),
        [(title, _panel(each, edges, most)) for title, each in zip(titles, shares, strict=True)],
        LEVELS,
        grid_of("Quantiles of the cosines", ["training", "pairs", "number", *QUANTILES.values()], rows),
    )


def _panel(shares: Mapping[str, np.ndarray], edges: np.ndarray, most: float) -> Panel:
    """Return the histograms of both levels; `most` is the share at the top."""
    across, shapes = Axis.over(edges), []
    for level, share in shares.items():
        steps = [
            (across.place(edge), round(100 - 100 * float(height / most), 2))
            for (start, end), height in zip(pairwise(edges), share, strict=True)
            for edge, height in ((start, height), (end, height))
        ]
        closed = [(steps[0][0], 100.0), *steps, (steps[-1][0], 100.0)]
        shapes.append(Outline(points_of(closed), LEVELS[level]))
    ticks = [(0.0, f"{100 * most:.0f}"), (100.0, "0")]
    return Panel("cosine of a test pair", "% of pairs", across.ticks, ticks, shapes, shapes)


def _bounds(gold: pd.DataFrame) -> str:
    """Say what similar and dissimilar pairs are."""
    if gold.task.nunique() > 1:
        return (
            "Similar pairs have a gold score in the highest third of the scale of their set. Dissimilar "
            "pairs have one in the lowest third."
        )
    low, high = gold.score.min(), gold.score.max()
    third = (high - low) * THIRD
    return (
        f"Similar pairs have a gold score of at least {high - third:.3g}, and dissimilar pairs one of at "
        f"most {low + third:.3g}, on a scale from {low:g} to {high:g}."
    )
