"""Evaluation sets of scored sentence pairs, from their distribution files or from the hub.

This module reads SemEval STS 2012 to 2016 in SentEval's folders; `formats` has the other files.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import pandas as pd
from pydantic import Field, RootModel, model_validator

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError, TableError, are_missing
from contrapose.base.tasks import TASKS, USER_TASKS, Suite, Task
from contrapose.jobs.status import read_status, with_status
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve import formats
from contrapose.retrieve.data_files import folders
from contrapose.retrieve.formats import SplitFile, as_benchmark, usable_pairs
from contrapose.retrieve.held_out import of_split
from contrapose.retrieve.hub_benchmarks import BenchmarkHub
from contrapose.retrieve.lines import Fields, Pair, need_columns, parallel_lines
from contrapose.retrieve.made_pairs import GradedPairs, NeighbourPairs
from contrapose.retrieve.suites import EvaluationSet, sets_of
from contrapose.retrieve.user_pairs import check_user_pairs
from contrapose.settings.plan import Plan
from contrapose.settings.spec import PathText, Spec, Split, TextForm
from contrapose.tables import BENCHMARK, read_tables

logger = logging.getLogger(__name__)

# Subsets of a year and their published numbers of scored pairs, in the order of SimCSE's
# `SentEval/senteval/sts.py`.  Never glob: STS12 has scores of "ALL" and STS13 of "SMT" without sentences.
# fmt: off
SUBSETS: dict[Task, dict[str, int]] = {
    "sts12": {"MSRpar": 750, "MSRvid": 750, "SMTeuroparl": 459, "surprise.OnWN": 750,
              "surprise.SMTnews": 399},
    "sts13": {"FNWN": 189, "headlines": 750, "OnWN": 561},
    "sts14": {"deft-forum": 450, "deft-news": 300, "headlines": 750, "images": 750, "OnWN": 750,
              "tweet-news": 750},
    "sts15": {"answers-forums": 375, "answers-students": 750, "belief": 375, "headlines": 750, "images": 750},
    "sts16": {"answer-answer": 254, "headlines": 249, "plagiarism": 230, "postediting": 244,
              "question-question": 209},
}
# fmt: on

# Kinds whose test pairs are another split of the release, and may not pass for the set's own.
STANDS_IN: dict[str, Task] = {"sick_train": "sickr_train", "pawsx_dev": "pawsx_en_dev"}
STS_COLUMNS = (2, 4)  # sentence 1, sentence 2; in the files of 2016 their sources as well


class BenchmarkFiles(EvaluationSet, Spec):
    """The evaluation set is in its distribution files."""

    kind: Literal[
        "sts", "stsb", "sick", "sick_train", "senteval_cn", "atec", "bq", "cnsd", "pawsx", "pawsx_dev",
        "mrpc", "qqp", "paws_qqp", "esci", "snli", "paws", "jglue", "jsick", "pairs", "graded",
    ] = Field(
        description="This is the format of the files. The table of [formats](#formats-of-test-sets) says "
        "what each is, and which files it reads. `pairs` are pairs of your own in CSV."
    )  # fmt: skip
    task: Task = Field(description="This is the evaluation set.")
    path: PathText = Field(
        description="This is a folder below the data folder, or below its `senteval/`. With `./` in "
        "front, it is below the project."
    )
    splits: list[Split] | None = Field(
        None, description="These splits are used, and must exist. With null, all existing splits are used."
    )
    form: TextForm = Field(
        "senteval",
        description="This declares in which form the texts of the set are, and changes no text. `senteval` "
        "stands for files with tokenised texts, as SimCSE evaluates them, and `raw` for texts as released. "
        "Tables and dev scores find a set by its form, and most of them want `senteval`. So leave out this "
        "key for pairs of your own.",
    )
    complete: bool = Field(
        False, description="If true, the set is refused unless it has the published number of scored pairs."
    )

    in_folder: ClassVar[bool] = True

    @property
    def is_graded(self) -> bool:
        return self.kind == "graded"

    def read(self, data: Path | None) -> tuple[list[pd.DataFrame], dict[str, str]]:
        existing, absent = folders({self.task: self}, data)
        if existing:
            table, missing = read_benchmark(existing[self.task], self)
            return [table], missing
        splits = self.splits or TASKS[self.task].pairs
        return [], {f"{self.task}/{self.form}/{split}": absent[self.task] for split in splits}

    def dev(self, project: Plan) -> Self | None:
        has_dev = self.splits is None or "dev" in self.splits
        return self.model_copy(update={"splits": ["dev"]}) if has_dev else None

    def dev_file(self, project: Plan, folder: Path) -> Path:
        return folder / formats.split_files(self.kind, folder, self.task)["dev"].file

    @model_validator(mode="after")
    def _kind_fits_task(self) -> "BenchmarkFiles":
        if self.kind in ("pairs", "graded") and self.task not in USER_TASKS:
            raise ValueError(
                f"files of kind {self.kind} must be one of the tasks for your own data: "
                f"{', '.join(USER_TASKS)}"
            )
        if self.task in USER_TASKS and self.kind not in ("pairs", "graded", "stsb"):
            raise ValueError("the tasks for your own data need files of kind pairs, graded or stsb")
        stands_in = STANDS_IN.get(self.kind, self.task)
        if self.task != stands_in:
            raise ValueError(f"files of kind {self.kind} are of task {stands_in}, not {self.task}")
        if self.complete and self.task in USER_TASKS:
            raise ValueError(
                "complete compares with a published number of pairs, and task own has none. Remove complete"
            )
        return self


GIVEN, GRADED = "that you gave", "that you graded by hand"
AnySource = BenchmarkFiles | BenchmarkHub | NeighbourPairs | GradedPairs
BenchmarkSource = Annotated[AnySource, Field(discriminator="kind")]
Benchmarks = RootModel[dict[str, AnySource]]


@planned
def plan(project: Plan, suite: Suite = "english") -> Benchmarks:
    """Return the sources of a suite's evaluation sets, by name, which no order of the catalog changes."""
    return Benchmarks(dict(sorted(sets_of(project, suite).items())))


def build(spec: Benchmarks, data: DataFolder, made: list[str]) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Read the evaluation sets of a suite; the status says which are missing, and what own ones are."""
    benchmarks, missing = read_benchmarks(data, spec.root, made)
    return with_status(benchmarks, missing=missing, facts=_origins(benchmarks, spec.root, made))


def _origins(
    benchmarks: pd.DataFrame, sources: Mapping[str, AnySource], made: Sequence[str]
) -> dict[str, str]:
    """Return {task of one's own: how its test pairs came about}."""
    counts = benchmarks.task[benchmarks.split == "test"].value_counts()
    how = {each.task: GRADED if each.is_graded else GIVEN for each in sources.values()}
    tasks = [task for task in USER_TASKS if task in how and task in counts]
    origins = {task: f"{counts[task]:,} test pairs {how[task]}" for task in tasks}
    return origins | {task: said for file in made for task, said in read_status(file).facts.items()}


def read_benchmarks(
    data: Path | None, sources: Mapping[str, AnySource], made: Sequence[str] = ()
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read every benchmark that exists; all are in memory at once.

    `data` is the data folder, or a SentEval tree with `STS/` and `SICK/`; sources on the hub need none.
    `made` are files of test pairs that jobs made.

    Returns those, then sets in the order of `sources`, and {`task/form/split`: file or folder below `data`}
    of what is missing, which is also logged.  Raises ConfigError if two sources give the same task in the
    same form, or no set exists; see also `read_benchmark` and `hub_benchmark`.
    """
    _refuse_twins(sources)
    frames = [read_tables(made, BENCHMARK)] if made else []
    missing: dict[str, str] = {}
    for source in sources.values():
        found, without = source.read(data)
        frames += found
        missing |= without
    if not frames:
        expected = ", ".join(sorted(set(missing.values())))
        raise ConfigError(
            f"benchmarks: none of the sets of the catalog was found in '{data}' or its folder "
            f"senteval. Expected one of {expected}."
        )
    for what, path in missing.items():
        logger.warning("%s is skipped, because %s is missing", what, path)
    return pd.concat(frames, ignore_index=True), dict(sorted(missing.items()))


def _refuse_twins(sources: Mapping[str, AnySource]) -> None:
    seen: dict[tuple[str, str, str], str] = {}
    for name, source in sources.items():
        for split in source.splits or ("train", "dev", "test"):
            first = seen.setdefault((source.task, source.form, split), name)
            if first != name:
                raise ConfigError(
                    f"benchmarks of the catalog: '{first}' and '{name}' are both of task "
                    f"{source.task}, form {source.form} and split {split}. Remove one, or give them "
                    "different forms or splits."
                )


def read_benchmark(folder: Path, source: BenchmarkFiles) -> tuple[pd.DataFrame, dict[str, str]]:
    r"""Read one benchmark from its distribution files.

    English sentences are split at white space and joined by one space, as SentEval does.  Lines end at `\n`
    or `\r\n` only: other Unicode separators occur inside sentences.

    Returns
    -------
    BENCHMARK table
        Pairs without a gold score are left out; `row` still counts their lines, but not the header of SICK
        and JSICK.
    dict of `task/form/split`: file
        Splits whose file is missing; empty if the source names its `splits`.

    Raises
    ------
    TableError
        No file of the set is in the folder; the file of a split in `splits` is missing; a subset of a year is
        missing (part of a year is not scored); a subset has different numbers of sentences and scores; a line
        is malformed; or the source is `complete` but the set is not.
    """
    if source.kind == "sts":
        year = _sts_year(folder, source)
        _check_size(len(year), ["test"], source, folder)
        return year, {}
    files = formats.split_files(source.kind, folder, source.task)
    existing = _existing(folder, source, files)
    pairs: dict[SplitFile, list[Pair]] = {}
    for file in dict.fromkeys(existing.values()):
        pairs[file] = formats.scored_pairs(source.kind, folder, file, source.task)
        _refuse_none(pairs[file], folder / file.file)
        _check_size(len(pairs[file]), [split for split in files if files[split] == file], source, folder)
    parts = {split: of_split(pairs[file], split, files, source.task) for split, file in existing.items()}
    table = pd.concat(
        [as_benchmark(part, source.task, source.form, split, source.task) for split, part in parts.items()],
        ignore_index=True,
    )
    if source.kind == "pairs":
        check_user_pairs({split: pairs[file] for split, file in existing.items()}, folder)
    logger.info("%s: %d pairs (%s)", folder, len(table), ", ".join(existing))
    missing = {
        f"{source.task}/{source.form}/{split}": f"{source.path}/{files[split].file}"
        for split in source.splits or files
        if split not in existing
    }
    return table, missing


def _existing(folder: Path, source: BenchmarkFiles, files: Mapping[str, SplitFile]) -> dict[str, SplitFile]:
    """Return the files of splits that exist; those of the splits that the source names must."""
    for split in source.splits or ():
        if split not in files:
            raise ConfigError(
                f"benchmarks of the catalog: files of kind {source.kind} have no split {split}. "
                f"Available splits: {', '.join(files)}."
            )
    named = {split: files[split] for split in source.splits or files}
    existing = {split: file for split, file in named.items() if (folder / file.file).is_file()}
    if not existing and source.is_graded:
        raise TableError(
            f"{folder}: the folder has no graded pairs yet. `{call('annotate', '--make N')}` writes a "
            f"sheet of N pairs to grade, and `{call('annotate', '--read sheet.csv')}` stores the grades."
        )
    if not existing and source.kind == "pairs":
        paths = [str(folder / file.file) for file in named.values()]
        raise TableError(
            f"{' and '.join(paths)} {'are' if paths[1:] else 'is'} missing. Put your test pairs there "
            "(columns sentence1,sentence2,score). To skip the set, remove the folder."
        )
    if not existing:
        raise TableError(
            f"{folder}: none of {', '.join(file.file for file in named.values())} exists. Put the "
            f"files of {source.task} there. To skip the set, remove the folder."
        )
    for split in source.splits or ():
        if split not in existing:
            raise TableError(
                f"{folder}: {named[split].file} does not exist. Put it there, or remove {split} from "
                f"`splits` of {source.task} in the catalog."
            )
    return existing


def _check_size(size: int, splits: Sequence[str], source: BenchmarkFiles, folder: Path) -> None:
    """Refuse a number of pairs other than the published one, if the catalog says `complete`."""
    expected = sum(TASKS[source.task].pairs.get(split, 0) for split in splits)
    if source.complete and size != expected:
        raise TableError(
            f"{folder}: split {' and '.join(splits)} has {size} scored pairs, but {source.task} was "
            f"published with {expected}. Download the files again, or remove `complete` from the "
            "benchmarks of the catalog."
        )


def _refuse_none(pairs: Sequence[Pair], path: Path) -> None:
    if not pairs:
        raise TableError(f"{path}: the file contains no scored pair. Add pairs, or download it again.")


def _sts_year(folder: Path, source: BenchmarkFiles) -> pd.DataFrame:
    if source.task not in SUBSETS:
        raise ConfigError(
            f"benchmarks of the catalog: task {source.task} is not a year of STS, so its kind cannot "
            f"be sts. The years are {', '.join(SUBSETS)}. The tasks stsb and sickr have kinds of "
            "their own, stsb and sick."
        )
    names = SUBSETS[source.task]
    needed = [f"STS.{part}.{name}.txt" for name in names for part in ("input", "gs")]
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        raise TableError(
            f"{folder}: {are_missing('file', missing)}, but the score of {source.task} is "
            f"over all of {', '.join(names)}. Put the files there. To skip the set, remove the folder."
        )
    frames = []
    for name in names:
        files = [folder / f"STS.{part}.{name}.txt" for part in ("input", "gs")]
        pairs, _ = usable_pairs(_sts_pairs(*files), str(files[1]), source.task, every_pair=True)
        _refuse_none(pairs, files[1])
        frames.append(as_benchmark(pairs, source.task, source.form, "test", name))
    table = pd.concat(frames, ignore_index=True)
    logger.info("%s: %d scored pairs in %d subsets", folder, len(table), len(names))
    return table


def _sts_pairs(sentences: Path, gold: Path) -> Iterator[Fields]:
    """Yield the scored pairs of a subset: line i of one file belongs to line i of the other."""
    for pair, score in parallel_lines([sentences, gold]):
        if score.fields != [""]:  # SemEval scored it
            need_columns(pair, STS_COLUMNS, "sentence 1, sentence 2")
            line = pair._replace(where=f"{pair.where}, {score.where}")
            yield line, pair.fields[0], pair.fields[1], "\t".join(score.fields)
