"""Evaluation sets of scored sentence pairs from the Hugging Face hub."""

import logging

import pandas as pd

from contrapose.config.worlds import BenchmarkHub
from contrapose.errors import BackendError, TableError
from contrapose.retrieve.chinese import stripped, usable
from contrapose.retrieve.lines import Line, Pair, score_of, spaced, text_pair
from contrapose.retrieve.paraphrase import of_split
from contrapose.tables import BENCHMARK
from contrapose.tasks import TASKS

logger = logging.getLogger(__name__)


def hub_benchmark(source: BenchmarkHub) -> pd.DataFrame:
    """Read an evaluation set of the hub at its pinned revision; columns sentence1, sentence2, score.

    Parameters
    ----------
    source : BenchmarkHub
        `columns` says which of them are called otherwise; `scale` times the score is on the set's own scale.
        Two splits of ours may be parts of one of the hub's: see `paraphrase.of_split`.

    Returns
    -------
    BENCHMARK table
        The hub's copies do not name the subsets: `subset` is the task.

    Raises
    ------
    BackendError
        The data set cannot be had.
    TableError
        A column is missing, a score is off the scale, or the number of pairs is not the published one.
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
    except Exception as error:  # the library passes on errors of many others
        raise BackendError(
            f"{name}: cannot be had ({type(error).__name__}: {error}). "
            f"Check the `benchmarks` entry of the world file and the network."
        ) from error
    names = {ours: source.columns.get(ours, ours) for ours in ("sentence1", "sentence2", "score")}
    pairs, count = [], 0
    for number, row in enumerate(loaded):
        lacking = [column for column in names.values() if column not in row]
        if lacking:
            raise TableError(
                f"{name}: no columns {lacking}, there are {list(row)}. Check the world's benchmarks."
            )
        count += 1
        line = Line(f"{name}, row {number}", number, [])
        first, second, score = (row[column] for column in names.values())
        texts = _texts(first, second, str(score), line, source)
        if texts:
            # Multiplied by a factor, 5.0 may come back as 5.000000000000001.
            pairs.append((number, *texts, score_of(f"{score * source.scale:.12g}", line, source.task)))
    if len(pairs) < count:
        logger.warning("%s: %d pairs without a label or a sentence left out", name, count - len(pairs))
    _check_count(count, source, theirs, name)
    return pairs


def _texts(first: str, second: str, score: str, line: Line, source: BenchmarkHub) -> tuple[str, str] | None:
    """Return both texts of a pair; None if it is to be left out, as from the files of such sets."""
    about = TASKS[source.task]
    if about.suite == "chinese":
        texts = stripped(first, second)
        return texts if usable(texts, score) else None
    if about.labels:
        texts = spaced(first), spaced(second)
        return texts if all(texts) else None
    return text_pair((first, second), line)


def _check_count(count: int, source: BenchmarkHub, theirs: str, name: str) -> None:
    """Refuse another number of pairs than the published one, of all splits that are parts of this one."""
    splits = [split for split, place in source.splits.items() if place == theirs]
    published = TASKS[source.task].pairs
    expected = sum(published.get(split, 0) for split in splits)
    if count != expected:
        raise TableError(
            f"{name}: {count} pairs, {source.task} {' and '.join(splits)} has {expected} as published. "
            f"Choose a data set with the original pairs in the world's benchmarks."
        )
