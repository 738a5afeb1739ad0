"""The timer: ours and its peers do the same work in turns."""

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

from benchmarks.limit import product_rate

OURS = "ours"


class UnequalError(Exception):
    """Two ways to do the same work do not give the same."""


@dataclass(frozen=True)
class Way:
    """One way to do the work of an item.

    Parameters
    ----------
    work : callable
        Is timed.  Called with what `prepare` returned.
    prepare : callable, optional
        Is not timed.  Called before each `work`, for what `work` uses up (an encoder that it trains).
    """

    work: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None


@dataclass(frozen=True)
class Item:
    """Work that can be done in several ways.

    Parameters
    ----------
    work : str
        What is done, with its size.
    ours : Way
    peers : mapping of name -> Way
    check : callable
        Does the work in all ways, which warms them up too, and returns in words how far they agree.  Raises
        UnequalError if they do not.
    differs : str
        What is not the same, and so may explain a part of the ratio.
    flops : float
        Operations of the matrix products that the work needs; 0 if it is of another kind.  In work with
        products no peer may be faster.
    precision : float32 | bf16
        Of the products.
    least_share : float, optional
        The floor of our share of the limit.
    """

    work: str
    ours: Way
    peers: Mapping[str, Way]
    check: Callable[[], str]
    differs: str
    flops: float = 0.0
    precision: str = "float32"
    least_share: float | None = None


class Seconds(NamedTuple):
    """What doing the work once took."""

    cpu: float  # of this process with all its threads and ended children, user and system: the steady figure
    wall: float


class Spread(NamedTuple):
    """Numbers of several rounds."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """Ours against one peer by one clock."""

    name: str  # of the item
    item: Item
    peer: str
    clock: str  # cpu | wall
    ours: Spread  # seconds
    theirs: Spread  # seconds
    ratio: Spread  # theirs / ours in the same round: above 1, ours is faster
    rounds: int
    agreement: str  # what the check found

    @property
    def share(self) -> float | None:
        """Our part of the machine's limit; None for other work, or by the wall clock."""
        if not self.item.flops or self.clock != "cpu":
            return None
        return self.item.flops / product_rate(self.item.precision) / self.ours.median

    @property
    def below(self) -> bool:
        """Whether our share of the limit is below its floor, or the peer is faster."""
        if self.share is None:
            return False
        return self.ratio.median < 1 or self.share < (self.item.least_share or 0)


def now() -> Seconds:
    """Return the clocks; only differences mean something."""
    spent = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return Seconds(sum(each.ru_utime + each.ru_stime for each in spent), time.perf_counter())


def compared(name: str, item: Item, rounds: int, clock: Callable[[], Seconds] = now) -> list[Comparison]:
    """Check an item, time it, and put ours beside each peer by both clocks.

    Raises
    ------
    UnequalError
        The check failed; nothing was timed.
    """
    agreement = item.check()
    taken = timed({OURS: item.ours, **item.peers}, rounds, clock)
    comparisons = []
    # The ways hold models. Without them, all items fit into memory one after the other.
    described = replace(item, ours=Way(lambda _: None), peers={}, check=lambda: agreement)
    for peer in item.peers:
        for at, by in enumerate(Seconds._fields):
            ours, theirs = ([seconds[at] for seconds in taken[way]] for way in (OURS, peer))
            ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
            spreads = spread(ours), spread(theirs), spread(ratios)
            comparisons.append(Comparison(name, described, peer, by, *spreads, rounds, agreement))
    return comparisons


def timed(
    ways: Mapping[str, Way], rounds: int, clock: Callable[[], Seconds] = now
) -> dict[str, list[Seconds]]:
    """Let all ways do the work once a round, and return what each took in each round.

    Every second round has them in the opposite order (A B, B A, ...): what makes the machine slower as time
    goes by is shared out, and no way always follows the same other one.
    """
    taken: dict[str, list[Seconds]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways)[:: 1 if number % 2 == 0 else -1]:
            ready = ways[name].prepare()
            gc.collect()  # nobody pays for what another one left behind
            start = clock()
            ways[name].work(ready)
            end = clock()
            taken[name].append(Seconds(end.cpu - start.cpu, end.wall - start.wall))
    return taken


def spread(numbers: Iterable[float]) -> Spread:
    """Return median, least and greatest of one or more numbers."""
    numbers = list(numbers)
    return Spread(statistics.median(numbers), min(numbers), max(numbers))


def agreed(difference: float, allowed: float, what: str) -> str:
    """Say how far two results agree, for `Item.check`.

    Raises
    ------
    UnequalError
        The difference is greater than allowed, or not a number.
    """
    text = f"{what} differ by {difference:.1e} at most, allowed are {allowed:.0e}"
    if not difference <= allowed:
        raise UnequalError(text)
    return text
