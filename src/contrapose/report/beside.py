"""Places of numbers beside the dots of a plane, so that none covers a dot or another number."""

from collections.abc import Iterator, Sequence
from math import cos, pi, sin
from typing import NamedTuple

Place = tuple[float, float]  # % from the left and from the top

# Pixels of a plane on a phone.  On a wider screen all distances grow, so what is apart here is apart there.
WIDTH, HEIGHT = 250, 320
NUMBER = (18, 15)  # pixels of a number of two digits
DOT = 10  # pixels across
NEAREST, STEP, FARTHEST = 14, 6, 242  # pixels between a dot and its number
DIRECTIONS = 16
TOUCHING = 20  # pixels up to which a number needs no line to its dot
END = 8  # pixels between a line and the middle of its number


class Number(NamedTuple):
    """Where the number of a dot stands."""

    left: float
    top: float
    line: str  # from the dot to the number, as points of SVG; empty where the number touches its dot


def numbers_beside(dots: Sequence[Place]) -> list[Number]:
    """Return the place of each number: the nearest free one, right of its dot if that is free.

    The first dots choose first.  Where all places near a dot are taken, the number covers what is there.
    """
    in_pixels = [(left * WIDTH / 100, top * HEIGHT / 100) for left, top in dots]
    taken = [(*dot, DOT, DOT) for dot in in_pixels]
    numbers = []
    for x, y in in_pixels:
        places = [place for place in _around(x, y) if _is_inside(*place)]
        free = (place for place in places if not any(_overlap(*place, *other) for other in taken))
        left, top = next(free, places[0])
        taken.append((left, top, *NUMBER))
        numbers.append(_number((x, y), (left, top)))
    return numbers


def _around(x: float, y: float) -> Iterator[Place]:
    for distance in range(NEAREST, FARTHEST, STEP):
        for turn in range(DIRECTIONS):
            angle = 2 * pi * turn / DIRECTIONS
            yield x + distance * cos(angle), y - distance * sin(angle)


def _is_inside(x: float, y: float) -> bool:
    return NUMBER[0] / 2 <= x <= WIDTH - NUMBER[0] / 2 and NUMBER[1] / 2 <= y <= HEIGHT - NUMBER[1] / 2


def _overlap(x: float, y: float, other_x: float, other_y: float, wide: float, high: float) -> bool:
    return abs(x - other_x) < (NUMBER[0] + wide) / 2 and abs(y - other_y) < (NUMBER[1] + high) / 2


def _number(dot: Place, number: Place) -> Number:
    (x, y), (left, top) = dot, number
    length = ((left - x) ** 2 + (top - y) ** 2) ** 0.5
    share = 1 - END / length
    end = x + share * (left - x), y + share * (top - y)
    line = " ".join(f"{100 * a / WIDTH:.4g},{100 * b / HEIGHT:.4g}" for a, b in (dot, end))
    place = round(100 * left / WIDTH, 2), round(100 * top / HEIGHT, 2)
    return Number(*place, line if length > TOUCHING else "")
