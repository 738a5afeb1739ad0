"""The chart of a table whose rows are ranked: a dot and a bar for each method, an axis for each encoder."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.jobs.status import read_status
from contrapose.report.about import About, label_of
from contrapose.report.cells import COMPUTE, UNKNOWN
from contrapose.report.comparison import SECOND, only_baseline
from contrapose.report.comparison_text import USD, difference_text, p_text
from contrapose.report.inference import LEVEL
from contrapose.report.panel import Axis, line
from contrapose.report.recommendation import MEASURE, RANKING
from contrapose.report.results import Result
from contrapose.report.row_costs import printed_costs

ONE_TRAINING = "Each method was trained only once, so another training can give another result."
# Texts of the legend.
TIED = "filled dot: may be the best, because no other method is significantly better"
BELOW = " (also below 0, if its scores vary too much between seeds to exclude it)"
WORSE = "hollow dot: another method is significantly better"
OPEN = "grey dot: not tested, or no method of this encoder is significantly better than another"
ALL_TIED = "dot: each method may be the best, because none is significantly better than another"
P = f"p: corrected for the number of methods, at most {LEVEL:g} is significant"
INTERVAL = (2.5, 97.5)  # percentiles of resamples


class Mark(NamedTuple):
    """A method of a chart; places in % of the width of its axis."""

    group: str
    name: str
    value: str
    change: str  # difference to the baseline; empty without one
    interval: str  # of that difference
    p: str  # of it, corrected; empty if it is not tested
    cost: str  # compute, and USD if any were paid; empty if the table shows no costs
    at: float
    low: float  # ends of its bar
    high: float
    tied: bool | None  # no row is significantly better; None if that is not known, or true of all
    place: int  # in the table, from 0


class Facet(NamedTuple):
    """The methods of one encoder, the highest first."""

    encoder: str
    baseline: str  # that they are compared with; empty if there are several
    marks: list[Mark]
    ticks: list[tuple[float, str]]  # place and label
    grid: str  # background of each line, as CSS: ticks, baselines and margin


class Sign(NamedTuple):
    """An entry of a legend."""

    shape: str  # its class in `style.css`; empty for a column of numbers
    text: str


class Chart(NamedTuple):
    """The rows of a table by one of its columns."""

    title: str  # what the values are
    column: str
    key: list[Sign]
    facets: list[Facet]
    notes: list[str]


def chart(result: Result, column: str, rows: pd.DataFrame) -> Chart:
    """Draw the cells of a column, a facet for each encoder.

    Differences to the baseline are on the axis where all methods of an encoder have the same, with their 95 %
    intervals; else values, with one standard deviation over seeds, or the 95 % interval of one training.
    """
    tidy = result.tidy
    spec = result.made["settings"].get("spec", {})
    seconds = tidy[(tidy.variant == SECOND) & (tidy.column == column)]
    margin = spec.get("margin") or 0.0
    trainings = tidy.seed.nunique()
    costs, unit = _costs(result)
    without = ", without calls of language models" * bool(rows.requests.ne(0).any())
    facets = [
        _facet(encoder, cells, seconds, margin, trainings, costs)
        for encoder, cells in by_encoder(result, rows)
    ]
    second = [short_label(seconds, each) for each in seconds.baseline]
    others = tidy[~tidy["row"].isin(rows["row"])].drop_duplicates("row")
    notes = [ONE_TRAINING] * (trainings == 1) + [f"Skipped methods: {len(others)}."] * bool(len(others))
    key = _key(rows, facets, second, margin, trainings)
    unknown = f", {UNKNOWN} is not known" * any(UNKNOWN in each for each in costs.values())
    what = f"of one training and its pairs{without}"
    key += [Sign("", f"{COMPUTE}: {what}, {unit} = 1{unknown}")] if unit else []
    return Chart(title_of(result, column), column, key, facets, notes)


def _costs(result: Result) -> tuple[dict[int, str], str]:
    """Return compute and USD of each row of a table that shows costs, and the row whose compute is 1."""
    settings = result.made["settings"]
    if not settings.get("spec", {}).get("costs"):
        return {}, ""
    shown = printed_costs(result.tidy, About.model_validate(settings["about"]).rows)
    unit = next((name for name in shown if name.startswith(COMPUTE)), "")
    if not unit:
        return {}, ""
    paid = shown[USD] if USD in shown else pd.Series("", shown.index)
    usd = [f", {each}\u00a0USD" * (each not in ("", "0")) for each in paid]
    costs = {int(row): work + more for row, work, more in zip(shown.index, shown[unit], usd, strict=True)}
    return costs, unit.removeprefix(f"{COMPUTE} (").removesuffix(" = 1)")


def _key(
    rows: pd.DataFrame, facets: Sequence[Facet], second: Iterable[str], margin: float, trainings: int
) -> list[Sign]:
    """Return the legend of what a chart draws."""
    marks = [mark for facet in facets for mark in facet.marks]
    states, to = {mark.tied for mark in marks}, [facet.baseline for facet in facets]
    all_tied = len(rows) > 1 and bool(rows.in_best_set.eq(True).fillna(False).all())
    untested = "dot: difference" if all(to) else "dot: score"
    within = f"±{margin:g}{' points' * (decimals_of(rows) == 2)}"
    zero, blue = (", ".join(dict.fromkeys(filter(None, each))) for each in (to, second))
    signs = {
        "tied": f"{TIED}{BELOW * any(mark.tied and mark.change.startswith('-') for mark in marks)}"
        * (True in states),
        "worse": WORSE * (False in states),
        "open": (ALL_TIED if all_tied else OPEN if states != {None} else untested) * (None in states),
        "spread": _bars(trainings, all(to)) * any(mark.low < mark.high for mark in marks),
        "zero": f"grey line at 0: {zero}" if zero else "",
        "second": f"blue line: {blue}" if zero and blue else "",
        "band": f"band: differences within {within}, too small to matter" if zero and margin else "",
        "": P * any(mark.p for mark in marks),
    }
    return [Sign(*each) for each in signs.items() if each[1]]


def _facet(
    encoder: str,
    cells: pd.DataFrame,
    seconds: pd.DataFrame,
    margin: float,
    trainings: int,
    costs: Mapping[int, str],
) -> Facet:
    baseline = only_baseline(cells)
    names = names_of(cells)
    decimals = decimals_of(cells)
    zero = (cells.value - cells.difference)[cells.baseline != ""].median() if baseline else 0.0
    ends = {number: bar_of(row, trainings, zero if baseline else None) for number, row in cells.iterrows()}
    known = [end for each in ends.values() for end in each] + ([-margin, margin] if baseline else [])
    axis = Axis.over(known, "+" if baseline else "")
    all_tied = bool(cells.in_best_set.eq(True).fillna(False).all())
    marks = []
    for number, row in cells.sort_values("value", ascending=False, kind="stable").iterrows():
        compared = bool(row.baseline) and pd.notna(row.difference)
        start, at, end = ends[number]
        marks.append(
            Mark(
                *names[number],
                value=f"{row.value:.{decimals}f}",
                change=f"{row.difference:+.{decimals}f}" if compared else "",
                interval=difference_text(row, decimals).partition(" ")[2] if compared else "",
                p=p_text(row.p).removeprefix("p ") if compared and pd.notna(row.p) else "",
                cost=costs.get(int(row["row"]), ""),
                at=axis.place(at),
                low=axis.place(start),
                high=axis.place(end),
                tied=None if all_tied or pd.isna(row.in_best_set) else bool(row.in_best_set),
                place=int(row["row"]),
            )
        )
    other = set(seconds[seconds["row"].isin(cells["row"])].baseline)
    second = [axis.place(ends[number][1]) for number, row in cells.iterrows() if label_of(row) in other]
    layers = [line(at, "var(--accent)") for at in second if baseline]
    layers += [line(axis.place(0), "var(--quiet)")] if baseline else []
    layers += [line(at, "var(--line)") for at, _ in axis.ticks]
    if baseline and margin:
        start, end = axis.place(-margin), axis.place(margin)
        layers.append(f"linear-gradient(90deg,#0000 {start}%,var(--band) {start}% {end}%,#0000 {end}%)")
    to = next(
        (": ".join(filter(None, names[each])) for each, row in cells.iterrows() if label_of(row) == baseline),
        baseline,
    )
    return Facet(encoder, to, marks, axis.ticks, ",".join(layers))


def title_of(result: Result, column: str) -> str:
    """Return what the values of a column are, with its name if it is not the one that ranks."""
    facts = read_status(result.made).facts
    measure = facts.get(MEASURE, "")
    title = measure if column == facts.get(RANKING) else f"{measure.partition(',')[0]}, {column}"
    return title.strip(", ")


def by_encoder(result: Result, cells: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the cells of each encoder of a table, by its name; those of all if it does not say."""
    roles = [row["encoder"] for row in result.made["settings"].get("about", {}).get("rows", [])]
    encoders = cells["row"].map(lambda row: roles[row] if row < len(roles) else "")
    return [(result.encoders.get(role, role), of) for role, of in cells.groupby(encoders, sort=False)]


def short_label(cells: pd.DataFrame, label: str) -> str:
    """Return a label without the group that it begins with."""
    group = next((each for each in set(cells["group"]) if each and label.startswith(f"{each}: ")), "")
    return label.removeprefix(f"{group}: ") if group else label


def names_of(cells: pd.DataFrame) -> Mapping[int, tuple[str, str]]:
    """Return group and name of each row, without a part that all rows of the encoder have."""
    groups = {*cells["group"]}
    if len(groups) == len(cells) > 1:
        return {number: ("", row["group"]) for number, row in cells.iterrows()}
    alone = len(groups) == 1
    return {number: ("" if alone else row["group"], row.model) for number, row in cells.iterrows()}


def decimals_of(rows: pd.DataFrame) -> int:
    """Percentages are printed with two decimals, fractions with three."""
    return 2 if rows.value.abs().max() > 1 else 3


def _bars(trainings: int, is_difference: bool) -> str:
    over = f"test pairs and {trainings} seeds" if trainings > 1 else "test pairs"
    if is_difference or trainings < 2:
        return f"bar: 95 % interval{' of the difference' * is_difference}, over {over}"
    return f"bar: one standard deviation over {trainings} trainings"


def bar_of(row: pd.Series, trainings: int, zero: float | None) -> tuple[float, float, float]:
    """Return the start of the bar of a row, its dot, and its end; `zero` is the value of the baseline."""
    if zero is not None:
        if row.baseline and pd.notna(row.difference):
            return row.difference_low, row.difference, row.difference_high
        return (row.value - zero,) * 3
    if trainings > 1:
        std = row["std"] if pd.notna(row["std"]) else 0.0
        return row.value - std, row.value, row.value + std
    if pd.notna(row.ci_low):
        return min(row.ci_low, row.value), row.value, max(row.ci_high, row.value)
    if np.ndim(row.resampled) == 0 or not len(row.resampled):  # missing, or none
        return row.value, row.value, row.value
    low, high = np.nanpercentile(row.resampled, INTERVAL)
    return low, row.value, high
