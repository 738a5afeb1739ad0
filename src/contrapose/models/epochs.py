"""The order of rows in training: epochs, batches of them, and the steps that are followed by a score."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, cycle, takewhile
from typing import Literal, Protocol, Self, TypeVar

import numpy as np

from contrapose.base.seeds import generator


class RowSet(Protocol):
    """Rows that can be counted and chosen from: an array, or the rows of a PAIRS table."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: np.ndarray, /) -> Self: ...


R = TypeVar("R", bound=RowSet)


def steps_per_epoch(
    slots: Sequence[RowSet], batch_size: int, epochs: int, steps: int | None = None
) -> list[int]:
    """Return the number of batches of each epoch; the last incomplete batch counts.

    With `steps` there are as many epochs as needed, and the last one ends at that step.
    """
    of_slots = [-(-len(slot) // batch_size) for slot in slots]
    if steps is None:
        return [of_slots[epoch % len(slots)] for epoch in range(epochs)]
    ends = takewhile(lambda end: end < steps, accumulate(cycle(of_slots)))
    return np.diff([0, *ends, steps]).tolist()


def rows_used(slots: Sequence[RowSet], batch_size: int, done: Mapping[int, int]) -> int:
    """Return how many rows of all slots were in a batch, after `done` steps of each epoch."""
    used = [0] * len(slots)
    for epoch, steps in done.items():
        slot = epoch % len(slots)
        used[slot] = max(used[slot], min(steps * batch_size, len(slots[slot])))
    return sum(used)


def scored_steps(epochs: Sequence[int], every: int | Literal["epoch"]) -> set[int]:
    """Return the steps, from 1, that are followed by a dev score: every `every` steps, and always the last.

    `epochs` holds the number of steps of each epoch; with "epoch" the last step of each is scored.
    """
    if every == "epoch":
        return set(accumulate(epochs))
    return {*range(every, sum(epochs), every), sum(epochs)}


def batches(
    slots: Sequence[R], batch_size: int, epochs: int, seed: int, done: int = 0, steps: int | None = None
) -> Iterator[tuple[int, R]]:
    """Yield the batches of a training run as (epoch, rows).

    Epoch e takes slot e mod n_slots (thesis, section 4.1) in an order that depends on the seed and the epoch
    alone.  The last batch of an epoch may be smaller.  With `steps` there are exactly that many batches, and
    `epochs` is ignored.  The first `done` batches are skipped, to resume training.
    """
    for epoch, count in enumerate(steps_per_epoch(slots, batch_size, epochs, steps)):
        if done < count:
            rows = slots[epoch % len(slots)]
            order = generator("order", seed, epoch).permutation(len(rows))
            for number in range(done, count):
                yield epoch, rows[order[number * batch_size : (number + 1) * batch_size]]
        done = max(0, done - count)
