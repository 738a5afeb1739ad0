"""Curves as a table for people, one for programs and figures."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from matplotlib import pyplot as plt

from benchmarks.compare import Spread
from benchmarks.curves.laws import Fit, fitted
from benchmarks.curves.measure import Curve, Taken
from contrapose.report.plots import COLOURS, TIMELESS
from contrapose.tables import Table, write_table, written

Points = Mapping[int, Mapping[str, Spread]]  # of one curve: x -> quantity -> spread

QUANTITIES = {"cpu": "s", "wall": "s", "megabytes": "MB"}
PREFIXES = {"s": ("s", "ms", "µs", "ns"), "MB": ("MB", "kB", "B")}
STEP = {"s": 1000, "MB": 1024}
TABLE = Table(
    "curves",
    pa.schema(
        [
            ("curve", pa.string()),
            ("work", pa.string()),  # in words
            ("x_name", pa.string()),
            ("x", pa.int64()),
            ("rounds", pa.int32()),
            *(
                (f"{quantity}_{name}", pa.float64())  # seconds of `per`, MB of 2^20 bytes
                for quantity in Taken._fields
                for name in Spread._fields
            ),
        ]
    ),
    key=("curve", "x"),
)


def fits_of(curve: Curve, points: Points) -> dict[str, Fit]:
    """Fit a curve's laws to the medians."""
    return {
        quantity: fitted(law, list(points), [each[quantity].median for each in points.values()])
        for quantity, law in curve.laws.items()
    }


def as_markdown(
    curves: Mapping[str, Curve], points: Mapping[str, Points], where: Mapping[str, object], rounds: int
) -> str:
    """Return the table for people."""
    lines = [
        "; ".join(f"{name} {value}" for name, value in where.items()) + ".",
        f"Medians of {rounds} rounds, each point in a process of its own; memory is what the work adds to "
        "it. Laws by least squares of the relative error; p: the last two points lie on a x^p.",
        "",
        "| curve | x | measured, first and last | law | furthest off | p |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in points.items():
        curve, xs = curves[name], list(found)
        for quantity, fit in fits_of(curve, found).items():
            unit = QUANTITIES[quantity]
            ends = " to ".join(amount(found[x][quantity].median, unit) for x in (xs[0], xs[-1]))
            law = curve.laws[quantity].formula.format(*(amount(each, unit) for each in fit.constants))
            kind = {"cpu": "CPU", "wall": "wall", "megabytes": ""}[quantity]
            lines.append(
                f"| {name} | {curve.x}, {xs[0]:,} to {xs[-1]:,} | {ends} {kind} | {law} | "
                f"{fit.furthest:+.0%} at {fit.furthest_x:,.0f} | {fit.last_power:.2f} |"
            )
    lines += ["", *(f"- {name}: {curves[name].work}." for name in points)]
    return "\n".join(lines) + "\n"


def amount(value: float, unit: str) -> str:
    """Write a number of s or MB with the prefix that suits it."""
    prefixes = PREFIXES[unit]
    for prefix in prefixes:
        if value >= 1 or prefix == prefixes[-1]:
            break
        value *= STEP[unit]
    return f"{value:.0f} {prefix}" if value >= 99.5 or value == 0 else f"{value:.2g} {prefix}"


def write_report(
    figures: Mapping[str, Mapping[str, Curve]],
    points: Mapping[str, Points],
    where: Mapping[str, object],
    rounds: int,
    folder: Path,
) -> None:
    """Write `curves.parquet`, with the machine in its metadata, `curves.md` and an SVG a figure."""
    curves = {name: curve for group in figures.values() for name, curve in group.items()}
    rows = [
        {
            "curve": name,
            "work": curves[name].work,
            "x_name": curves[name].x,
            "x": x,
            "rounds": rounds,
            **{
                f"{quantity}_{each}": value
                for quantity, spread in spreads.items()
                for each, value in spread._asdict().items()
            },
        }
        for name, found in points.items()
        for x, spreads in found.items()
    ]
    write_table(pd.DataFrame(rows), folder / "curves.parquet", TABLE, where)
    with written(folder / "curves.md") as draft:
        draft.write_text(as_markdown(curves, points, where, rounds), encoding="utf-8")
    for figure, group in figures.items():
        if measured := {name: curve for name, curve in group.items() if name in points}:
            draw(measured, points, folder / f"{figure}.svg")


def draw(curves: Mapping[str, Curve], points: Mapping[str, Points], path: Path) -> None:
    """Draw a panel for each curve and quantity, both axes logarithmic: points, spread, and the law's line.

    Equal points give equal bytes, for one version of matplotlib.
    """
    with plt.rc_context({"svg.hashsalt": path.name, "svg.fonttype": "none", "font.size": 7}):
        _draw(curves, points, path)


def _draw(curves: Mapping[str, Curve], points: Mapping[str, Points], path: Path) -> None:
    wanted = [(name, quantity) for name, curve in curves.items() for quantity in curve.laws]
    wide = min(4, len(wanted))
    high = -(-len(wanted) // wide)
    figure, panels = plt.subplots(
        high, wide, squeeze=False, figsize=(2.6 * wide, 2.4 * high), layout="constrained"
    )
    for panel in panels.flat[len(wanted) :]:
        panel.set_axis_off()
    for panel, (name, quantity) in zip(panels.flat, wanted, strict=False):
        found, unit = points[name], QUANTITIES[quantity]
        medians, low, upper = np.array([found[x][quantity] for x in found]).T
        bars = [medians - low, upper - medians]
        panel.errorbar(list(found), medians, bars, fmt="o", markersize=4, color=COLOURS[0])
        panel.plot(list(found), fits_of(curves[name], found)[quantity].at, color=COLOURS[1])
        panel.set(xscale="log", yscale="log", title=name, xlabel=curves[name].x)
        panel.set_ylabel("memory" if quantity == "megabytes" else f"{quantity} time")
        panel.set_xticks(list(found), [f"{x / 1000:g}k" if x >= 1000 else f"{x}" for x in found])
        ends = [medians.min(), medians.max()]
        panel.set_yticks(ends, [amount(each, unit) for each in ends])
        panel.minorticks_off()
        panel.grid(color="0.9")
    with written(path) as draft:
        figure.savefig(draft, format="svg", metadata=TIMELESS["svg"])
    plt.close(figure)
