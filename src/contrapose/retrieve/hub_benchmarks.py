"""Evaluation sets of scored sentence pairs from the Hugging Face hub."""

import logging

import pandas as pd

from contrapose.errors import TableError
from contrapose.retrieve.held_out import of_split
from contrapose.retrieve.hub import unavailable
from contrapose.retrieve.lines import Line, Pair, score_of, usable_texts
from contrapose.settings.worlds import BenchmarkHub
from contrapose.tables import BENCHMARK
from contrapose.tasks import FINE_TUNED_SUITES, TASKS

BATCH = 1000  # rows of a data set converted to Python objects at once

logger = logging.getLogger(__name__)


def hub_benchmark(source: BenchmarkHub) -> pd.DataFrame:
    """Read an evaluation set of the hub at its pinned revision.

    A class may be given by name instead of number.  The hub's copies do not name the subsets: `subset` is the
    task.  Two of our splits may be parts of one of the hub: see `held_out.of_split`.

    Raises BackendError if the data set cannot be loaded, and TableError if a column is missing, a score is
    off the scale, or the number of pairs is not the published one.
    """
    places = {str(split): theirs for split, theirs in source.splits.items()}
    pairs = {theirs: _hub_pairs(source, theirs) for theirs in dict.fromkeys(places.values())}
    rows = [
        (source.task, source.form, split, source.task, *pair)
        for split, theirs in places.items()
        for pair in of_split(pairs[theirs], split, places, source.task)
    ]
    return pd.DataFrame(rows, columns=BENCHMARK.columns)


def _hub_pairs(source: BenchmarkHub, theirs: str) -> list[Pair]:
    """Return all pairs of a split of the hub."""
    from datasets import load_dataset

    name = f"{source.dataset}@{source.revision}, split {theirs}"
    try:
        loaded = load_dataset(source.dataset, source.name, split=theirs, revision=source.revision)
    except Exception as error:  # the library raises errors of many others
        advice = "Check the `benchmarks` entry of the world file and the network."
        raise unavailable(f"{name}: could not be loaded", error, advice) from error
    names = [source.columns.get(ours, ours) for ours in ("sentence1", "sentence2", "score")]
    needed = list(dict.fromkeys([*names, *source.where]))
    if lacking := [column for column in needed if column not in loaded.column_names]:
        raise TableError(
            f"{name}: no columns {lacking}, there are {loaded.column_names}. Check the world's benchmarks."
        )
    about = TASKS[source.task]
    every_pair = not about.labels and about.suite not in ("chinese", *FINE_TUNED_SUITES)
    pairs, count, wanted = [], 0, list(source.where.values())
    # In batches, and only these columns: some sets have millions of rows, and other columns of long texts.
    batches = loaded.select_columns(needed).iter(BATCH)
    rows = (row for batch in batches for row in zip(*(batch[each] for each in needed), strict=True))
    for number, row in enumerate(rows):
        values = dict(zip(needed, row, strict=True))
        if [values[column] for column in source.where] != wanted:
            continue
        count += 1
        line = Line(f"{name}, row {number}", number, [])
        first, second, score = (values[column] for column in names)
        # Multiplied by a factor, 5.0 may come back as 5.000000000000001.
        gold = score if isinstance(score, str) else f"{score * source.scale:.12g}"
        texts = usable_texts((first or "", second or ""), gold, line, source.task, every_pair)
        if texts:
            pairs.append((number, *texts, score_of(gold, line, source.task)))
    if len(pairs) < count:
        logger.warning("%s: %d pairs without a label or a text left out", name, count - len(pairs))
    _check_count(count, len(pairs), source, theirs, name)
    return pairs


def _check_count(count: int, usable: int, source: BenchmarkHub, theirs: str, name: str) -> None:
    """Refuse a number of pairs other than the published one, summed over our splits of this hub split.

    For some sets the published number is that of all pairs, for others (SNLI) of those with a label.
    """
    splits = [split for split, place in source.splits.items() if place == theirs]
    published = TASKS[source.task].pairs
    expected = sum(published.get(split, 0) for split in splits)
    if expected and expected not in (count, usable):
        raise TableError(
            f"{name}: {count} pairs, {source.task} {' and '.join(splits)} has {expected} as published. "
            f"Choose a data set with the original pairs in the world's benchmarks."
        )
