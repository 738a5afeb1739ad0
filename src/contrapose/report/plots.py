"""Figures beside the tables."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib
import numpy as np
import pandas as pd

from contrapose.errors import TableError
from contrapose.jobs import CurveJob
from contrapose.tables import written

matplotlib.use("Agg")  # no screen, and the same picture everywhere

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

PANEL_INCHES, ROW_INCHES, LABEL_INCHES = 1.5, 0.32, 2.6
TITLE_LETTERS = 20  # as many as are as wide as a panel
# Okabe and Ito's colours, which people with any colour vision tell apart; a group of rows each.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*"
MEASURES = ["uniformity", "alignment"]  # x and y, as in SimCSE's figure 3
LABEL_DISTANCES = range(5, 125, 8)  # points between a mark and its text
LABEL_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))  # right, up
LABEL_LINE = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
# What would make two files of one picture differ: the time and the version of the program.
TIMELESS: dict[str, dict] = {"pdf": {"CreationDate": None}, "png": {"Software": None}, "svg": {"Date": None}}


def sts_plot(
    tidy: pd.DataFrame, path: str | Path, metrics: Sequence[str] = ("spearman",), factor: str = " x100"
) -> None:
    """Draw correlations, or other metrics, each named once: see `_rows_plot`."""
    _rows_plot(tidy, path, f"{', '.join(dict.fromkeys(metrics)).capitalize()}{factor}")


def cosines_plot(tidy: pd.DataFrame, path: str | Path) -> None:
    """Draw cosines and their changes: see `_rows_plot`; panels of one scale, and a line at 0."""
    _rows_plot(tidy, path, "cosine, or its change", one_scale=True)


def _rows_plot(tidy: pd.DataFrame, path: str | Path, measure: str, one_scale: bool = False) -> None:
    """Draw a panel per column and a dot per row, with its interval.

    One seed: the 95 % bootstrap interval over pairs or items.  More: a mark per seed, and a bar of one
    standard deviation over seeds on each side of the mean.  Columns and rows without values are left out.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    path : of the PNG file
        Equal tables give equal bytes, for one version of matplotlib.
    measure : str
        What the values are.
    one_scale : bool
        Panels are to be compared with each other, and values with 0.
    """
    means = tidy[tidy.seed.isna() & tidy.value.notna()]
    single = tidy[tidy.seed.notna() & tidy.value.notna()]
    several = tidy.seed.nunique() > 1
    columns = list(dict.fromkeys(means.column))
    labels = (means if len(means) else tidy).drop_duplicates("row").sort_values("row")
    places = {row: at for at, row in enumerate(labels["row"])}  # rows without a value have none
    groups = list(dict.fromkeys(labels["group"]))
    size = (LABEL_INCHES + PANEL_INCHES * max(1, len(columns)), 1.1 + ROW_INCHES * len(labels))
    figure, panels = plt.subplots(
        1,
        max(1, len(columns)),
        sharex=one_scale,
        sharey=True,
        squeeze=False,
        figsize=size,
        layout="constrained",
    )
    for panel, column in zip(panels[0], columns, strict=False):
        panel.set_title("\n".join(wrap(column.replace("_", " "), TITLE_LETTERS)), fontsize=9)
        if one_scale:
            panel.axvline(0, color="0.6", linewidth=0.8)
        panel.grid(axis="x", color="0.9")
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=7)
        if several:
            seeds = single[single.column == column]
            panel.plot(seeds.value, seeds["row"].map(places), "|", color="0.4", markersize=7, zorder=3)
        for cell in means[means.column == column].to_dict("records"):
            colour = COLOURS[groups.index(cell["group"]) % len(COLOURS)]
            place = places[cell["row"]]
            panel.errorbar(cell["value"], place, xerr=_bar(cell), fmt="o", color=colour, markersize=4)
    axis = panels[0][0]
    axis.set_yticks(list(places.values()), [f"{r['group']}: {r['model']}" for r in labels.to_dict("records")])
    axis.set_ylim(len(labels) - 0.5, -0.5)
    axis.tick_params(axis="y", labelsize=8)
    table, world = tidy[["table", "world"]].iloc[0]
    bars = "bar: one standard deviation over seeds, |: a seed" if several else "bar: 95 % bootstrap interval"
    figure.supxlabel(f"{measure} · {table} · world {world} · {bars}", fontsize=8)
    with written(path) as draft:
        figure.savefig(draft, format="png", dpi=150, metadata={"Software": None})
    plt.close(figure)


def _bar(cell: dict) -> list[list[float]] | None:
    if pd.notna(cell["spread"]):
        return [[cell["spread"]], [cell["spread"]]]
    if pd.notna(cell["low"]):
        # A percentile interval of a correlation near 1 can miss the value itself.
        low, high = cell["value"] - cell["low"], cell["high"] - cell["value"]
        return [[max(0.0, low)], [max(0.0, high)]]
    return None


def gradient_plot(tidy: pd.DataFrame, path: str | Path) -> None:
    """Draw similarity and BLEU at each place in the answer, a line per prompt.

    Bars are one standard error over sentences on each side.

    Parameters
    ----------
    tidy : PROMPT_TABLE table
    path : of the PNG file
        Equal tables give equal bytes, for one version of matplotlib.
    """
    slots = tidy[tidy.slot.notna()]
    columns = list(dict.fromkeys(slots.column))
    figure, panels = plt.subplots(
        1, len(columns), squeeze=False, figsize=(1.2 + 3.6 * len(columns), 3.4), layout="constrained"
    )
    for panel, column in zip(panels[0], columns, strict=True):
        panel.set_title(column, fontsize=9)
        panel.grid(color="0.9")
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=8)
        for row, cells in slots[slots.column == column].groupby("row"):
            # Side by side, so that bars at one place do not cover each other.
            places = cells.slot.astype(float) + 1 + 0.05 * (row - slots["row"].max() / 2)
            label = f"{cells.llm.iloc[0]}: {cells.label.iloc[0]} (n = {cells.n.iloc[0]})"
            style = {"color": COLOURS[row % len(COLOURS)], "marker": MARKERS[row % len(MARKERS)]}
            panel.errorbar(places, cells.value, cells.error, label=label, markersize=4, linewidth=1, **style)
        panel.set_xticks(sorted(int(slot) + 1 for slot in slots.slot.unique()))
    panels[0][-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    table, world = tidy[["table", "world"]].iloc[0]
    figure.supxlabel(f"place in the answer · {table} · world {world} · bar: one standard error", fontsize=8)
    with written(path) as draft:
        figure.savefig(draft, format="png", dpi=150, metadata={"Software": None})
    plt.close(figure)


def histogram_figure(tidy: pd.DataFrame, paths: Sequence[str | Path]) -> None:
    """Draw a panel per set: the share of its pairs in each bin of gold scores.

    Parameters
    ----------
    tidy : HISTOGRAM table
    paths : of the PDF, PNG or SVG files, told apart by their suffix
        Equal tables give equal bytes, for one version of matplotlib.

    Raises
    ------
    TableError
        There is no set to draw.
    """
    sets = list(dict.fromkeys(tidy["set"]))
    if not sets:
        raise TableError("No scored pair of any set of the figure is there. Add the files of one of them.")
    figure, panels = plt.subplots(
        1, len(sets), sharey=True, squeeze=False, figsize=(0.6 + 3.2 * len(sets), 3.0), layout="constrained"
    )
    for panel, name, colour in zip(panels[0], sets, itertools.cycle(COLOURS)):
        bins = tidy[tidy["set"] == name]
        panel.bar(bins.low, bins.share, bins.high - bins.low, align="edge", color=colour, edgecolor="white")
        panel.set_title(f"{name} (n = {bins.pairs.sum()})", fontsize=9)
        panel.set_xlabel("gold score", fontsize=8)
        panel.tick_params(labelsize=8)
    panels[0][0].set_ylabel("share of pairs", fontsize=8)
    about, world = tidy[["figure", "world"]].iloc[0]
    figure.supxlabel(f"{about} · world {world}", fontsize=8)
    save_figure(figure, paths, about)


def scatter_figure(points: pd.DataFrame, paths: Sequence[str | Path]) -> None:
    """Draw alignment against uniformity: a labelled mark per row, a colour and a shape per group.

    With several seeds, small marks are single seeds and large ones their means.  A hollow mark is the
    paper's, with a line to ours.

    Parameters
    ----------
    points : SCATTER table
    paths : of the PDF, PNG or SVG files, told apart by their suffix
        Equal tables give equal bytes, for one version of matplotlib.

    Raises
    ------
    TableError
        There is no point to draw.
    """
    means = points[points.seed.isna() & (points.source == "ours")]
    if means.empty:
        raise TableError("No row of the figure's table has values. Add STS-B to the benchmarks, or encoders.")
    figure, axis = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    axis.margins(0.15)
    axis.grid(color="0.9")
    axis.set_axisbelow(True)
    seeds = points[points.seed.notna()] if points.seed.nunique() > 1 else points[:0]
    printed = points[points.source == "published"]
    for group, colour, shape in zip(
        dict.fromkeys(means["group"]), itertools.cycle(COLOURS), itertools.cycle(MARKERS)
    ):
        large, small, hollow = (table[table["group"] == group] for table in (means, seeds, printed))
        style: dict[str, Any] = {"color": colour, "marker": shape, "linestyle": "none"}
        axis.plot(large.uniformity, large.alignment, label=group, zorder=3, **style)
        axis.plot(small.uniformity, small.alignment, markersize=2.5, alpha=0.6, **style)
        axis.plot(hollow.uniformity, hollow.alignment, markerfacecolor="none", zorder=3, **style)
    for _, pair in points[points.seed.isna()].groupby("row"):
        axis.plot(pair.uniformity, pair.alignment, ":", color="0.7")  # from ours to the paper's
    axis.set_xlabel("uniformity, lower is better", fontsize=8)
    axis.set_ylabel("alignment, lower is better", fontsize=8)
    axis.tick_params(labelsize=8)
    axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.1), ncols=4, frameon=False)
    about, world = points[["figure", "world"]].iloc[0]
    note = " · hollow: the paper's" if len(printed) else ""
    figure.supxlabel(f"{about} · world {world}{note}", fontsize=8)
    figure.draw_without_rendering()  # lays out
    figure.set_layout_engine("none")  # and so it stays: labels are placed in it
    label_points(axis, means[MEASURES].to_numpy(), list(means.model), points[MEASURES].to_numpy())
    save_figure(figure, paths, about)


def curve_figure(points: pd.DataFrame, job: CurveJob, paths: Sequence[str | Path]) -> None:
    """Draw a line per group of rows, with a bar of one standard deviation over seeds or of an interval.

    Parameters
    ----------
    points : CURVE table
    job : CurveJob
    paths : of PDF, PNG and SVG files
        Equal tables give equal bytes, for one version of matplotlib.
    """
    figure, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    lines = list(dict.fromkeys(points.line))
    for (source, line), cells in points.groupby(["source", "line"], sort=False):
        colour = COLOURS[lines.index(line) % len(COLOURS)]
        ours = source == "ours"
        shown = cells.dropna(subset="value")
        label = line if ours else f"{line}, as published"
        (drawn,) = axis.plot(shown.x, shown.value, "o-" if ours else "o--", color=colour, label=label)
        drawn.set(markersize=4, linewidth=1.2 if ours else 0.8, markerfacecolor=colour if ours else "white")
        for cell in shown.to_dict("records"):
            axis.errorbar(cell["x"], cell["value"], yerr=_bar(cell), color=colour, linewidth=0.8, capsize=2)
    if job.logarithmic:
        axis.set_xscale("log")
    axis.set_xlabel(job.axis)
    axis.set_ylabel(job.column)
    axis.grid(color="0.9")
    axis.set_axisbelow(True)
    axis.legend(fontsize=7)
    about = job.table
    figure.suptitle(f"{about} · world {job.world}", fontsize=8)
    save_figure(figure, paths, about)


def label_points(axis: Axes, places: np.ndarray, texts: Sequence[str], marks: np.ndarray) -> None:
    """Write a text beside each place: the nearest where it covers no mark and no other text.

    Parameters
    ----------
    axis : Axes
        Laid out; its limits do not change afterwards.
    places : float array of shape (n, 2), x and y of what the texts are about
    texts : sequence of n str
    marks : float array of shape (m, 2), x and y of everything drawn

    Raises
    ------
    TableError
        There is no room for one of them.
    """
    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in axis.transData.transform(marks)]  # pixels
    for place, text in zip(places, texts, strict=True):
        for distance, (right, up) in itertools.product(LABEL_DISTANCES, LABEL_SIDES):
            offset = (right * distance, up * distance)
            note = axis.annotate(text, place, offset, textcoords="offset points", fontsize=7)
            note.set_horizontalalignment(("center", "left", "right")[right])
            note.set_verticalalignment(("center", "bottom", "top")[up])
            box = note.get_window_extent()
            inside = axis.bbox.count_contains(box.corners()) == len(box.corners())
            if inside and not any(box.overlaps(other) for other in taken):
                break
            note.remove()
        else:
            raise TableError(f"The figure has no room for the label '{text}'. Show fewer rows.")
        taken.append(box)
        if distance > LABEL_DISTANCES[0]:
            axis.annotate("", place, offset, textcoords="offset points", arrowprops=LABEL_LINE)


def save_figure(figure: Figure, paths: Sequence[str | Path], about: str) -> None:
    """Write a figure in the formats that its paths say, without what differs from call to call."""
    for path in paths:
        kind = Path(path).suffix[1:]
        with written(path) as draft, plt.rc_context({"svg.hashsalt": about}):
            figure.savefig(draft, format=kind, dpi=150, metadata=TIMELESS[kind])
    plt.close(figure)
