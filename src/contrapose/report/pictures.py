"""Pictures of a table of scores: gain against what is lost, cost against gain, and gains by test set."""

from collections.abc import Callable, Iterable
from math import log10
from typing import NamedTuple

import pandas as pd

from contrapose.report.chart import by_encoder, decimals_of, names_of
from contrapose.report.inference import LEVEL
from contrapose.report.panel import Axis, line
from contrapose.report.results import Result
from contrapose.report.row_costs import cost_text

COST_AXES = {"flops": "compute, cheapest = 1", "usd": "USD for language models"}
DECADE = 10  # an axis of costs is logarithmic from this ratio on
STRONGEST = 55  # % of colour behind the largest difference, so that its text can be read


class Dot(NamedTuple):
    """A method in a plane, at % from the left and from the top."""

    label: str
    left: float
    top: float
    text: str  # both numbers
    tied: bool


class Plane(NamedTuple):
    """Methods by two numbers, of which more is better upwards."""

    title: str
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
    compared = means[means.difference.notna()]
    found = [
        each(encoder, cells, column)
        for encoder, cells in by_encoder(result, compared)
        for each in (*(_loss(name) for name in general), *(_costs(name) for name in COST_AXES))
    ]
    return [plane for plane in found if plane]


def _loss(general: str) -> Callable[[str, pd.DataFrame, str], Plane | None]:
    def plane(encoder: str, cells: pd.DataFrame, column: str) -> Plane | None:
        gains, changes = (cells[cells.column == name].set_index("row") for name in (column, general))
        rows = [row for row in gains.index if row in changes.index]
        points = [(gains.loc[row], gains.difference[row], changes.difference[row]) for row in rows]
        title = f"Gain on {column}, and change on {general}"
        return _plane(title, encoder, f"Δ {column}", f"Δ {general}", points) if points else None

    return plane


def _costs(name: str) -> Callable[[str, pd.DataFrame, str], Plane | None]:
    def plane(encoder: str, cells: pd.DataFrame, column: str) -> Plane | None:
        known = cells[(cells.column == column) & (cells[name] > 0)]
        if len(known) < 2:
            return None
        unit = known[name].min() if name == "flops" else 1.0
        points = [(row, row[name] / unit, row.difference) for _, row in known.iterrows()]
        is_wide = bool(known[name].max() / known[name].min() >= DECADE)
        x = COST_AXES[name] + ", logarithmic" * is_wide
        return _plane("Gain and cost", encoder, x, f"Δ {column}", points, "", is_wide)

    return plane


def _plane(
    title: str,
    encoder: str,
    x: str,
    y: str,
    points: list[tuple[pd.Series, float, float]],
    sign: str = "+",
    is_wide: bool = False,
) -> Plane:
    points = sorted(points, key=lambda point: -point[0].value)
    across = [log10(each) if is_wide else each for _, each, _ in points]
    left = Axis.over([*across, 0.0], sign)
    up = Axis.over([*(each for *_, each in points), 0.0], "+")
    x_ticks = [(at, cost_text(10 ** float(text)) if is_wide else text) for at, text in left.ticks]
    y_ticks = [(round(100 - at, 2), text) for at, text in up.ticks]
    names = names_of(pd.DataFrame([row for row, *_ in points]).reset_index(drop=True))
    dots = [
        Dot(
            ": ".join(filter(None, names[number])),
            left.place(at),
            round(100 - up.place(height), 2),
            f"{value:{sign}.2f}, {height:+.2f}",
            bool(pd.notna(row.in_best_set) and row.in_best_set),
        )
        for number, (at, (row, value, height)) in enumerate(zip(across, points, strict=True))
    ]
    lines = [line(round(100 - up.place(0), 2), "var(--quiet)", False)]
    lines += [line(left.place(0), "var(--quiet)")] * bool(sign)
    lines += [line(at, "var(--line)") for at, _ in x_ticks]
    lines += [line(at, "var(--line)", False) for at, _ in y_ticks]
    of = f"{title}: {encoder}" if encoder else title
    return Plane(of, x, y, dots, x_ticks, y_ticks, ",".join(lines))


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
