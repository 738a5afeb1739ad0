"""The learning curve of a table: scores by the share of the sentences, a line for each method."""

import re
from collections.abc import Iterable
from math import log2
from typing import NamedTuple

import pandas as pd

from contrapose.report.chart import bar_of, by_encoder, decimals_of, title_of
from contrapose.report.panel import Axis, Outline, Panel, from_top, kept_apart, points_of
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
    trained = cells.model.str.fullmatch(SHARE)
    shares, others = cells[trained], cells[~trained].head(1)
    shares = shares.assign(share=shares.model.str.extract(SHARE, expand=False).astype(float))
    ends = {number: bar_of(row, trainings, None) for number, row in shares.iterrows()}
    across = Axis.over(shares.share.map(log2))
    up = Axis.over([*(each for of_row in ends.values() for each in of_row), *others.value])
    decimals = decimals_of(cells)
    prefix = f"{others['group'].iloc[0]}: " if len(others) and others["group"].iloc[0] else ""
    lines, areas, strokes = [], [], []
    for number, (group, of_group) in enumerate(shares.groupby("group", sort=False)):
        colour = f"var(--line-{number % COLOURS + 1})"
        ordered = of_group.sort_values("share")
        left = [across.place(log2(share)) for share in ordered.share]
        low, middle, high = (
            [round(100 - up.place(ends[at][part]), 2) for at in ordered.index] for part in range(3)
        )
        above, below = zip(left, high, strict=True), zip(left, low, strict=True)
        areas.append(Outline(points_of([*above, *reversed([*below])]), colour))
        strokes.append(Outline(points_of(zip(left, middle, strict=True)), colour))
        texts = [_text(row, ends[at], trainings, decimals) for at, row in ordered.iterrows()]
        spots = [Spot(*each) for each in zip(left, middle, texts, strict=True)]
        lines.append(ShareLine(str(group).removeprefix(prefix), colour, spots, 0.0))
    places = kept_apart([each.spots[-1].top for each in lines], GAP)
    lines = [each._replace(number_at=at) for each, at in zip(lines, places, strict=True)]
    ticks = [(across.place(log2(share)), f"{share:g}") for share in sorted(shares.share.unique())]
    level = round(100 - up.place(others.value.iloc[0]), 2) if len(others) else None
    x = "share of the training sentences, %, logarithmic"
    panel = Panel(x, title_of(result, column), ticks, from_top(up.ticks), strokes, areas, level)
    note = f"Band: one standard deviation over {trainings} seeds." if trainings > 1 else ONCE
    if len(others):
        other = others.iloc[0]
        note += f" Dashed: {other.model}, {other.value:.{decimals}f}."
    title = ": ".join(filter(None, ["Score by share of the sentences", encoder]))
    return ShareCurve(title, column, panel, lines, note)


def _text(row: pd.Series, ends: tuple[float, float, float], trainings: int, decimals: int) -> str:
    low, value, high = (f"{each:.{decimals}f}" for each in ends)
    if trainings <= 1:
        return f"{row.model}: {value} [{low}, {high}]"
    std = row["std"]
    return f"{row.model}: {value} ± {std:.{decimals}f}" if pd.notna(std) else f"{row.model}: {value}"
