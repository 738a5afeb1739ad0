"""A plot of the relations of a dictionary's rules, among what is offered and what perplexity keeps."""

from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from contrapose.report.plots import COLOURS, save_figure
from contrapose.report.rewrites_table import STAGES

WIDTH, AROUND, BAR = 7.2, 1.3, 0.22  # inches; of the height without bars, and of a bar


def relations_plot(tidy: pd.DataFrame, path: str | Path) -> None:
    """Draw which share each relation has of what is offered, of what chance would keep, of what is kept.

    Parameters
    ----------
    tidy : PUBLISHABLE table, of `rewrites_table`
        Rows without relations have no bars.
    path : of the PNG file
        Equal tables give equal bytes, for one version of matplotlib.
    """
    is_share = tidy.column.str.endswith(tuple(f", {stage}" for stage in STAGES))
    shares = tidy[is_share & tidy.value.notna()]
    found = {
        (cell["row"], *cell["column"].rsplit(", ", 1)): cell["value"] for cell in shares.to_dict("records")
    }
    relations = sorted({relation for _, relation, _ in found})
    rows = shares.drop_duplicates("row").to_dict("records")
    bars = [(row["row"], stage) for row in rows for stage in STAGES]
    places = [at + at // len(STAGES) for at in range(len(bars))]  # a gap behind each row
    figure, axis = plt.subplots(figsize=(WIDTH, AROUND + BAR * max(3, len(bars))), layout="constrained")
    left = np.zeros(len(bars))
    for relation, colour in zip(relations, cycle(COLOURS)):
        widths = np.array([found.get((row, relation, stage), 0.0) for row, stage in bars])
        axis.barh(places, widths, left=left, color=colour, edgecolor="white", label=relation)
        left += widths
    labels = [f"{row['group']}: {row['model']}, {stage}" for row in rows for stage in STAGES]
    axis.set_yticks(places, [label.removeprefix(": ") for label in labels], fontsize=7)
    axis.invert_yaxis()
    axis.tick_params(axis="x", labelsize=8)
    if relations:
        figure.legend(fontsize=7, loc="outside upper center", ncols=4, frameon=False)
    else:
        axis.text(0.5, 0.5, "no dictionary here tells relations", ha="center", transform=axis.transAxes)
    table, world = tidy[["table", "world"]].iloc[0]
    figure.supxlabel(f"% · {table} · world {world}", fontsize=8)
    save_figure(figure, [path], table)
