"""Plots of tables: scores, rows of any numbers, a gradient over prompts, relations of a dictionary."""

import numpy as np
import pandas as pd

from contrapose.report.about import About, row_label
from contrapose.report.comparison import only_baseline
from contrapose.report.plots import Files, Layout, draw, point_table

STAGES = ("offered", "chance", "kept")  # bars of the relations of a row of rewrites


def scores_plot(tidy: pd.DataFrame, about: About, measure: str, files: Files) -> None:
    """Draw scores; if all rows have the same baseline, as differences to it with their intervals."""
    baseline = only_baseline(tidy)
    if not baseline:
        rows_plot(tidy, about, measure, files)
        return
    compared = tidy[tidy.seed.isna() & (tidy.baseline == baseline)]
    shown = compared.assign(
        value=compared.difference,
        ci_low=compared.difference_low,
        ci_high=compared.difference_high,
        std=np.nan,
    )
    seeds = " and seeds" * (tidy.seed.nunique() > 1)
    bars = f"95 % interval over test pairs{seeds} · grey line at 0: {baseline}"
    rows_plot(shown, about, f"{measure} · dot: difference to {baseline}", files, one_scale=True, bars=bars)


def rows_plot(
    tidy: pd.DataFrame, about: About, measure: str, files: Files, one_scale: bool = False, bars: str = ""
) -> None:
    """Draw a panel per column and a dot per row, with its interval.

    One seed: the 95 % interval over pairs or items.  More: a mark per seed, and a bar of one
    standard deviation over seeds on each side of the mean.  Columns and rows without values are left out.
    `measure` names the values, `bars` the intervals if they are different ones; with `one_scale`, panels
    share one scale and have a line at 0.
    """
    several = tidy.seed.nunique() > 1
    cells = tidy[tidy.value.notna()]
    rows = cells[cells.seed.isna()]["row"].drop_duplicates().sort_values().tolist()
    labels = [row_label(*each) for each in zip(cells["group"], cells.model, strict=True)]
    points = cells.assign(panel=cells.column, line=cells["group"], label=labels, source="ours").assign(
        x=cells["row"].map({row: at for at, row in enumerate(rows)})
    )
    bars = bars or ("one standard deviation over seeds, |: a seed" if several else "95 % interval")
    layout = Layout(
        "dots",
        text=f"{measure} · bar: {bars}",
        titles={name: name.replace("_", " ") for name in dict.fromkeys(cells.column)},
        size=(1.5, 1.1 + 0.32 * max(2, len(rows))),
        horizontal=True,
        ticks=True,
        guide="zero" if one_scale else "",
        one_scale=one_scale,
        legend=False,
    )
    draw(point_table(about, points), layout, about, files)


def gradient_plot(tidy: pd.DataFrame, about: About, files: Files) -> None:
    """Draw similarity and BLEU at each place in the answer, with one standard error over sentences."""
    slots = tidy[tidy.slot.notna()]
    lines = slots["group"] + ": " + slots.model + " (n = " + slots.n.astype(str) + ")"
    points = slots.assign(panel=slots.column, x=slots.slot + 1, line=lines, std=slots.error)
    places = slots.slot.add(1).astype(str)
    layout = Layout(
        "line", text="place in the answer · bar: one standard error", size=(3.6, 3.4), one_scale=False
    )
    layout = layout._replace(ticks=True, gap=0.05)
    draw(point_table(about, points.assign(label=places)), layout, about, files)


def relations_plot(tidy: pd.DataFrame, about: About, files: Files) -> None:
    """Draw the share of each relation among the rewrites offered, kept by chance, and kept."""
    shares = tidy[tidy.variant.isin(STAGES) & tidy.value.notna()]
    rows = list(dict.fromkeys(shares["row"]))
    each = list(zip(shares["row"], shares.variant, shares["group"], shares.model, strict=True))
    points = shares.assign(
        line=shares.column,
        x=[rows.index(row) * (len(STAGES) + 1) + STAGES.index(stage) for row, stage, *_ in each],
        label=[f"{row_label(group, model)}, {stage}" for _, stage, group, model in each],
    )
    layout = Layout("bars", value="%", size=(5.0, 1.3 + 0.22 * max(3, 3 * len(rows))), horizontal=True)
    titles = {"": "" if rows else "no dictionary has relations"}
    draw(
        point_table(about, points.sort_values("line")),
        layout._replace(ticks=True, titles=titles),
        about,
        files,
    )
