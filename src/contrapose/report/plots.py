"""Plots beside the tables, and what they share with figures.

Equal tables give equal bytes, for one version of matplotlib, which plans have no time to import.
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from contrapose.report.about import About, row_label
from contrapose.report.comparison import only_baseline
from contrapose.tables import written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Files = Sequence[str | Path]  # the suffix of each selects its format

PANEL_INCHES, ROW_INCHES, LABEL_INCHES = 1.5, 0.32, 2.6
TITLE_LETTERS = 20  # width of a panel in characters
LETTERS_PER_INCH = 15  # in the line below, at 8 points
# Okabe and Ito's colours, distinguishable with any colour vision; one per group of rows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*"
STAGES = ("offered", "chance", "kept")  # bars of the relations of a row of rewrites
RELATIONS_WIDTH, AROUND, BAR = 7.2, 1.3, 0.22  # inches: width, height without bars, height of a bar
# Metadata that would make two files of one picture differ: time and version of the program.
TIMELESS: dict[str, dict] = {"pdf": {"CreationDate": None}, "png": {"Software": None}, "svg": {"Date": None}}


def panels_of(
    count: int, size: tuple[float, float], grid: str = "both", letters: float = 8, **layout: Any
) -> "tuple[Figure, list[Axes]]":
    """Return a figure of panels side by side, at least one, and the panels, row by row.

    `size` is in inches; `letters` that of the numbers at the axes, in points; `grid` names the axes that have
    grid lines, empty for none.
    """
    import matplotlib

    matplotlib.use("Agg")  # no screen, and the same picture everywhere
    from matplotlib import pyplot as plt

    layout = {"nrows": 1, "squeeze": False, "layout": "constrained", **layout}
    figure, panels = plt.subplots(ncols=max(1, count), figsize=size, **layout)
    for panel in panels.flat:
        panel.tick_params(labelsize=letters)
        if grid:
            panel.grid(axis=grid, color="0.9")
            panel.set_axisbelow(True)
    return figure, list(panels.flat)


def save_figure(
    figure: "Figure",
    files: Files,
    about: About,
    text: str = "",
    letters: float = 8,
    when_laid_out: Callable[[], None] | None = None,
) -> None:
    """Write a figure, with a text below it, in the formats of its files' suffixes.

    Without metadata that differ between calls.  `when_laid_out` draws what needs the final places.
    """
    from matplotlib import pyplot as plt

    if text:
        figure.supxlabel(text, fontsize=letters)
    if when_laid_out:
        figure.draw_without_rendering()  # lays out
        figure.set_layout_engine("none")  # keeps the layout
        when_laid_out()
    for path in files:
        kind = Path(path).suffix[1:]
        with written(path) as draft, plt.rc_context({"svg.hashsalt": about.name}):
            figure.savefig(draft, format=kind, dpi=150, metadata=TIMELESS[kind])
    plt.close(figure)


def scores_plot(tidy: pd.DataFrame, about: About, measure: str, files: Files) -> None:
    """Draw scores; if all rows have the same baseline, as differences to it with their intervals."""
    baseline = only_baseline(tidy)
    if not baseline:
        rows_plot(tidy, about, measure, files)
        return
    compared = tidy[tidy.seed.isna() & (tidy.baseline == baseline)]
    shown = compared.assign(
        value=compared.difference, low=compared.difference_low, high=compared.difference_high, spread=np.nan
    )
    measure, bars = f"{measure}, difference to {baseline}", "95 % interval over test pairs and seeds"
    rows_plot(shown, about, measure, files, one_scale=True, bars=bars)


def rows_plot(
    tidy: pd.DataFrame, about: About, measure: str, files: Files, one_scale: bool = False, bars: str = ""
) -> None:
    """Draw a panel per column and a dot per row, with its interval.

    One seed: the 95 % interval over pairs or items.  More: a mark per seed, and a bar of one
    standard deviation over seeds on each side of the mean.  Columns and rows without values are left out.
    `measure` names the values, `bars` the intervals if they are different ones; with `one_scale`, panels
    share one scale and have a line at 0.
    """
    means = tidy[tidy.seed.isna() & tidy.value.notna()]
    single = tidy[tidy.seed.notna() & tidy.value.notna()]
    several = tidy.seed.nunique() > 1
    columns = list(dict.fromkeys(means.column))
    labels = (means if len(means) else tidy).drop_duplicates("row").sort_values("row")
    places = {row: at for at, row in enumerate(labels["row"])}  # rows without a value have none
    groups = list(dict.fromkeys(labels["group"]))
    size = (LABEL_INCHES + PANEL_INCHES * max(2, len(columns)), 1.1 + ROW_INCHES * len(labels))
    style = ("x", 7) if columns else ("", 10)  # nothing to read off an empty panel
    figure, panels = panels_of(len(columns), size, *style, sharex=one_scale, sharey=True)
    for panel, column in zip(panels, columns, strict=False):
        panel.set_title("\n".join(wrap(column.replace("_", " "), TITLE_LETTERS)), fontsize=9)
        if one_scale:
            panel.axvline(0, color="0.6", linewidth=0.8)
        if several:
            seeds = single[single.column == column]
            panel.plot(seeds.value, seeds["row"].map(places), "|", color="0.4", markersize=7, zorder=3)
        for cell in means[means.column == column].to_dict("records"):
            colour = COLOURS[groups.index(cell["group"]) % len(COLOURS)]
            place = places[cell["row"]]
            panel.errorbar(cell["value"], place, xerr=interval_bar(cell), fmt="o", color=colour, markersize=4)
    axis = panels[0]
    axis.set_yticks(list(places.values()), list(map(row_label, labels["group"], labels.model)))
    axis.set_ylim(len(labels) - 0.5, -0.5)
    axis.tick_params(axis="y", labelsize=8)
    bars = bars or ("one standard deviation over seeds, |: a seed" if several else "95 % interval")
    lines = wrap(f"{measure} · {about.signature} · bar: {bars}", int(size[0] * LETTERS_PER_INCH))
    save_figure(figure, files, about, "\n".join(lines))


def interval_bar(cell: dict) -> list[list[float]] | None:
    """Return how far the bar of a cell goes on each side: its spread or its interval; None without either."""
    if pd.notna(cell["spread"]):
        return [[cell["spread"]], [cell["spread"]]]
    if pd.notna(cell["low"]):
        # A percentile interval of a correlation near 1 can miss the value itself.
        low, high = cell["value"] - cell["low"], cell["high"] - cell["value"]
        return [[max(0.0, low)], [max(0.0, high)]]
    return None


def gradient_plot(tidy: pd.DataFrame, about: About, files: Files) -> None:
    """Draw similarity and BLEU at each place in the answer, with one standard error over sentences."""
    slots = tidy[tidy.slot.notna()]
    columns = list(dict.fromkeys(slots.column))
    figure, panels = panels_of(len(columns), (1.2 + 3.6 * len(columns), 3.4))
    for panel, column in zip(panels, columns, strict=True):
        panel.set_title(column, fontsize=9)
        for row, cells in slots[slots.column == column].groupby("row"):
            # Side by side, so that bars at one place do not cover each other.
            places = cells.slot.astype(float) + 1 + 0.05 * (row - slots["row"].max() / 2)
            first = cells.iloc[0]
            label = f"{first['group']}: {first.model} (n = {first.n})"
            colour, marker = COLOURS[row % len(COLOURS)], MARKERS[row % len(MARKERS)]
            style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1}
            panel.errorbar(places, cells.value, cells.error, label=label, **style)
        panel.set_xticks(sorted(int(slot) + 1 for slot in slots.slot.unique()))
    panels[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    text = f"place in the answer · {about.signature} · bar: one standard error"
    save_figure(figure, files, about, text)


def relations_plot(tidy: pd.DataFrame, about: About, files: Files) -> None:
    """Draw the share of each relation among the rewrites offered, kept by chance, and kept."""
    shares = tidy[tidy.variant.isin(STAGES) & tidy.value.notna()]
    found = {
        (cell["row"], cell["column"], cell["variant"]): cell["value"] for cell in shares.to_dict("records")
    }
    relations = sorted({relation for _, relation, _ in found})
    rows = shares.drop_duplicates("row").to_dict("records")
    bars = [(row["row"], stage) for row in rows for stage in STAGES]
    places = [at + at // len(STAGES) for at in range(len(bars))]  # a gap after each row
    figure, (axis,) = panels_of(1, (RELATIONS_WIDTH, AROUND + BAR * max(3, len(bars))), grid="")
    left = np.zeros(len(bars))
    for relation, colour in zip(relations, cycle(COLOURS)):
        widths = np.array([found.get((row, relation, stage), 0.0) for row, stage in bars])
        axis.barh(places, widths, left=left, color=colour, edgecolor="white", label=relation)
        left += widths
    labels = [f"{row_label(row['group'], row['model'])}, {stage}" for row in rows for stage in STAGES]
    axis.set_yticks(places, labels, fontsize=7)
    axis.invert_yaxis()
    if relations:
        figure.legend(fontsize=7, loc="outside upper center", ncols=4, frameon=False)
    else:
        axis.text(0.5, 0.5, "no dictionary here has relations", ha="center", transform=axis.transAxes)
    save_figure(figure, files, about, f"% · {about.signature}")
