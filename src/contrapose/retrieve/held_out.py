"""Dev pairs of sets that were released without them: where two of our splits share a file or a hub split."""

import math
import random
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from contrapose.base.seeds import generator
from contrapose.base.tasks import PRODUCT_RETRIEVAL, Task
from contrapose.retrieve.lines import Pair


def of_split(pairs: Sequence[Pair], split: str, parts: Mapping[Any, Hashable], task: Task) -> Sequence[Pair]:
    """Return those pairs of a file, or of a split of the hub, that belong to one of our splits.

    Parameters
    ----------
    pairs : sequence of Pair
        All pairs of the part that the split is in.
    parts : mapping of split: its file, or split of the hub
        Dev shares its part with another split; a split that does not share its part has all pairs.
    """
    if list(parts.values()).count(parts[split]) == 1:
        return pairs
    dev = _dev(task, pairs)
    return [pair for number, pair in enumerate(pairs) if (number in dev) == (split == "dev")]


def _dev(task: Task, pairs: Sequence[Pair]) -> set[int]:
    """Return which pairs are dev.

    For QQP the first 5 % of GLUE's train split, and for PAWS-QQP half of each label, the larger half for
    test: both as in RISE's code.  The others are drawn by us.  For MRPC a tenth of train: GLUE's dev has as
    many, but the release does not say which.  For JSTS and JNLI a tenth, rounded up as in PPDB-CSE, table 2;
    for Shopping Queries all pairs of a tenth of the queries, as no tenth of the pairs gives the numbers of
    its tables.
    """
    if task == "qqp":
        return set(range(round(len(pairs) / 20)))
    if task == "paws_qqp":
        return _half_of_each_label(pairs)
    if task in PRODUCT_RETRIEVAL:
        queries = sorted({pair[1] for pair in pairs})
        dev = {queries[number] for number in _drawn(task, len(queries), math.ceil(len(queries) / 10))}
        return {number for number, pair in enumerate(pairs) if pair[1] in dev}
    tenth = len(pairs) / 10
    return _drawn(task, len(pairs), round(tenth) if task == "mrpc" else math.ceil(tenth))


def _drawn(task: Task, count: int, size: int) -> set[int]:
    return set(generator(task, "dev").permutation(count)[:size].tolist())


def _half_of_each_label(pairs: Sequence[Pair]) -> set[int]:
    order = list(range(len(pairs)))
    random.Random(42).shuffle(order)  # Python's own generator, so that the halves are those of RISE's code
    of_label = [[number for number in order if pairs[number][3] == label] for label in (0.0, 1.0)]
    return {number for numbers in of_label for number in numbers[: len(numbers) // 2]}
