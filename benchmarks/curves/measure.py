"""What work takes, size by size, each time in a process of its own."""

import gc
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.compare import Spread, now, spread
from benchmarks.curves.laws import Law
from benchmarks.memory import forget_peak, peak_megabytes

Work = Callable[[], object]


class Taken(NamedTuple):
    """What work of one size took once."""

    cpu: float  # seconds of this process with all its threads and ended children
    wall: float  # seconds
    megabytes: float  # the most at a time, above what there was before


@dataclass(frozen=True)
class Curve:
    """Work that is done in several sizes.

    Parameters
    ----------
    work : str
        What is done, in words.
    x : str
        What grows.
    steps : sequence of int
        The sizes, from the least work to the most; in geometric steps.
    prepare : callable
        Is not measured.  Takes a size and a folder that all sizes of the curve share, returns the work.
    laws : mapping of `cpu`, `wall` or `megabytes` -> Law
        How they should grow.
    per : callable
        Time is told per this many.  For sizes that do not do the same amount of work.
    """

    work: str
    x: str
    steps: Sequence[int]
    prepare: Callable[[int, Path], Work]
    laws: Mapping[str, Law]
    per: Callable[[int], int] = lambda x: 1


def measured(curve: Curve, x: int, folder: Path) -> Taken:
    """Do the work of one size in this process, once; smaller work before it loads and fills what stays."""
    curve.prepare(curve.steps[0], folder)()
    work = curve.prepare(x, folder)
    gc.collect()
    gc.freeze()  # what was there before is not looked through again
    forget_peak()
    before, start = peak_megabytes(), now()
    work()
    end = now()
    parts = curve.per(x)
    return Taken((end.cpu - start.cpu) / parts, (end.wall - start.wall) / parts, peak_megabytes() - before)


def curve_points(
    steps: Sequence[int], rounds: int, take: Callable[[int, Path], Taken]
) -> dict[int, list[Taken]]:
    """Measure every size once a round; every second round begins with the largest."""
    taken: dict[int, list[Taken]] = {x: [] for x in steps}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for x in list(steps)[:: 1 if number % 2 == 0 else -1]:
                taken[x].append(take(x, Path(folder)))
    return taken


def spreads(taken: Mapping[int, Sequence[Taken]]) -> dict[int, dict[str, Spread]]:
    """Return for each size the median and the spread of each quantity."""
    return {
        x: {name: spread(getattr(each, name) for each in rounds) for name in Taken._fields}
        for x, rounds in sorted(taken.items())
    }
