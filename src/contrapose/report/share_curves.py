"""The learning curve of a table: scores by the share of the sentences, a line for each method."""

import re
from collections.abc import Iterable
from math import log2
from typing import NamedTuple

import numpy as np
import pandas as pd

from contrapose.report.chart import bar_of, by_encoder, decimals_of, title_of
from contrapose.report.panel import Axis, Outline, Panel, kept_apart, points_of
from contrapose.report.results import Result

KIND = "learning_curve"
SHARE = re.compile(r"([\d.]+) %")  # label of a row that is trained on a share of the sentences
COLOURS = 6  # `--line-1` and so on of the style
GAP = 7.0  # % of the height between two numbers of lines
ONCE = "Band: 95 % interval over test pairs. Each share was trained once, so another training may differ."


class Spot(NamedTuple):
    """A share of a method, at % from the left and from the top."""

    left: float
    top: float
    text: str


class ShareLine(NamedTuple):
    """A method of a learning curve."""

    label: str
    colour: str
    spots: list[Spot]  # the smallest share first
    number_at: float  # where its number stands after the end of the line, from the top


class ShareCurve(NamedTuple):
    """The methods of one encoder."""

    title: str
    column: str
    panel: Panel
    lines: list[ShareLine]
    note: str


def share_curves(result: Result, means: pd.DataFrame, columns: Iterable[str]) -> list[ShareCurve]:
    """Return the curves of some columns of a table, for each encoder; none for tables of other kinds."""
    if result.made["settings"].get("spec", {}).get("kind") != KIND:
        return []
    trainings = result.tidy.seed.nunique()
    return [
        _curve(result, column, encoder, cells, trainings)
        for column in columns
        for encoder, cells in by_encoder(result, means[means.column == column])
        if cells.model.str.fullmatch(SHARE).any()
    ]


def _curve(result: Result, column: str, encoder: str, cells: pd.DataFrame, trainings: int) -> ShareCurve:
    is_share = cells.model.str.fullmatch(SHARE)
    shares, pretrained = cells[is_share], cells[~is_share].head(1).to_dict("records")
    shares = shares.assign(share=shares.model.str.extract(SHARE, expand=False).astype(float))
    bars = [bar_of(row, trainings, None) for _, row in shares.iterrows()]
    shares[["start", "at", "end"]] = bars
    across = Axis.over(shares.share.map(log2))
    up = Axis.over([*np.ravel(bars), *(each["value"] for each in pretrained)])
    decimals = decimals_of(cells)
    prefix = next((f"{each['group']}: " for each in pretrained if each["group"]), "")
    lines, areas, strokes = [], [], []
    for number, (group, of_group) in enumerate(shares.groupby("group", sort=False)):
        of_group = of_group.sort_values("share")
        colour = f"var(--line-{number % COLOURS + 1})"
        left = [across.place(log2(share)) for share in of_group.share]
        low, middle, high = (
            [*zip(left, (up.from_top(each) for each in of_group[part]), strict=True)]
            for part in ("start", "at", "end")
        )
        areas.append(Outline(points_of([*high, *low[::-1]]), colour))
        strokes.append(Outline(points_of(middle), colour))
        texts = (_text(row, trainings, decimals) for _, row in of_group.iterrows())
        spots = [Spot(*place, text) for place, text in zip(middle, texts, strict=True)]
        lines.append(ShareLine(str(group).removeprefix(prefix), colour, spots, 0.0))
    places = kept_apart([each.spots[-1].top for each in lines], GAP)
    ticks = [(across.place(log2(share)), f"{share:g}") for share in sorted(shares.share.unique())]
    return ShareCurve(
        ": ".join(filter(None, ["Score by share of the sentences", encoder])),
        column,
        Panel(
            "share of the training sentences, %, logarithmic",
            title_of(result, column),
            ticks,
            [(round(100 - at, 2), label) for at, label in up.ticks],
            strokes,
            areas,
            next((up.from_top(each["value"]) for each in pretrained), None),
        ),
        [each._replace(number_at=at) for each, at in zip(lines, places, strict=True)],
        " ".join(
            [
                f"Band: one standard deviation over {trainings} seeds." if trainings > 1 else ONCE,
                *(f"Dashed: {each['model']}, {each['value']:.{decimals}f}." for each in pretrained),
            ]
        ),
    )


def _text(row: pd.Series, trainings: int, decimals: int) -> str:
    start, value, end = (f"{each:.{decimals}f}" for each in row[["start", "at", "end"]])
    if trainings <= 1:
        return f"{row.model}: {value} [{start}, {end}]"
    std = row["std"]
    return f"{row.model}: {value} ± {std:.{decimals}f}" if pd.notna(std) else f"{row.model}: {value}"
