"""A figure of how far the rows of a table are above one of their group, with intervals over seeds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from scipy.stats import t

from contrapose.jobs import DifferencesJob
from contrapose.report.plots import COLOURS, MARKERS, save_figure
from contrapose.tables import DIFFERENCES

MEAN = "mean"  # of the columns, per seed
CONFIDENCE = 0.95
PANEL_INCHES, COLUMN_INCHES = 2.9, 0.42
LABEL_INCHES = 7.2  # what is said below the panels


def differences(tidy: pd.DataFrame, job: DifferencesJob) -> pd.DataFrame:
    """Return how far each row is above the baseline of its group, column by column and in their mean.

    Seeds are paired: seed 43 of a row is compared with seed 43 of the baseline, as what a seed decides is
    alike in both.  The interval is Student's t over these differences; one seed has none, as an interval over
    test pairs is not one of the difference.

    Parameters
    ----------
    tidy : PUBLISHABLE table
        Rows without seeds, of encoders as they are, are not compared.
    job : DifferencesJob

    Returns
    -------
    DIFFERENCES table
        The paper's beside ours, unless the world makes its own text: of the columns that ours have, so that
        both means are over the same; of all where nothing of ours is there.
    """
    found = []
    trained = tidy[tidy.seed.notna() & tidy.value.notna()]
    printed = tidy[tidy.seed.isna() & tidy.published.notna()].assign(value=tidy.published, seed=0)
    if job.generated or len(trained):
        printed = printed[printed.column.isin([] if job.generated else trained.column)]
    for source, cells in (("ours", trained), ("published", printed)):
        for group, of_group in cells.groupby("group", sort=False):
            by_seed = of_group.pivot(index=["model", "seed"], columns="column", values="value")
            by_seed = by_seed[list(dict.fromkeys(of_group.column))]
            models = list(dict.fromkeys(of_group.model))
            if job.baseline not in models:
                continue
            for model in (name for name in models if name != job.baseline):
                apart = (by_seed.loc[model] - by_seed.loc[job.baseline]).dropna(axis="columns")
                apart = apart.assign(**{MEAN: apart.mean(axis="columns")}) if apart.shape[1] > 1 else apart
                about = {"figure": job.table, "world": job.world, "source": source}
                about |= {"group": group, "model": model}
                found += [
                    {**about, "column": name, **_interval(apart[name]), "seeds": len(apart)} for name in apart
                ]
    numbers = dict.fromkeys(("difference", "low", "high"), float)
    return pd.DataFrame(found, columns=DIFFERENCES.columns).astype(numbers)


def _interval(values: pd.Series) -> dict[str, float]:
    """Return the mean, and of two seeds or more the ends of its interval."""
    n, mean = len(values), float(values.mean())
    half = t.ppf((1 + CONFIDENCE) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return {"difference": mean, "low": mean - half, "high": mean + half}


def differences_figure(points: pd.DataFrame, job: DifferencesJob, paths: Sequence[str | Path]) -> None:
    """Draw a panel per group and in it a mark per column and row; hollow marks are the paper's.

    Parameters
    ----------
    points : DIFFERENCES table
    job : DifferencesJob
    paths : of PDF, PNG and SVG files
        Equal tables give equal bytes, for one version of matplotlib.
    """
    groups, models, columns = (list(dict.fromkeys(points[name])) for name in ("group", "model", "column"))
    columns.sort(key=lambda name: name == MEAN)  # behind the others
    width = max(LABEL_INCHES, 1.4 + PANEL_INCHES * len(groups))
    size = (width, 1.4 + COLUMN_INCHES * max(3, len(columns)))
    figure, panels = plt.subplots(
        1, max(1, len(groups)), sharex=True, sharey=True, squeeze=False, figsize=size, layout="constrained"
    )
    for panel, group in zip(panels[0], groups, strict=False):
        panel.set_title(group, fontsize=9)
        _draw(panel, points[points["group"] == group], models, columns)
    first = panels[0][0]
    if groups:
        first.set_yticks(range(len(columns)), columns)
        first.set_ylim(len(columns) - 0.5, -0.5)
        handles = first.get_legend_handles_labels()
        figure.legend(*handles, fontsize=7, loc="outside upper center", ncols=len(models), frameon=False)
    else:
        first.text(0.5, 0.5, "no trained row has values in this world", ha="center", va="center", fontsize=8)
        first.set_axis_off()
    ours = points[points.source == "ours"]
    seeds = int(ours.seeds.max()) if len(ours) else 0
    known = {0: "nothing trained", 1: "one seed, no interval"}
    bars = known.get(seeds, f"95 % interval, {seeds} paired seeds")
    theirs = " · hollow: the paper's" if len(ours) < len(points) else ""
    about = f"difference to {job.baseline} · {job.table} · world {job.world}"
    figure.supxlabel(f"{about} · {bars}{theirs}", fontsize=8)
    save_figure(figure, paths, job.table)


def _draw(panel: Axes, points: pd.DataFrame, models: list[str], columns: list[str]) -> None:
    panel.axvline(0, color="0.6", linewidth=0.8)
    panel.grid(axis="x", color="0.9")
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
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
