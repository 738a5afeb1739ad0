"""A figure of the labels in each tenth of synthetic pairs by p(human)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

from contrapose.jobs import TenthsJob
from contrapose.report.plots import COLOURS, save_figure
from contrapose.tables import LEVELS

SHADES = dict(zip(("1", "0.5", "0", "random"), (*COLOURS[:3], "0.7"), strict=True))
PANEL = (3.1, 3.2)  # inches
MOST = "all"  # the bar of all pairs together, behind the tenths


def levels_by_tenth(counted: Mapping[str, pd.DataFrame], job: TenthsJob) -> pd.DataFrame:
    """Return the counts of every source.

    Parameters
    ----------
    counted : mapping of a source's name: TENTHS table
    job : TenthsJob

    Returns
    -------
    LEVELS table
    """
    tables = [table.assign(source=name) for name, table in counted.items()]
    found = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=LEVELS.columns)
    return found.assign(figure=job.table, world=job.world)[LEVELS.columns]


def tenths_figure(levels: pd.DataFrame, job: TenthsJob, paths: Sequence[str | Path]) -> None:
    """Draw a panel per source: a bar per tenth, of the shares of each label, and one of all pairs.

    Parameters
    ----------
    levels : LEVELS table
    job : TenthsJob
        A source that the world lacks has a panel that says why.
    paths : of PDF, PNG and SVG files
        Equal tables give equal bytes, for one version of matplotlib.
    """
    width = 0.8 + PANEL[0] * len(job.sources)
    figure, panels = plt.subplots(
        1, len(job.sources), sharey=True, squeeze=False, figsize=(width, PANEL[1]), layout="constrained"
    )
    for panel, source in zip(panels[0], job.sources, strict=True):
        own = levels[levels.source == source.name]
        panel.set_title(source.name, fontsize=9)
        panel.tick_params(labelsize=7)
        if own.empty:
            panel.text(0.5, 0.5, source.missing, ha="center", va="center", wrap=True, fontsize=8)
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
    panels[0][0].set_ylabel("share of pairs", fontsize=8)
    handles = {
        label: handle
        for panel in panels[0]
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    names = [name.replace("y = random", "random pair") for name in handles]
    if handles:
        figure.legend(handles.values(), names, fontsize=7, loc="outside upper center", ncols=4, frameon=False)
    figure.supxlabel(f"{job.table} · world {job.world}", fontsize=8)
    save_figure(figure, paths, job.table)
