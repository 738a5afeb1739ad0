"""Many things at once, one failing without the others."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def worked_off(
    work: Callable[[Item], Awaitable[Result]], items: Sequence[Item], workers: int
) -> list[Result]:
    """Apply `work` to every item, with at most `workers` at a time; results are in the order of the items.

    Raises
    ------
    Exception
        The first that `work` raised.  No new item is begun after it, and what was begun comes to its end.
    """
    results: dict[int, Result] = {}
    failures: list[Exception] = []
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for place, item in waiting:
            try:
                results[place] = await work(item)
            except Exception as error:
                failures.append(error)
            await asyncio.sleep(0)  # signals and neighbours get their turn even if nothing has to be asked
            if failures:
                return

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(items))):
            group.create_task(worker())
    if failures:
        raise failures[0]
    return [results[place] for place in range(len(items))]
