"""Evaluation sets of scored sentence pairs from data sets of the hub."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Self

import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.directory import fetch
from contrapose.base.errors import TableError
from contrapose.base.tasks import FINE_TUNED_SUITES, TASKS, Task
from contrapose.retrieve.formats import as_benchmark, usable_pairs
from contrapose.retrieve.held_out import of_split
from contrapose.retrieve.lines import Fields, Line, Pair, need_names
from contrapose.retrieve.suites import EvaluationSet
from contrapose.settings.hub import HubDataset, unavailable
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Split, TextForm

HUB_ROWS = 1000  # of a data set, converted to Python objects at once


class BenchmarkHub(EvaluationSet, HubDataset):
    """The evaluation set is on the hub, at a pinned commit."""

    kind: Literal["hub"] = "hub"
    task: Task = Field(description="This is the evaluation set.")
    name: str | None = Field(None, description="This is the configuration of the data set.")
    splits: dict[Split, str] = Field(
        description="Each entry maps our split to a split of the hub. Dev pairs may be part of the "
        "hub's training split, where they were released that way."
    )
    columns: dict[Literal["sentence1", "sentence2", "score"], str] = Field(
        {}, description="Each entry maps our column to the column of the hub, where the names differ."
    )
    where: dict[str, int | str] = Field(
        {},
        description="Each entry maps a column of the hub to a value. Only rows with these values belong "
        "to the set.",
    )
    form: TextForm = Field(
        "senteval",
        description="This declares in which form the texts of the set are, and changes no text. `senteval` "
        "stands for files with tokenised texts, as SimCSE evaluates them, and `raw` for texts as released. "
        "Tables and dev scores find a set by its form, and most of them want `senteval`. So leave out this "
        "key for pairs of your own.",
    )
    scale: float = Field(1.0, gt=0, description="The gold scores of the hub are multiplied by this factor.")

    def read(self, data: Path | None) -> tuple[list[pd.DataFrame], dict[str, str]]:
        return [hub_benchmark(self)], {}

    def dev(self, project: Plan) -> Self | None:
        theirs = self.splits.get("dev")  # dev pairs may be cut from a split that is train, too
        splits = {ours: each for ours, each in self.splits.items() if each == theirs}
        return self.model_copy(update={"splits": splits}) if splits else None

    @model_validator(mode="after")
    def _splits_apart(self) -> "BenchmarkHub":
        parts = TASKS[self.task].labels or TASKS[self.task].cut_dev
        if len(set(self.splits.values())) < len(self.splits) and not parts:
            raise ValueError(f"two splits of {self.task} name the same split of the hub. Give each its own")
        return self


def hub_benchmark(source: BenchmarkHub) -> pd.DataFrame:
    """Read an evaluation set of the hub at its pinned revision.

    A class may be given by name instead of number.  The hub's copies do not name the subsets: `subset` is the
    task.  Two of our splits may be parts of one of the hub: see `held_out.of_split`.

    Raises BackendError if the data set cannot be loaded, and TableError if a column is missing, a score is
    off the scale, or the number of pairs is not the published one.
    """
    pairs = {theirs: _hub_pairs(source, theirs) for theirs in dict.fromkeys(source.splits.values())}
    parts = {
        split: of_split(pairs[theirs], split, dict(source.splits), source.task)
        for split, theirs in source.splits.items()
    }
    frames = [
        as_benchmark(part, source.task, source.form, split, source.task) for split, part in parts.items()
    ]
    return pd.concat(frames, ignore_index=True)


def _hub_pairs(source: BenchmarkHub, theirs: str) -> list[Pair]:
    """Return all pairs of a split of the hub; refuse a number other than the published one of our splits.

    For some sets the published number is that of all pairs, for others (SNLI) of those with a label.
    """
    name = f"{source.dataset}@{source.revision}, split {theirs}"
    about = TASKS[source.task]
    every_pair = not about.labels and about.suite not in ("chinese", *FINE_TUNED_SUITES)
    pairs, skipped = usable_pairs(_hub_rows(source, theirs, name), name, source.task, every_pair)
    splits = [split for split, part in source.splits.items() if part == theirs]
    expected = sum(about.pairs.get(split, 0) for split in splits)
    if expected and expected not in (len(pairs) + skipped, len(pairs)):
        raise TableError(
            f"{name}: the data set has {len(pairs) + skipped} pairs, but {source.task} "
            f"{' and '.join(splits)} was published with {expected}. Choose a data set with the "
            "original pairs in the benchmarks of the catalog."
        )
    return pairs


def _hub_rows(source: BenchmarkHub, theirs: str, name: str) -> Iterator[Fields]:
    from datasets import load_dataset

    try:
        loaded = load_dataset(source.dataset, source.name, split=theirs, revision=source.revision)
    except Exception as error:  # the library raises errors of many others
        advice = f"Check the `benchmarks` entry of the catalog file and the network. {fetch()}"
        raise unavailable(f"{name}: could not be loaded", error, advice) from error
    names = [source.columns.get(ours, ours) for ours in ("sentence1", "sentence2", "score")]
    columns = list(dict.fromkeys([*names, *source.where]))
    need_names(columns, loaded.column_names, name, "Check the catalog's benchmarks.")
    # In batches, and only these columns: some sets have millions of rows, and other columns of long texts.
    batches = loaded.select_columns(columns).iter(HUB_ROWS)
    rows = (row for batch in batches for row in zip(*(batch[each] for each in columns), strict=True))
    for number, row in enumerate(rows):
        values = dict(zip(columns, row, strict=True))
        if all(values[column] == value for column, value in source.where.items()):
            first, second, score = (values[column] for column in names)
            # Multiplied by a factor, 5.0 may come back as 5.000000000000001.
            gold = score if isinstance(score, str) else f"{score * source.scale:.12g}"
            yield Line(f"{name}, row {number}", number, []), first or "", second or "", gold
