"""Figures as PDF, PNG and SVG files: see `contrapose.report.plots`."""

import itertools
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from contrapose.errors import TableError
from contrapose.report.about import About
from contrapose.report.plots import COLOURS, MARKERS, Files, interval_bar, panels_of, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = ["uniformity", "alignment"]  # x and y, as in SimCSE's figure 3
LABEL_DISTANCES = range(5, 125, 8)  # points between a mark and its text
LABEL_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))  # right, up
LABEL_LINE = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
READINGS = {"plain": "", "given": ", the paper's", "fitted": ", fitted"}  # and texts in the legend
SHADES = dict(zip(("1", "0.5", "0", "random"), (*COLOURS[:3], "0.7"), strict=True))  # of labels
DECILES_PANEL = (3.1, 3.2)  # inches
MOST = "all"  # the bar of all pairs together, after the tenths
PANEL_INCHES, COLUMN_INCHES = 2.9, 0.42  # of a figure of differences
NOTE_INCHES = 7.2  # width of the note below its panels


def histogram_figure(tidy: pd.DataFrame, about: About, files: Files) -> None:
    """Draw a panel per set: the share of its pairs in each bin.  Raises TableError if there is no set."""
    sets = list(dict.fromkeys(tidy["set"]))
    if not sets:
        raise TableError("None of the figure's sets has scored pairs. Add the files of at least one.")
    figure, panels = panels_of(len(sets), (0.6 + 3.2 * len(sets), 3.0), grid="", sharey=True)
    for panel, name, colour in zip(panels, sets, itertools.cycle(COLOURS)):
        bins = tidy[tidy["set"] == name]
        panel.bar(bins.low, bins.share, bins.high - bins.low, align="edge", color=colour, edgecolor="white")
        panel.set_title(f"{name} (n = {bins.pairs.sum()})", fontsize=9)
        panel.set_xlabel("gold score", fontsize=8)
    panels[0].set_ylabel("share of pairs", fontsize=8)
    save_figure(figure, files, about, about.signature)


def scatter_figure(points: pd.DataFrame, about: About, files: Files) -> None:
    """Draw alignment against uniformity: a labelled mark per row, a colour and a shape per group.

    With several seeds, small marks are single seeds and large ones their means.  A hollow mark is the
    paper's, with a line to our mark.  Raises TableError if there is no point to draw.
    """
    means = points[points.seed.isna() & (points.source == "ours")]
    if means.empty:
        raise TableError("No row of the figure's table has values. Add STS-B to the benchmarks, or encoders.")
    figure, (axis,) = panels_of(1, (6.4, 4.6))
    axis.margins(0.15)
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
    axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.1), ncols=4, frameon=False)
    places, marks = means[MEASURES].to_numpy(), points[MEASURES].to_numpy()
    text = about.signature + " · hollow: the paper's" * bool(len(printed))
    labels = partial(label_points, axis, places, list(means.model), marks)
    save_figure(figure, files, about, text, when_laid_out=labels)


def curve_figure(
    points: pd.DataFrame, about: About, axis_name: str, column: str, logarithmic: bool, files: Files
) -> None:
    """Draw a line per group of rows, with a bar of one standard deviation over seeds or of an interval."""
    figure, (axis,) = panels_of(1, (6.4, 4.2), letters=10)
    lines = list(dict.fromkeys(points.line))
    for (source, line), cells in points.groupby(["source", "line"], sort=False):
        colour = COLOURS[lines.index(line) % len(COLOURS)]
        ours = source == "ours"
        shown = cells.dropna(subset="value")
        label = line if ours else f"{line}, as published"
        (drawn,) = axis.plot(shown.x, shown.value, "o-" if ours else "o--", color=colour, label=label)
        drawn.set(markersize=4, linewidth=1.2 if ours else 0.8, markerfacecolor=colour if ours else "white")
        for cell in shown.to_dict("records"):
            axis.errorbar(
                cell["x"], cell["value"], yerr=interval_bar(cell), color=colour, linewidth=0.8, capsize=2
            )
    if logarithmic:
        axis.set_xscale("log")
    axis.set_xlabel(axis_name)
    axis.set_ylabel(column)
    axis.legend(fontsize=7)
    figure.suptitle(about.signature, fontsize=8)
    save_figure(figure, files, about)


def calibration_figure(points: pd.DataFrame, about: About, files: Files) -> None:
    """Draw the share of human texts against p(human), and below it the texts in each bin."""
    panels = list(dict.fromkeys(points.panel))
    count, heights = len(panels), (3, 1)
    size = (0.8 + 3.0 * count, 4.4)
    figure, axes = panels_of(
        count, size, letters=7, nrows=2, sharex=True, sharey="row", height_ratios=heights
    )
    for panel, above, below in zip(panels, axes[:count], axes[count:], strict=True):
        above.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
        of_panel = points[points.panel == panel]
        readings = list(of_panel.groupby("reading", sort=False))
        for number, ((reading, bins), colour) in enumerate(zip(readings, itertools.cycle(COLOURS))):
            temperature = bins.temperature.iloc[0]
            label = f"T = {temperature:.3g}{READINGS[reading]}"
            above.plot(bins.p, bins.human, "o-", color=colour, markersize=3, linewidth=1, label=label)
            width = (bins.high - bins.low) / (len(readings) + 1)  # a gap as wide as a bar between bins
            below.bar(bins.low + (number + 0.5) * width, bins.texts, width, align="edge", color=colour)
        above.set_title(panel, fontsize=9)
        above.legend(fontsize=7, loc="upper left", frameon=False)
        below.set_xlabel("p(human)", fontsize=8)
    axes[0].set_ylabel("share of human texts", fontsize=8)
    axes[count].set_ylabel("texts", fontsize=8)
    save_figure(figure, files, about, f"{about.signature} · held-out texts")


def deciles_figure(levels: pd.DataFrame, about: About, files: Files) -> None:
    """Draw a bar of the shares of each label for each tenth and for all pairs, or why a source has none."""
    count = len(about.sources)
    size = (0.8 + DECILES_PANEL[0] * count, DECILES_PANEL[1])
    figure, panels = panels_of(count, size, grid="", letters=7, sharey=True)
    for panel, source in zip(panels, about.sources, strict=True):
        own = levels[levels.source == source.label]
        panel.set_title(source.label, fontsize=9)
        if own.empty:
            panel.text(0.5, 0.5, source.note, ha="center", va="center", wrap=True, fontsize=8)
            panel.set_axis_off()
            continue
        shares = own.pivot(index="tenth", columns="level", values="share")
        places = [*range(len(shares)), len(shares) + 0.4]
        below = pd.Series(0.0, index=range(len(places)))
        for level, shade in SHADES.items():
            if level not in shares:
                continue
            together = own.n[own.level == level].sum() / own.n.sum()
            heights = pd.Series([*shares[level], together])
            panel.bar(places, heights, bottom=below, color=shade, edgecolor="white", label=f"y = {level}")
            below += heights
        panel.set_xticks(places, [*shares.index, MOST])
        panel.set_xlabel("tenth of p(human), 1: highest", fontsize=8)
        panel.set_ylim(0, 1)
    panels[0].set_ylabel("share of pairs", fontsize=8)
    handles = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    names = [name.replace("y = random", "random pair") for name in handles]
    if handles:
        figure.legend(handles.values(), names, fontsize=7, loc="outside upper center", ncols=4, frameon=False)
    save_figure(figure, files, about, about.signature)


def differences_figure(points: pd.DataFrame, about: About, files: Files) -> None:
    """Draw a panel per group with a mark per column and row; hollow marks are the paper's."""
    groups, models, columns = (list(dict.fromkeys(points[name])) for name in ("group", "model", "column"))
    width = max(NOTE_INCHES, 1.4 + PANEL_INCHES * len(groups))
    size = (width, 1.4 + COLUMN_INCHES * max(3, len(columns)))
    figure, panels = panels_of(len(groups), size, "x", sharex=True, sharey=True)
    for panel, group in zip(panels, groups, strict=False):
        panel.set_title(group, fontsize=9)
        _draw_differences(panel, points[points["group"] == group], models, columns)
    first = panels[0]
    if groups:
        first.set_yticks(range(len(columns)), columns)
        first.set_ylim(len(columns) - 0.5, -0.5)
        handles = first.get_legend_handles_labels()
        figure.legend(*handles, fontsize=7, loc="outside upper center", ncols=len(models), frameon=False)
    else:
        first.text(0.5, 0.5, "no rows have values to compare here", ha="center", va="center", fontsize=8)
        first.set_axis_off()
    ours = points[points.source == "ours"]
    seeds = int(ours.seeds.max()) if len(ours) else 0
    known = {0: "test pairs", 1: "test pairs, of one seed"}
    bars = f"95 % interval over {known.get(seeds, f'test pairs and {seeds} seeds')}"
    theirs = " · hollow: the paper's" if len(ours) < len(points) else ""
    labels = set(zip(points["group"], points.baseline, strict=True))
    names = {label.removeprefix(f"{group}: ") for group, label in labels}
    to = names.pop() if len(names) == 1 else "the baseline"
    save_figure(figure, files, about, f"difference to {to} · {about.signature} · {bars}{theirs}")


def _draw_differences(panel: "Axes", points: pd.DataFrame, models: list[str], columns: list[str]) -> None:
    panel.axvline(0, color="0.6", linewidth=0.8)
    step = 0.7 / max(1, len(models))
    for number, model in enumerate(models):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        for source, face in (("ours", colour), ("published", "white")):
            own = points[(points.model == model) & (points.source == source)]
            places = np.array([columns.index(name) for name in own.column], float)
            bars = np.nan_to_num([own.difference - own.low, own.high - own.difference])
            panel.errorbar(
                own.difference,
                places + step * (number - (len(models) - 1) / 2),
                xerr=bars,
                fmt=marker,
                color=colour,
                markerfacecolor=face,
                markersize=4,
                elinewidth=0.8,
                label=model if source == "ours" else None,
            )


def label_points(axis: "Axes", places: np.ndarray, texts: Sequence[str], marks: np.ndarray) -> None:
    """Write a text beside each place, as near as possible without covering a mark or another text.

    `axis` is laid out, and its limits do not change afterwards.  `places`, of shape (n, 2), are x and y of
    the labelled points, `marks`, of shape (m, 2), those of everything drawn.  Raises TableError if there is
    no room for one of the texts.
    """
    from matplotlib.transforms import Bbox

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
