"""Every picture is drawn here: points, as bars, as lines or as dots with their intervals.

Equal points give equal bytes, for one version of matplotlib, which plans have no time to import.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, product
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from contrapose.base.errors import TableError
from contrapose.report.about import About
from contrapose.report.row_costs import cost_text
from contrapose.tables import POINTS, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Files = Sequence[str | Path]  # the suffix of each selects its format

# Okabe and Ito's colours, distinguishable with any colour vision; one per line.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X"  # one more than colours, so that 56 lines differ
BAR_WIDTH = 0.8  # where the points of a bar have no edges
SMALL = 8  # size of letters, in points
LETTERS_PER_INCH = 15  # of small letters
NUMBERS_PER_INCH = 2  # on a horizontal axis
PANELS_SIDE_BY_SIDE = 4  # of values from left to right: letters of more are too small on a page
LABEL_DISTANCES = range(5, 125, 8)  # points between a mark and its text
LABEL_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))  # right, up
LABEL_LINE = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
LABEL_LETTERS = 22  # per line of a label
ALONG = 12  # places on an interval that labels keep free
# Metadata that would make two files of one picture differ: time and version of the program.
TIMELESS: dict[str, dict] = {
    **{"pdf": {"CreationDate": None}, "png": {"Software": None}},
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),  # for readers, who also open it in pages
}
DPI = 150  # of PNG files; pages show SVG files in the same size
POINTED_AT = 12  # points: width of the invisible disc around a mark whose words appear below the pointer
TIP = "tip: "  # before these words in the name of its group in an SVG file
# What points have where a kind sets nothing else.
USUAL = {"panel": "", "line": "", "source": "ours", "label": "", "baseline": ""}
NUMBERS = dict.fromkeys(("x", "x_low", "x_high", "value", "ci_low", "ci_high", "std"), float)


class Layout(NamedTuple):
    """How points are drawn: titles of the axes, and what differs from one panel of values over places."""

    mark: Literal["bars", "line", "dots"]
    x: str = ""
    value: str = ""
    text: str = ""  # below, after the name of the figure and its catalog
    size: tuple[float, float] = (3.2, 3.2)  # of a panel, in inches
    titles: Mapping[str, str] = {}  # by panel, in their order; in the middle of a panel without points
    colours: Mapping[str, str] = {}  # by line
    horizontal: bool = False  # values from left to right, places from top to bottom
    ticks: bool = False  # places are named by the labels of their points
    labelled: bool = False  # each dot has its label beside it
    logarithmic: bool = False
    guide: Literal["", "zero", "diagonal"] = ""  # a grey line behind the points
    one_scale: bool = True  # all panels have the same range of values
    gap: float = 0.0  # between lines at the same x
    counts: str = ""  # title of the values of a second row of panels, with a bar of n from x_low to x_high
    legend: bool = True


def point_table(about: About, points: pd.DataFrame | Iterable[Mapping]) -> pd.DataFrame:
    """Return points, which may lack columns, as a POINTS table."""
    frame = points if isinstance(points, pd.DataFrame) else pd.DataFrame(points)
    usual = {name: value for name, value in USUAL.items() if name not in frame}
    full = frame.assign(figure=about.name, catalog=about.catalog, **usual).reindex(columns=POINTS.columns)
    return full.astype({**NUMBERS, "seed": "Int64", "n": "Int64"}).reset_index(drop=True)


def _with_plain_texts(layout: Layout) -> Layout:
    """Return a layout whose texts Matplotlib prints as they are."""
    return layout._replace(
        colours={_plain(line): colour for line, colour in layout.colours.items()},
        x=_plain(layout.x),
        value=_plain(layout.value),
        text=_plain(layout.text),
    )


def draw(points: pd.DataFrame, layout: Layout, about: About, files: Files) -> None:
    """Draw a POINTS table, in the formats of the files' suffixes.

    A panel has its points, by line and source.  Hollow marks are the paper's, small ones single seeds, where
    there are several.  Raises TableError if a label has no room.
    """
    import matplotlib

    matplotlib.use("Agg")  # no screen, and the same picture everywhere
    from matplotlib import pyplot as plt

    points = points.assign(line=points.line.map(_plain), label=points.label.map(_plain))
    drawn = points.dropna(subset=["x", "value"])
    titles = (
        layout.titles or dict(zip(points.panel, points.panel, strict=True)) or {"": "no method has values"}
    )
    titles = {panel: _plain(title) for panel, title in titles.items()}
    layout = _with_plain_texts(layout)
    styles: dict[str, dict] = {
        line: {"color": layout.colours.get(line, colour), "marker": marker}
        for line, colour, marker in zip(dict.fromkeys(points.line), cycle(COLOURS), cycle(MARKERS))
    }
    figure, above, below = _panels(len(titles), drawn.label, layout)
    for axis, (panel, title) in zip(above, titles.items(), strict=True):
        shown = drawn[drawn.panel == panel]
        _prepare(axis, shown, title, layout)
        if not layout.labelled:
            (_bars if layout.mark == "bars" else _line)(axis, shown, styles, layout)
    places = drawn.drop_duplicates("x")  # panels that share an axis may lack some of them
    for axis in above if layout.ticks else ():
        (axis.set_yticks if layout.horizontal else axis.set_xticks)(places.x, places.label)
    if layout.horizontal and len(drawn):
        above[0].set_ylim(drawn.x.max() + 0.5, drawn.x.min() - 0.5)
    for upper, axis, panel in zip(above, below, titles, strict=False):
        upper.set_xlabel("")
        _prepare(axis, points[points.panel == panel], "", layout._replace(guide=""))
        _counts(axis, points[points.panel == panel], styles)
        below[0].set_ylabel(layout.counts, fontsize=SMALL)
    above[0].set_ylabel(layout.x if layout.horizontal else layout.value, fontsize=SMALL)
    if layout.legend and len(styles) > 1:
        _legend(figure, styles, layout)
    parts = [about.signature, layout.text]
    if any(points.source == "published"):
        parts.append("; Contrapose: ".join(["hollow: the paper's", *about.notes]))
    text = " · ".join(filter(None, parts)).replace(" %", "\u00a0%")
    figure.supxlabel("\n".join(wrap(text, int(figure.get_figwidth() * LETTERS_PER_INCH))), fontsize=SMALL)
    if layout.labelled:
        figure.draw_without_rendering()  # lays out
        figure.set_layout_engine("none")  # keeps the layout
        for axis, panel in zip(above, titles, strict=True):
            _labelled(axis, drawn[drawn.panel == panel], styles, layout)
    for path in files:
        kind = Path(path).suffix[1:]
        # Text that stays text is a fifth of the size, and can be searched.
        in_svg: Any = {"svg.hashsalt": about.name, "svg.fonttype": "none"}
        with written(path) as draft, plt.rc_context(in_svg):
            figure.savefig(draft, format=kind, dpi=DPI, metadata=TIMELESS[kind])
            if kind == "svg":
                draft.write_text(_with_tips(draft.read_text(encoding="utf-8")), encoding="utf-8")
    plt.close(figure)


def _plain(text: str) -> str:
    """Return a text that is drawn as it is: matplotlib sets what is between two dollars as mathematics."""
    return text.replace("$", r"\$")


def _with_tips(svg: str) -> str:
    """Make the names of groups that begin with `TIP` titles, which browsers show below the pointer.

    Other groups lose their names, which would be the same in several pictures of a page.
    """
    named = re.sub(rf'<g id="{TIP}([^"]*)">', r"<g><title>\1</title>", svg)
    return re.sub(r'<g id="[\w.]+"', "<g", named)


def _tip(point: Mapping, layout: Layout) -> str:
    """Return the name of a point, its value, and its interval or standard deviation over seeds."""
    line = "" if point["line"] in point["label"] else point["line"]
    source = "" if point["source"] == "ours" else "the paper's"
    place = "" if layout.ticks else f"{layout.x or 'x'} {point['x']:.4g}"
    value = f"{point['value']:+.4g}" if point["baseline"] else f"{point['value']:.4g}"
    if pd.notna(point["std"]):
        value += f" ± {point['std']:.2g}"
    elif pd.notna(point["ci_low"]):
        value += f" [{point['ci_low']:.4g}, {point['ci_high']:.4g}]"
    return f"{', '.join(filter(None, [point['label'], line, source, place]))}: {value}"


def _panels(count: int, labels: pd.Series, layout: Layout) -> "tuple[Figure, list[Axes], list[Axes]]":
    """Return a figure, its panels, and those below them."""
    from matplotlib import pyplot as plt

    longest = max(map(len, labels), default=0) if layout.ticks and layout.horizontal else 0
    one = layout.one_scale
    columns = min(count, PANELS_SIDE_BY_SIDE) if layout.horizontal else count
    rows = -(-count // columns)
    figure, grid = plt.subplots(
        2 if layout.counts else rows,
        columns,
        figsize=(0.8 + longest / LETTERS_PER_INCH + layout.size[0] * columns, layout.size[1] * rows),
        squeeze=False,
        layout="constrained",
        sharex=one if layout.horizontal else "col",
        sharey=True if layout.horizontal else "row" if one else False,
        height_ratios=(3, 1) if layout.counts else None,
    )
    if layout.counts:
        return figure, list(grid[0]), list(grid[1])
    for axis in grid.flat[count:]:
        axis.remove()
    for axis in grid.flat[count - columns : count]:
        axis.tick_params(labelbottom=True)  # also where the row below has no panel
    return figure, list(grid.flat[:count]), []


def _prepare(axis: "Axes", points: pd.DataFrame, title: str, layout: Layout) -> None:
    """Write what is around the points of a panel; without any, the title stands in the middle."""
    letters = int(layout.size[0] * LETTERS_PER_INCH * 0.9)
    if points.empty:
        axis.text(0.5, 0.5, "\n".join(wrap(title, letters)), ha="center", va="center", fontsize=SMALL)
        axis.set_axis_off()
        return
    axis.set_title("\n".join(wrap(title, letters)), fontsize=9)
    axis.set_xlabel(layout.value if layout.horizontal else layout.x, fontsize=SMALL)
    axis.tick_params(labelsize=7)
    locator: Any = axis.xaxis.get_major_locator()  # not by `locator_params`, which also scales shared axes
    if layout.horizontal:  # matplotlib makes room for labels of three letters
        locator.set_params(nbins=max(2, int(layout.size[0] * NUMBERS_PER_INCH)))
    elif (points.x % 1 == 0).all():  # seeds and epochs have no halves
        locator.set_params(integer=True)
    axis.grid(axis="x" if layout.horizontal else "y" if layout.mark == "bars" else "both", color="0.9")
    axis.set_axisbelow(True)
    if layout.guide == "diagonal":
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
    elif layout.guide:
        (axis.axvline if layout.horizontal else axis.axhline)(0, color="0.6", linewidth=0.8)
    if layout.logarithmic and points.x.any():
        _logarithmic(axis, points.x)
    if layout.labelled:
        axis.margins(0.15)
        axis.plot(points.x, points[["value", "ci_low", "ci_high"]], linestyle="none")  # so that there is room
        if not points.x.any():
            axis.set_xticks([])
            axis.set_xlabel("")


def _logarithmic(axis: "Axes", x: pd.Series) -> None:
    """Make the horizontal axis logarithmic from the least place above 0, and linear below it."""
    from matplotlib.ticker import NullLocator, SymmetricalLogLocator

    least = x[x > 0].min()
    axis.set_xscale("symlog", linthresh=least, linscale=0.5)
    axis.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=least, subs=[1, 2, 5]))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(lambda value, _: cost_text(value))


def _bars(axis: "Axes", points: pd.DataFrame, styles: Mapping[str, dict], layout: Layout) -> None:
    """Draw a bar for each point; those at the same place on top of each other."""
    width = (points.x_high - points.x_low).fillna(BAR_WIDTH)
    before = points.groupby("x").value.cumsum() - points.value
    bar = axis.barh if layout.horizontal else axis.bar
    for line, bars in points.groupby("line", sort=False):
        colour = styles[line]["color"]
        place = (bars.x, bars.value, width[bars.index], before[bars.index])
        drawn = bar(*place, color=colour, edgecolor="white")
        for patch, point in zip(drawn, bars.to_dict("records"), strict=True):
            patch.set_gid(TIP + _tip(point, layout))


def _line(axis: "Axes", points: pd.DataFrame, styles: Mapping[str, dict], layout: Layout) -> None:
    """Draw the points of each line and source with their intervals, and small ones for single seeds."""
    for (line, source), of_line in points.groupby(["line", "source"], sort=False):
        ours, number = source == "ours", list(styles).index(line)
        dash = ("-" if ours else "--") if layout.mark == "line" else "none"
        style = {**styles[line], "markerfacecolor": styles[line]["color"] if ours else "white"}
        means = of_line[of_line.seed.isna()]
        places = means.x + layout.gap * (number - (len(styles) - 1) / 2)
        # A percentile interval of a correlation near 1 can miss the value itself; its end is then the value.
        ends = [means.value - means.ci_low, means.ci_high - means.value]
        bars = np.nan_to_num([means["std"].fillna(end) for end in ends]).clip(0)
        style |= {"linestyle": dash, "markersize": 4, "linewidth": 1, "zorder": 3}
        if layout.horizontal:
            axis.errorbar(means.value, places, xerr=bars, **style)
        else:
            axis.errorbar(places, means.value, yerr=bars, **style)
        for place, point in zip(places, means.to_dict("records"), strict=True):
            at = (point["value"], place) if layout.horizontal else (place, point["value"])
            tip = {"gid": TIP + _tip(point, layout), "color": style["color"], "alpha": 0, "zorder": 4}
            axis.plot(*at, "o", markersize=POINTED_AT, **tip)
        seeds = of_line[of_line.seed.notna()] if of_line.seed.nunique() > 1 else of_line[:0]
        xy = (seeds.value, seeds.x) if layout.horizontal else (seeds.x, seeds.value)
        axis.plot(*xy, "|" if layout.horizontal else ".", color=style["color"], markersize=6, alpha=0.6)


def _counts(axis: "Axes", points: pd.DataFrame, styles: Mapping[str, dict]) -> None:
    """Draw bars of n beside each other, with a gap as wide as a bar between bins."""
    width = (points.x_high - points.x_low) / (len(styles) + 1)
    left = points.x_low + (points.line.map(list(styles).index) + 0.5) * width
    axis.bar(left, points.n, width, align="edge", color=[styles[line]["color"] for line in points.line])


def _legend(figure: "Figure", styles: Mapping[str, dict], layout: Layout) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    dash: Any = "-" if layout.mark == "line" else "none"
    handles = [
        Patch(color=style["color"])
        if layout.mark == "bars"
        else Line2D([], [], **style, linestyle=dash, markersize=4)
        for style in styles.values()
    ]
    columns = max(1, int(figure.get_figwidth() * LETTERS_PER_INCH / (max(map(len, styles)) + 7)))
    figure.legend(handles, list(styles), loc="outside upper center", fontsize=7, ncols=columns, frameon=False)


def _labelled(axis: "Axes", points: pd.DataFrame, styles: Mapping[str, dict], layout: Layout) -> None:
    """Draw dots with their labels, which cover no interval if there is room; the axis is laid out."""
    axis.autoscale(False)
    _line(axis, points, styles, layout)
    means = points[points.seed.isna()]
    for _, pair in means.groupby(["line", "label"]):
        axis.plot(pair.x, pair.value, ":", color="0.7")  # from ours to the paper's
    ours = means[means.source == "ours"]
    texts = ["\n".join(wrap(label, LABEL_LETTERS)) for label in ours.label]
    places = ours[["x", "value"]].to_numpy()
    marks = points[["x", "value"]].to_numpy()
    along = np.linspace(points.ci_low.fillna(points.value), points.ci_high.fillna(points.value), ALONG)
    intervals = np.column_stack([np.tile(points.x, ALONG), along.ravel()])
    try:
        label_points(axis, places, texts, np.unique(np.concatenate([marks, intervals]), axis=0))
    except TableError:  # many points at one place: labels may cover intervals, but not marks
        for text in [*axis.texts]:
            text.remove()
        label_points(axis, places, texts, marks)


def label_points(axis: "Axes", places: np.ndarray, texts: Sequence[str], marks: np.ndarray) -> None:
    """Write a text beside each point, as near as possible without covering a mark or another text.

    `axis` is laid out, and its limits do not change afterwards.  `places`, of shape (n, 2), are x and value
    of the labelled points, `marks`, of shape (m, 2), those of everything drawn.  Raises TableError if a text
    has no room.
    """
    from matplotlib.transforms import Bbox

    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in axis.transData.transform(marks)]  # pixels
    for place, text in zip(places, texts, strict=True):
        for distance, (right, up) in product(LABEL_DISTANCES, LABEL_SIDES):
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
            raise TableError(
                f"The figure has no room for the label '{text}'. Show fewer methods, or shorten the label."
            )
        taken.append(box)
        if distance > LABEL_DISTANCES[0]:
            axis.annotate("", place, offset, textcoords="offset points", arrowprops=LABEL_LINE)
