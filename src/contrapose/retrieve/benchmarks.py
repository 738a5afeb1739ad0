"""Evaluation sets of scored sentence pairs, from their distribution files or from the hub.

This module reads SemEval STS 2012 to 2016 in SentEval's folders; `formats` has the other sets, `own` pairs of
your own.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import RootModel

from contrapose.errors import ConfigError, TableError
from contrapose.retrieve import formats, own
from contrapose.retrieve.held_out import of_split
from contrapose.retrieve.hub_benchmarks import hub_benchmark
from contrapose.retrieve.lines import PROJECT, Pair, Place, need_columns, score_of, text_lines, text_pair
from contrapose.settings.worlds import BenchmarkFiles, BenchmarkHub, TransferFiles
from contrapose.status import with_status
from contrapose.steps import DataFolder, Project, Rows, planned
from contrapose.tables import BENCHMARK
from contrapose.tasks import TASKS, Task, TransferTask

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

STS_COLUMNS = (2, 4)  # sentence 1, sentence 2; in the files of 2016 their sources as well


BenchmarkSources = RootModel[dict[str, BenchmarkFiles | BenchmarkHub]]


@planned
def plan(project: Project, suite: Any = "english") -> BenchmarkSources:
    from contrapose.project.data import benchmark_sources

    return BenchmarkSources(dict(sorted(benchmark_sources(project, suite).items())))


def build(spec: BenchmarkSources, data: DataFolder) -> Annotated[pd.DataFrame, Rows(BENCHMARK)]:
    """Read the evaluation sets of a suite; the file says which are missing."""
    benchmarks, missing = read_benchmarks(data, spec.root)
    return with_status(benchmarks, missing=missing)


def found_benchmarks(
    data: Path, sources: Mapping[str, BenchmarkFiles] | Mapping[TransferTask, TransferFiles]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Look for the folder of each benchmark or transfer task below `data`, then below `data/senteval`.

    A path that begins with `./` is relative to the project.  Returns {name: folder} of those that were found,
    and {name: path below `data`} where the others were expected.
    """
    found, missing = {}, {}
    for name, source in sources.items():
        places = [data / source.path, data / "senteval" / source.path]
        if source.path.startswith(PROJECT):
            places = [Path(source.path)]
        folder = next((place for place in places if place.is_dir()), None)
        if folder is None:
            missing[name] = source.path
        else:
            found[name] = folder
    return found, missing


def read_benchmarks(
    data: Path | None, sources: Mapping[str, BenchmarkFiles | BenchmarkHub]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Read every benchmark that is found; all are in memory at once (see `esci` for how much).

    `data` is the data folder, or a SentEval tree with `STS/` and `SICK/`; sources on the hub need none.
    Returns sets in the order of `sources`, and {`task/form/split`: file or folder below `data`} of what is
    missing, which is also logged.  Raises ConfigError if two sources give the same task in the same form, or
    no set is found; see also `read_benchmark` and `hub_benchmark`.
    """
    _refuse_twins(sources)
    files = {name: source for name, source in sources.items() if isinstance(source, BenchmarkFiles)}
    folders, absent = found_benchmarks(data, files) if data else ({}, {n: s.path for n, s in files.items()})
    frames, missing = [], {}
    for name, source in sources.items():
        if isinstance(source, BenchmarkHub):
            frames.append(hub_benchmark(source))
        elif name in folders:
            frame, lacking = read_benchmark(folders[name], source)
            frames.append(frame)
            missing.update(lacking)
        else:
            splits = source.splits or TASKS[source.task].pairs
            missing |= {f"{source.task}/{source.form}/{split}": absent[name] for split in splits}
    if not frames:
        wanted = ", ".join(sorted(set(absent.values())))
        raise ConfigError(
            f"benchmarks: none found below '{data}'. Expected one of {wanted}, there or below senteval/."
        )
    for what, path in missing.items():
        logger.warning("left out: %s, because %s is missing", what, path)
    return pd.concat(frames, ignore_index=True), dict(sorted(missing.items()))


def _files_there(folder: Path, source: BenchmarkFiles, places: Mapping[str, Place]) -> dict[str, Place]:
    """Return the places of splits whose file exists; the splits that the source names must be there."""
    taken = {split: places[split] for split in source.splits or places}
    there = {split: place for split, place in taken.items() if (folder / place.file).is_file()}
    if not there:
        raise TableError(
            f"{folder}: none of {', '.join(place.file for place in taken.values())} exists. "
            f"Put the files of {source.task} there, or remove the folder to leave the set out."
        )
    absent = [split for split in source.splits or () if split not in there]
    if absent:
        raise TableError(
            f"{folder}: {taken[absent[0]].file} is missing. "
            f"Put it there, or remove {absent[0]} from `splits` of {source.task} in the world."
        )
    return there


def _refuse_twins(sources: Mapping[str, BenchmarkFiles | BenchmarkHub]) -> None:
    seen: dict[tuple[str, str, str], str] = {}
    for name, source in sources.items():
        for split in source.splits or ("train", "dev", "test"):
            first = seen.setdefault((source.task, source.form, split), name)
            if first != name:
                raise ConfigError(
                    f"benchmarks of the world: '{first}' and '{name}' are both task {source.task} in form "
                    f"{source.form}, split {split}. Keep one, or give them different forms or splits."
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
    places = _places(folder, source)
    there = _files_there(folder, source, places)
    pairs: dict[Place, list[Pair]] = {}
    for place in dict.fromkeys(there.values()):
        pairs[place] = _some(_pairs(folder, source, place), folder / place.file)
        _check_size(len(pairs[place]), [split for split in places if places[split] == place], source, folder)
    parts = {split: of_split(pairs[place], split, places, source.task) for split, place in there.items()}
    frames = [_frame(part, source, split, source.task) for split, part in parts.items()]
    found = pd.concat(frames, ignore_index=True)
    if source.kind == "pairs":
        own.check_apart(found, folder)
    logger.info("%s: %d pairs (%s)", folder, len(found), ", ".join(there))
    missing = {
        f"{source.task}/{source.form}/{split}": f"{source.path}/{places[split].file}"
        for split in source.splits or places
        if split not in there
    }
    return found, missing


def _frame(pairs: Sequence[Pair], source: BenchmarkFiles, split: str, subset: str) -> pd.DataFrame:
    """Return pairs as rows of a BENCHMARK table."""
    about = {"task": source.task, "form": source.form, "split": split, "subset": subset}
    found = pd.DataFrame(pairs, columns=["row", "sentence1", "sentence2", "score"])
    return found.assign(**about)[BENCHMARK.columns]


def _places(folder: Path, source: BenchmarkFiles) -> dict[str, Place]:
    """Return where each split of a folder is."""
    own_files = {split: Place(name) for split, name in own.FILES.items()}
    found = own_files if source.kind == "pairs" else formats.places(source.kind, folder, source.task)
    lacking = [split for split in source.splits or () if split not in found]
    if lacking:
        raise ConfigError(
            f"benchmarks of the world: files of kind {source.kind} have no split {lacking[0]}. "
            f"They have: {', '.join(found)}."
        )
    return found


def _pairs(folder: Path, source: BenchmarkFiles, place: Place) -> Iterator[Pair]:
    if source.kind == "pairs":
        return own.own_pairs(folder / place.file)
    return formats.scored_pairs(source.kind, folder, place, source.task)


def _check_size(found: int, splits: Sequence[str], source: BenchmarkFiles, folder: Path) -> None:
    """Refuse a number of pairs other than the published one, if the world says `complete`."""
    expected = sum(TASKS[source.task].pairs.get(split, 0) for split in splits)
    if source.complete and found != expected:
        raise TableError(
            f"{folder}: {found} scored pairs in split {' and '.join(splits)}, but {source.task} "
            f"was published with {expected}. Fetch the files again, or remove `complete` from the world's "
            "benchmarks."
        )


def _some(pairs: Iterator[Pair], path: Path) -> list[Pair]:
    found = list(pairs)
    if not found:
        raise TableError(f"{path}: contains no scored pair. Fetch the file again.")
    return found


def _sts_year(folder: Path, source: BenchmarkFiles) -> pd.DataFrame:
    if source.task not in SUBSETS:
        raise ConfigError(
            f"benchmarks of the world: task {source.task} is not a year of STS, so its kind is not sts. "
            f"Years: {', '.join(SUBSETS)}; stsb and sickr have kinds of their own, stsb and sick."
        )
    names = SUBSETS[source.task]
    wanted = [f"STS.{part}.{name}.txt" for name in names for part in ("input", "gs")]
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        raise TableError(
            f"{folder}: lacks {', '.join(missing)}. The score of {source.task} is over all of "
            f"{', '.join(names)}; put the files there, or remove the folder to leave the set out."
        )
    frames = []
    for name in names:
        gold = folder / f"STS.gs.{name}.txt"
        pairs = _some(_sts_pairs(folder / f"STS.input.{name}.txt", gold, source.task), gold)
        frames.append(_frame(pairs, source, "test", name))
    found = pd.concat(frames, ignore_index=True)
    logger.info("%s: %d scored pairs in %d subsets", folder, len(found), len(names))
    return found


def _sts_pairs(sentences: Path, gold: Path, task: Task) -> Iterator[Pair]:
    """Yield the scored pairs of a subset: line i of one file belongs to line i of the other."""
    pairs, scores = list(text_lines(sentences)), list(text_lines(gold))
    if len(pairs) != len(scores):
        raise TableError(
            f"{sentences} has {len(pairs)} lines and {gold} has {len(scores)}, expected the same number. "
            f"Fetch both again from one source."
        )
    for pair, score in zip(pairs, scores, strict=True):
        if score.fields == [""]:  # SemEval did not score it
            continue
        need_columns(pair, STS_COLUMNS, "sentence 1, sentence 2")
        value = score_of("\t".join(score.fields), score, task)
        yield pair.number, *text_pair(pair.fields[:2], pair), value
