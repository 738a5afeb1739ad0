"""Places of numbers beside the dots of a plane, so that none covers a dot or another number."""

from collections.abc import Iterator, Sequence
from math import cos, hypot, pi, sin

Place = tuple[float, float]  # % from the left and from the top

# Pixels of a plane on a phone.  On a wider screen all distances grow, so what is apart here is apart there.
WIDTH, HEIGHT = 250, 320
NUMBER = (18, 15)  # pixels of a number of two digits
DOT = 10  # pixels across
DISTANCES = (14, 17)  # pixels between a dot and its number
DIRECTIONS = 16


def numbers_beside(dots: Sequence[Place]) -> list[Place | None]:
    """Return the place of each number: right of its dot, or in the next free direction.

    The first dots choose first.  A number has no place where it would cover something, or stand nearer to
    another dot than to its own: the list beside a plane names all dots.
    """
    in_pixels = [(left * WIDTH / 100, top * HEIGHT / 100) for left, top in dots]
    taken = [(*dot, DOT, DOT) for dot in in_pixels]
    numbers: list[Place | None] = []
    for at, dot in enumerate(in_pixels):
        others = in_pixels[:at] + in_pixels[at + 1 :]
        places = (place for place in _around(*dot) if _is_inside(*place) and _is_nearest(place, dot, others))
        free = (place for place in places if not any(_overlap(*place, *other) for other in taken))
        if place := next(free, None):
            taken.append((*place, *NUMBER))
        numbers.append(place and (round(100 * place[0] / WIDTH, 2), round(100 * place[1] / HEIGHT, 2)))
    return numbers


def _around(x: float, y: float) -> Iterator[Place]:
    for distance in DISTANCES:
        for turn in range(DIRECTIONS):
            angle = 2 * pi * turn / DIRECTIONS
            yield x + distance * cos(angle), y - distance * sin(angle)


def _is_inside(x: float, y: float) -> bool:
    return NUMBER[0] / 2 <= x <= WIDTH - NUMBER[0] / 2 and NUMBER[1] / 2 <= y <= HEIGHT - NUMBER[1] / 2


def _is_nearest(place: Place, dot: Place, others: Sequence[Place]) -> bool:
    return all(_distance(place, other) > _distance(place, dot) for other in others)


def _distance(one: Place, other: Place) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _overlap(x: float, y: float, other_x: float, other_y: float, wide: float, high: float) -> bool:
    return abs(x - other_x) < (NUMBER[0] + wide) / 2 and abs(y - other_y) < (NUMBER[1] + high) / 2
