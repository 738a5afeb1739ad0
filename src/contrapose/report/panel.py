"""Axes, and pictures of lines and areas: SVG that stretches, with letters around it that do not."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple, Self

MARGIN = 0.03  # share of the width of an axis left free on each side
TICKS = 5  # about so many on an axis, which a phone has room for

Ticks = list[tuple[float, str]]  # place in %, and label


class Axis(NamedTuple):
    """An axis of a picture, with room at both ends."""

    low: float
    width: float
    sign: str  # "+" before positive numbers, of differences

    @classmethod
    def over(cls, values: Iterable[float], sign: str = "") -> Self:
        low, high = min(values := [*values]), max(values)
        width = high - low or 1.0
        return cls(low - MARGIN * width, width * (1 + 2 * MARGIN), sign)

    def place(self, value: float) -> float:
        """Return where a value is, in % of the width."""
        return round(100 * float(value - self.low) / self.width, 2)

    def from_top(self, value: float) -> float:
        """Return where a value of an axis that points upwards is, in % from the top."""
        return round(100 - self.place(value), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The place and the label of each tick: multiples of 1, 2 or 5 times a power of ten."""
        least = self.width / TICKS
        power = 10.0 ** floor(log10(least))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
        form = f"{self.sign}.{max(0, -floor(log10(step)))}f"
        numbers = range(ceil(self.low / step), floor((self.low + self.width) / step) + 1)
        return [(self.place(each * step), f"{each * step:{form}}" if each else "0") for each in numbers]


class Outline(NamedTuple):
    """A line or an area."""

    points: str  # of SVG, in % of width and height, from the upper left corner
    colour: str  # of CSS


class Panel(NamedTuple):
    """Lines and areas between two axes."""

    x: str  # titles of the axes
    y: str
    x_ticks: Ticks
    y_ticks: Ticks  # from the top
    lines: list[Outline]
    areas: list[Outline]
    level: float | None = None  # of a dashed line across, from the top

    @property
    def grid(self) -> str:
        """The lines of its ticks, as a CSS background."""
        across = [line(at, "var(--line)", False) for at, _ in self.y_ticks]
        return ",".join([*(line(at, "var(--line)") for at, _ in self.x_ticks), *across])


def line(at: float, colour: str, down: bool = True) -> str:
    """Return a line across a picture as a CSS background, `at` % from the left, or else from the top."""
    place = f"{at}% 0/1px 100%" if down else f"0 {at}%/100% 1px"
    return f"linear-gradient({colour},{colour}) {place} no-repeat"


def points_of(places: Iterable[tuple[float, float]]) -> str:
    """Write places as SVG does."""
    return " ".join(f"{left:g},{top:g}" for left, top in places)


def kept_apart(places: Sequence[float], gap: float) -> list[float]:
    """Return places in %, moved so that each two are a gap apart, in the same order and at most 100."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = [*places]
    for before, at in pairwise(order):
        moved[at] = max(moved[at], moved[before] + gap)
    limit = 100.0
    for at in reversed(order):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return [round(each, 2) for each in moved]
