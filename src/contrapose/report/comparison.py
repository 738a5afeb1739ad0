"""Tests whether rows of a table of scores differ: paired by test pairs and seeds, corrected for number."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.markdown import bullets
from contrapose.report.about import About, TableRow
from contrapose.report.files import shown_table
from contrapose.tables import COMPARED

LEVEL = 0.05  # usual significance level, two-sided
TIED = "†"  # appended to a value that ties with the best of its column
ONE_SEED = (
    "With one seed, intervals and p-values leave out how much the result of a row varies between trainings."
)


class Score(NamedTuple):
    """A cell of a table with the values behind it."""

    values: np.ndarray  # (seeds,); (1,) for a pretrained encoder
    resampled: np.ndarray  # (seeds, resamples): the same resamples of test pairs for every cell of a column
    n: int  # test pairs or items
    of: object = None  # what the column holds in this row; only rows with the same are compared


class Difference(NamedTuple):
    """How far one row is above another."""

    difference: float
    low: float  # ends of its 95 % interval
    high: float
    p: float  # two-sided
    error: float  # standard error


def difference(row: Score, other: Score) -> Difference:
    """Return how far a row is above another: see `tested`.  The same seeds and resamples are compared."""
    return tested(row.values - other.values, row.resampled - other.resampled, row.n - 1)


def tested(values: np.ndarray, resampled: np.ndarray, freedom: float) -> Difference:
    """Return the mean of a difference over seeds, with interval and p-value.

    Its variance has two parts.  Test pairs: the covariance over resamples of the differences of two seeds,
    averaged over all pairs of seeds; for one seed, the variance.  Seeds: the variance of the differences over
    seeds, n - 1, divided by their number.  What depends on pair and seed together is only in the second part.

    Divided by its standard error, the difference has Student's t with pairs - 1 degrees of freedom if only
    the first part is there, and with seeds - 1 if only the second is.  In between, tail probabilities are
    averaged, weighted by the parts, as Cochran and Cox (Experimental Designs, 1950) average critical values.
    Satterthwaite's degrees of freedom would give up to 8 % false positives with three seeds: see
    docs/decisions.md.

    Parameters
    ----------
    values : float array of shape (seeds,)
    resampled : float array of shape (seeds, resamples)
        The same resamples for each seed; those with a NaN do not count.  Without any, only the second part
        is there.
    freedom : float
        Degrees of freedom of the first part; `np.inf` makes it normal.
    """
    from scipy.optimize import brentq  # slow to import, and plans do not need it
    from scipy.special import stdtr

    value, seeds = float(values.mean()), len(values)
    over_pairs, over_seeds = _over_pairs(resampled), 0.0
    if seeds > 1:
        over_seeds = float(values.var(ddof=1)) / seeds
    error = float(np.sqrt(over_pairs + over_seeds))
    if error == 0:  # identical runs
        return Difference(value, value, value, float(value == 0), 0.0)
    share = over_pairs / error**2

    def above(t: float) -> float:
        return float(share * stdtr(freedom, -t) + (1 - share) * stdtr(max(seeds - 1, 1), -t))

    half = error * brentq(lambda t: above(t) - LEVEL / 2, 0, 20)  # at most 12.7, for two seeds
    return Difference(value, value - half, value + half, 2 * above(abs(value) / error), error)


def _over_pairs(resampled: np.ndarray) -> float:
    """Return the part of the variance from test pairs: 0 without resamples."""
    finite = resampled[:, np.isfinite(resampled).all(axis=0)]
    if finite.shape[1] < 2:
        return 0.0
    covariance = np.atleast_2d(np.cov(finite))
    if len(finite) == 1:
        return float(covariance[0, 0])
    return max(0.0, float(covariance[~np.eye(len(finite), dtype=bool)].mean()))


def holm(p: Sequence[float]) -> np.ndarray:
    """Return p-values corrected for their number, in their order.  Holm (1979), Scand. J. Statist. 6, 65."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(np.asarray(p)[order] * np.arange(len(order), 0, -1))
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(stepped, 1)
    return corrected


def baseline_rows(rows: Sequence[TableRow], baseline: str | None) -> list[int | None]:
    """Return the index of the row with which each row is compared; None if there is none.

    A named baseline is the row of its group, or of all rows if only one group has such a row.  Without a
    name it is the first row of a group that has runs, or of the table if no group has two rows.
    """
    first_rows: dict[str, int] = {}
    for number, row in reversed(list(enumerate(rows))):
        if row.runs if baseline is None else baseline in (row.model, row.label):
            first_rows[row.group] = number
    groups = [row.group for row in rows]
    one_each = baseline is None and len(set(groups)) == len(groups)
    if first_rows and (one_each or (baseline is not None and len(first_rows) == 1)):
        return [min(first_rows.values())] * len(rows)
    return [first_rows.get(group) for group in groups]


def with_differences(
    tidy: pd.DataFrame,
    scores: Mapping[str, Mapping[int, Score]],
    rows: Sequence[TableRow],
    baselines: Sequence[int | None],
) -> pd.DataFrame:
    """Add to the means over seeds their differences to the baseline, and whether they tie with the best.

    p-values are corrected for the number of rows of a column that are compared with a baseline; those behind
    a tie, for the number of rows that are compared with the best.  `scores` are by column and row.
    """
    results: dict[tuple[int, str], dict] = {}
    for column, of_column in scores.items():
        for kind in dict.fromkeys(score.of for score in of_column.values()):
            alike = {row: score for row, score in of_column.items() if score.of == kind}
            others = ((row, baselines[row]) for row in alike)
            pairs = {
                row: other for row, other in others if other is not None and other in alike.keys() - {row}
            }
            apart = _compared(alike, pairs)
            best = max(alike, key=lambda row: alike[row].values.mean())
            to_best = _compared(alike, dict.fromkeys(alike.keys() - {best}, best))
            for row in alike:
                result = results[row, column] = dict(apart.get(row, {}))
                result["tied"] = (row == best or to_best[row]["p"] > LEVEL) if to_best else None
                if row in apart:
                    result["baseline"] = rows[pairs[row]].label
    at = [
        results.get((row, column), {}) if pd.isna(seed) else {}
        for row, column, seed in zip(tidy.row, tidy.column, tidy.seed, strict=True)
    ]
    columns = pd.DataFrame(at, index=tidy.index, columns=["baseline", *COMPARED, "tied"])
    columns = columns.astype({"baseline": "str", **dict.fromkeys(COMPARED, float), "tied": "boolean"})
    return tidy.assign(**columns.fillna({"baseline": ""}))


def _compared(scores: Mapping[int, Score], pairs: Mapping[int, int]) -> dict[int, dict[str, float]]:
    differences = {row: difference(scores[row], scores[other]) for row, other in pairs.items()}
    corrected = holm([each.p for each in differences.values()])
    return {
        row: dict(zip(COMPARED, (*each[:3], float(p)), strict=True))
        for (row, each), p in zip(differences.items(), corrected, strict=True)
    }


def marked_ties(tidy: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with `TIED` after each value that ties with the best of its column."""
    marked = shown.copy()
    for cell in tidy[tidy.tied.fillna(False)].itertuples():
        marked.loc[cell.row, cell.column] += f" {TIED}"
    return marked


def difference_parts(
    tidy: pd.DataFrame, decimals: int, about: About, items: str, baseline: str | None
) -> list[str]:
    """Return the section on differences to the baseline, which may be named, over pairs or other `items`."""
    cells = tidy[tidy.baseline != ""]
    if cells.empty:
        return (
            [f"No row is compared with {baseline}: it has no numbers, or no other row has."]
            if baseline
            else []
        )
    baselines = list(dict.fromkeys(cells.baseline))
    texts = cells.assign(text=[_printed(cell, decimals) for cell in cells.to_dict("records")])
    labels = ["row", "group", "model", *(["baseline"] if baselines[1:] else [])]
    shown = texts.pivot(index=labels, columns="column", values="text").fillna("").reset_index()
    shown = shown[[*labels[1:], *dict.fromkeys(cells.column)]]
    over = f"test {items}" if len(about.seeds) == 1 else f"test {items} and, of trained rows, over seeds"
    notes = [
        f"Difference, its 95 % interval over {over}, and p. Both rows have the same resamples and seeds; "
        "p is corrected (Holm) for the rows that a column compares, intervals are not."
    ]
    if len(about.seeds) == 1 and any(row.trained and row.runs for row in about.rows):
        notes.append(ONE_SEED)
    to = "the baseline" if baselines[1:] else baselines[0]
    return [f"## Difference to {to}", shown_table(shown), bullets(notes)]


def _printed(cell: Mapping, decimals: int) -> str:
    number, low, high = (f"{cell[name]:+.{decimals}f}" for name in COMPARED[:3])
    return f"{number} [{low}, {high}], {p_text(cell['p'])}"


def only_baseline(cells: pd.DataFrame) -> str:
    """Return the baseline that all compared rows of a table of scores have in common; empty if none."""
    names = set(cells.get("baseline", [])) - {""}
    return names.pop() if len(names) == 1 else ""


def p_text(p: float) -> str:
    """Write a p-value."""
    return f"p {p:.3f}" if p >= 0.0005 else "p below 0.001"
