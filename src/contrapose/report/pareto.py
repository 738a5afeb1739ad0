"""The figure of cost against difference, as PDF, PNG and SVG files."""

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from contrapose.errors import TableError
from contrapose.report.about import About
from contrapose.report.costs import cost_text
from contrapose.report.figures import label_points
from contrapose.report.plots import COLOURS, Files, panels_of, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALE = "0.65"
SIZE, OF_UNKNOWN = (8.0, 5.0), 0.45  # inches; width of the panel of unknown costs relative to the other
COST_NAMES = {"seconds": "cost, CPU + GPU seconds", "usd": "cost, USD"}
DECADE = 10  # the axis is logarithmic from this ratio of costs
APART = 6  # points from mark to mark, so that their intervals do not cover each other
LETTERS = 22  # per line of a label
ALONG = 12  # places on an interval that labels keep free
SIGNED = "bar: 95 % interval · pale: another row costs no more and is no lower · near costs are moved apart"


def pareto_figure(points: pd.DataFrame, about: About, cost: str, files: Files) -> None:
    """Draw a labelled mark with its interval for each row; those of unknown cost in a separate panel."""
    parts = {COST_NAMES[cost]: points[points.cost.notna()], "cost not known": points[points.cost.isna()]}
    parts = {name: rows for name, rows in parts.items() if len(rows)} or {"no two rows have scores": points}
    widths = [OF_UNKNOWN if rows.cost.isna().any() else 1 for rows in parts.values()]
    figure, panels = panels_of(len(parts), SIZE, sharey=True, width_ratios=widths)
    for panel, (name, rows) in zip(panels, parts.items(), strict=True):
        _lay_out(panel, rows)
        panel.set_xlabel(name, fontsize=8)
    panels[0].set_ylabel(f"difference to {', '.join(dict.fromkeys(points.baseline))}", fontsize=8)

    def draw() -> None:
        for panel, rows in zip(panels, parts.values(), strict=True):
            _draw(panel, rows)

    save_figure(figure, files, about, f"{about.signature}\n{SIGNED}", letters=7, when_laid_out=draw)


def _lay_out(panel: "Axes", rows: pd.DataFrame) -> None:
    """Set the scales of a panel: costs are logarithmic, from the least, if they span more than a decade."""
    from matplotlib.ticker import NullLocator

    panel.axhline(0, color="0.6", linewidth=0.8)
    panel.margins(0.18, 0.1)
    places = _covered(rows, rows.cost.fillna(0.0).to_numpy())
    panel.plot(*places.T, linestyle="none")  # so that they are within the limits
    if rows.cost.isna().any():
        panel.set_xticks([])
    least, most = rows.cost[rows.cost > 0].min(), rows.cost.max()
    if not most > DECADE * least:
        return
    free = bool((rows.cost == 0).any())
    scale = {"value": "symlog", "linthresh": least, "linscale": 0.5} if free else {"value": "log"}
    panel.set_xscale(**scale)
    decades = 10.0 ** np.arange(np.floor(np.log10(least)), np.ceil(np.log10(most)) + 1)
    ticks = [0.0] * free + [tick for decade in decades for tick in decade * np.array([1, 2, 5])]
    panel.set_xticks([tick for tick in ticks if tick == 0 or 0.9 * least <= tick <= 1.1 * most])
    panel.xaxis.set_minor_locator(NullLocator())
    panel.xaxis.set_major_formatter(lambda value, _: cost_text(value))


def _draw(panel: "Axes", rows: pd.DataFrame) -> None:
    panel.autoscale(False)
    rows = rows.sort_values(["cost", "difference"])  # rising within one cost, which leaves labels more room
    across = _side_by_side(panel, rows.cost.fillna(0.0).to_numpy())
    bars = np.nan_to_num([rows.difference - rows.low, rows.high - rows.difference])
    for number, row in enumerate(rows.to_dict("records")):
        panel.errorbar(
            across[number],
            row["difference"],
            yerr=bars[:, [number]],
            fmt="o",
            color=PALE if row["dominated"] is True else COLOURS[0],
            markersize=5,
            elinewidth=1,
        )
    marks = np.column_stack([across, rows.difference])
    labels = ["\n".join(wrap(label, LETTERS)) for label in rows.label]
    try:
        label_points(panel, marks, labels, _covered(rows, across))
    except TableError:  # many rows of one cost: labels may cover intervals, but not marks
        for text in [*panel.texts]:
            text.remove()
        label_points(panel, marks, labels, marks)


def _side_by_side(panel: "Axes", across: np.ndarray) -> np.ndarray:
    """Return places on the cost axis, of shape (n,), moved apart where they are too close."""
    pixels = panel.transData.transform(np.column_stack([across, np.zeros(len(across))]))
    gap = APART * panel.figure.dpi / 72
    order = np.argsort(pixels[:, 0], kind="stable")
    groups: list[list[int]] = []
    for at in order:
        near = groups and pixels[at, 0] - pixels[groups[-1], 0].mean() < gap * (len(groups[-1]) + 1) / 2
        groups = [*groups[:-1], [*groups[-1], at]] if near else [*groups, [at]]
    for group in groups:
        pixels[group, 0] = pixels[group, 0].mean() + gap * (np.arange(len(group)) - (len(group) - 1) / 2)
    return panel.transData.inverted().transform(pixels)[:, 0]


def _covered(rows: pd.DataFrame, across: np.ndarray) -> np.ndarray:
    """Return places, of shape (n, 2), on marks and their intervals."""
    along = np.linspace(rows.low.fillna(rows.difference), rows.high.fillna(rows.difference), ALONG)
    places = np.concatenate([along, rows[["difference"]].T])  # (ALONG + 1, rows)
    return np.column_stack([np.tile(across, len(places)), places.ravel()])
