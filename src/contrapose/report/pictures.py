"""Pictures of a table of scores: gain against what is lost, cost against gain, and gains by test set."""

from collections.abc import Callable, Iterable
from math import ceil, floor, log10
from typing import NamedTuple

import pandas as pd

from contrapose.report.about import label_of
from contrapose.report.beside import Place, numbers_beside
from contrapose.report.chart import by_encoder, decimals_of, names_of
from contrapose.report.comparison import only_baseline
from contrapose.report.inference import LEVEL
from contrapose.report.panel import Axis, line
from contrapose.report.results import Result
from contrapose.report.row_costs import compute_unit, cost_text

COST_AXES = {"flops": "compute", "usd": "USD for language models"}
WIDE = 2  # an axis of costs is logarithmic from this ratio on
# Ticks of a logarithmic axis within a decade: the first that are enough.
STEPS = (1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)
DECADES, FEWEST_TICKS = 3, 3  # longer axes have only decades
STRONGEST = 55  # % of colour behind the largest difference, so that its text can be read


class Dot(NamedTuple):
    """A method in a plane, at % from the left and from the top."""

    label: str
    left: float
    top: float
    text: str  # both numbers
    tied: bool
    number: Place | None  # where its number stands; None without room for it


class Plane(NamedTuple):
    """Methods by two numbers, of which more is better upwards."""

    title: str
    about: str  # which numbers the list has, and what they are differences to
    x: str
    y: str
    dots: list[Dot]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    grid: str  # CSS background


class HeatMap(NamedTuple):
    """Differences to the baseline, by method and test set."""

    encoder: str
    columns: list[str]
    rows: list[tuple[str, list[tuple[str, str]]]]  # label; text and CSS background of each cell


def planes(result: Result, means: pd.DataFrame, column: str, general: Iterable[str]) -> list[Plane]:
    """Return what is gained against what is lost, and what it costs, for each encoder."""
    compared, unit_of = means[means.difference.notna()], _units(result, means)
    found = [
        each(encoder, cells, column)
        for encoder, cells in by_encoder(result, compared)
        for each in (*(_loss(name) for name in general), *(_costs(name, unit_of) for name in COST_AXES))
    ]
    return [plane for plane in found if plane]


def _loss(general: str) -> Callable[[str, pd.DataFrame, str], Plane | None]:
    def plane(encoder: str, cells: pd.DataFrame, column: str) -> Plane | None:
        gains, changes = (cells[cells.column == name].set_index("row") for name in (column, general))
        rows = [row for row in gains.index if row in changes.index]
        points = [(gains.loc[row], gains.difference[row], changes.difference[row]) for row in rows]
        title = f"Gain on {column}, and change on {general}"
        axes = f"difference on {column}", f"difference on {general}"
        return _plane(title, encoder, *axes, points, only_baseline(cells)) if points else None

    return plane


def _units(result: Result, means: pd.DataFrame) -> Callable[[str], tuple[float, str]]:
    """Return what gives the unit of a cost, and its name: that of compute is the one of the table."""
    work = means[means.flops > 0].groupby("row").flops.first()
    labels = {int(cell["row"]): label_of(cell) for _, cell in means.iterrows()}

    def unit_of(name: str) -> tuple[float, str]:
        if name != "flops" or work.empty:
            return 1.0, ""
        row = compute_unit(work, labels, result.tidy.baseline)
        return float(work[row]), f", {labels[row]} = 1"

    return unit_of


def _costs(
    name: str, unit_of: Callable[[str], tuple[float, str]]
) -> Callable[[str, pd.DataFrame, str], Plane | None]:
    def plane(encoder: str, cells: pd.DataFrame, column: str) -> Plane | None:
        known = cells[(cells.column == column) & (cells[name] > 0)]
        if len(known) < 2:
            return None
        unit, of_unit = unit_of(name)
        points = [(row, row[name] / unit, row.difference) for _, row in known.iterrows()]
        is_wide = bool(known[name].max() / known[name].min() >= WIDE)
        axes = f"{COST_AXES[name]}{of_unit}{', logarithmic' * is_wide}", f"difference on {column}"
        title = "Gain and cost"
        return _plane(title, encoder, *axes, points, only_baseline(cells), "", is_wide)

    return plane


def _plane(
    title: str,
    encoder: str,
    x: str,
    y: str,
    points: list[tuple[pd.Series, float, float]],
    baseline: str,
    sign: str = "+",
    is_wide: bool = False,
) -> Plane:
    points = sorted(points, key=lambda point: -point[0].value)
    across = [log10(each) if is_wide else each for _, each, _ in points]
    left = Axis.over([*across, *([0.0] if sign else [])], sign)
    up = Axis.over([*(each for *_, each in points), 0.0], "+")
    x_ticks = _logarithmic(left) if is_wide else left.ticks
    y_ticks = [(round(100 - at, 2), text) for at, text in up.ticks]
    names = names_of(pd.DataFrame([row for row, *_ in points]).reset_index(drop=True))
    places = [(left.place(at), up.from_top(point[2])) for at, point in zip(across, points, strict=True)]
    dots = [
        Dot(
            ": ".join(filter(None, names[at])),
            *places[at],
            f"{value:{sign}.2f}, {height:+.2f}",
            bool(pd.notna(row.in_best_set) and row.in_best_set),
            number,
        )
        for at, ((row, value, height), number) in enumerate(zip(points, numbers_beside(places), strict=True))
    ]
    lines = [line(round(100 - up.place(0), 2), "var(--quiet)", False)]
    lines += [line(left.place(0), "var(--quiet)")] * bool(sign)
    lines += [line(at, "var(--line)") for at, _ in x_ticks]
    lines += [line(at, "var(--line)", False) for at, _ in y_ticks]
    of = f"{title}: {encoder}" if encoder else title
    about = f"The list gives two numbers of each method: {x}, and {y.removesuffix('.')}."
    about += (
        f" Differences are to {baseline}." if baseline else " Differences are to the baseline of a method."
    )
    if any(dot.number is None for dot in dots):
        about += " Dots that are too close together have no number in the picture."
    return Plane(of, about, x, y, dots, x_ticks, y_ticks, ",".join(lines))


def _logarithmic(axis: Axis) -> list[tuple[float, str]]:
    """Return the place and the label of each tick of an axis of logarithms to the base of ten."""
    low, high = axis.low, axis.low + axis.width
    numbers: list[float] = []
    for steps in STEPS if axis.width < DECADES else STEPS[:1]:
        every = (step * 10.0**power for power in range(floor(low), ceil(high)) for step in steps)
        numbers = [each for each in every if low <= log10(each) <= high]
        if len(numbers) >= FEWEST_TICKS:
            break
    return [(axis.place(log10(each)), cost_text(each)) for each in numbers]


def heat_maps(result: Result, means: pd.DataFrame, columns: Iterable[str]) -> list[HeatMap]:
    """Return the differences to the (first) baseline of each encoder with tests in two columns or more."""
    cells = means[means.p.notna() & means.column.isin([*columns])]
    maps = [_heat_map(*each) for each in by_encoder(result, cells)]
    return [each for each in maps if len(each.columns) > 1]


def _heat_map(encoder: str, cells: pd.DataFrame) -> HeatMap:
    most = cells.difference.abs().groupby(cells.column, sort=False).max()
    names = names_of(cells.drop_duplicates("row").set_index("row", drop=False))
    rows = []
    for row, of_row in cells.groupby("row"):
        texts = {cell.column: _heat(cell, most[cell.column]) for _, cell in of_row.iterrows()}
        rows.append((": ".join(filter(None, names[row])), [texts.get(name, ("", "")) for name in most.index]))
    return HeatMap(encoder, list(most.index), rows)


def _heat(cell: pd.Series, most: float) -> tuple[str, str]:
    text = f"{cell.difference:+.{decimals_of(cell.to_frame().T)}f}"
    if not cell.p <= LEVEL:
        return text, ""
    share = round(STRONGEST * abs(cell.difference) / (most or 1.0))
    colour = "var(--gain)" if cell.difference > 0 else "var(--loss)"
    return text, f"color-mix(in srgb,{colour} {share}%,var(--back))"
