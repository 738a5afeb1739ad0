"""Evaluation sets of scored sentence pairs, from their distribution files or from the hub.

English ones in three formats: the folders of SemEval STS 2012 to 2016 as SentEval arranges them, the csv
files of STS-B, and SICK's text files.  The Chinese formats are in `chinese`, those of paraphrases with labels
in `paraphrase`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from contrapose.config.worlds import BenchmarkFiles, BenchmarkHub, TransferFiles
from contrapose.errors import ConfigError, TableError
from contrapose.retrieve import paraphrase
from contrapose.retrieve.chinese import READERS, chinese_files, chinese_pairs
from contrapose.retrieve.hub_benchmarks import hub_benchmark
from contrapose.retrieve.lines import Line, Pair, need_columns, score_of, text_lines, text_pair
from contrapose.tables import BENCHMARK
from contrapose.tasks import TASKS, Task, TransferTask

logger = logging.getLogger(__name__)

# Subsets of a year in the order of SimCSE's SentEval, and their published numbers of scored pairs (SPEC 0.3,
# methods 2.1).  STS12 has scores of "ALL" and STS13 of "SMT" without sentences beside them: never glob.
SUBSETS: dict[Task, dict[str, int]] = {
    "sts12": {
        "MSRpar": 750,
        "MSRvid": 750,
        "SMTeuroparl": 459,
        "surprise.OnWN": 750,
        "surprise.SMTnews": 399,
    },
    "sts13": {"FNWN": 189, "headlines": 750, "OnWN": 561},
    "sts14": {
        "deft-forum": 450,
        "deft-news": 300,
        "headlines": 750,
        "images": 750,
        "OnWN": 750,
        "tweet-news": 750,
    },
    "sts15": {"answers-forums": 375, "answers-students": 750, "belief": 375, "headlines": 750, "images": 750},
    "sts16": {
        "answer-answer": 254,
        "headlines": 249,
        "plagiarism": 230,
        "postediting": 244,
        "question-question": 209,
    },
}

STSB_FILES = {"train": "sts-train.csv", "dev": "sts-dev.csv", "test": "sts-test.csv"}
STSB_COLUMNS = (7, 9)  # genre, file, year, index, score, sentence 1, sentence 2; some rows name two sources
SICK_FILES = {"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}
SICK_COLUMNS = ("sentence_A", "sentence_B", "relatedness_score")
PROJECT = "./"  # in front of a folder below the project instead of the data folder
STS_COLUMNS = (2, 4)  # sentence 1, sentence 2; in the files of 2016 their sources as well


def found_benchmarks(
    data: Path, sources: Mapping[str, BenchmarkFiles] | Mapping[TransferTask, TransferFiles]
) -> tuple[dict[str, Path], dict[str, str]]:
    """Look for the folder of each benchmark or transfer task below `data`, then below `data/senteval`.

    A path that begins with `./` is one below the project.

    Returns
    -------
    dict of name: folder
        Those that are there.
    dict of name: path below `data`
        Where the others were expected.
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
    """Read every benchmark that is there.

    Parameters
    ----------
    data : Path, optional
        The data folder, or a SentEval tree with `STS/` and `SICK/`; not needed for sources on the hub.
    sources : mapping of name: BenchmarkFiles or BenchmarkHub

    Returns
    -------
    BENCHMARK table
        In the order of `sources`.
    dict of `task/form/split`: file or folder below `data`
        What is missing; also logged.

    Raises
    ------
    ConfigError
        Two sources give the same task in the same form, or nothing is there.
    TableError, BackendError
        See `read_benchmark` and `hub_benchmark`.
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
            split = "test" if source.splits is None else source.splits[0]
            missing[f"{source.task}/{source.form}/{split}"] = absent[name]
    if not frames:
        wanted = ", ".join(sorted(set(absent.values())))
        raise ConfigError(
            f"benchmarks: none found below '{data}'. Expected one of {wanted}, there or below senteval/."
        )
    for what, path in missing.items():
        logger.warning("left out: %s, because %s is not there", what, path)
    return pd.concat(frames, ignore_index=True), dict(sorted(missing.items()))


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

    Parameters
    ----------
    folder : Path
    source : BenchmarkFiles
        Its `kind` is the format.

    Returns
    -------
    BENCHMARK table
        Pairs without a gold score are left out; `row` still counts their lines (SICK's header not).
    dict of `task/form/split`: file
        Splits whose file is not there.

    Raises
    ------
    TableError
        No file of the set is in the folder, a subset of a year is missing (half a year is not its score),
        sentences and scores of a subset differ in number, a line is malformed, or the set is to be
        `complete` and is not.
    """
    if source.kind == "sts":
        return _checked_size(_sts_year(folder, source), source, folder), {}
    names, read = _splits(folder, source)
    taken = {split: names[split] for split in source.splits or names}
    files = {name: folder / name for name in dict.fromkeys(taken.values()) if (folder / name).is_file()}
    if not files:
        raise TableError(
            f"{folder}: none of {', '.join(taken.values())} is there. Put the files of {source.task} there, "
            f"or remove the folder to leave the set out."
        )
    pairs = {name: _some(read(path), path) for name, path in files.items()}
    there = [split for split, name in taken.items() if name in files]
    rows = [
        (source.task, source.form, split, source.task, *pair)
        for split in there
        for pair in paraphrase.of_split(pairs[names[split]], split, names, source.task)
    ]
    logger.info("%s: %d pairs (%s)", folder, len(rows), ", ".join(there))
    missing = {
        f"{source.task}/{source.form}/{split}": f"{source.path}/{name}"
        for split, name in taken.items()
        if split not in there
    }
    return _checked_size(pd.DataFrame(rows, columns=BENCHMARK.columns), source, folder), missing


def _splits(folder: Path, source: BenchmarkFiles) -> tuple[dict[str, str], Callable[[Path], Iterator[Pair]]]:
    """Return {split: file name} of a folder, and the reader of its format."""
    read: Callable[[Path], Iterator[Pair]]
    if source.kind in READERS:
        names = chinese_files(source.kind, folder)
        read = partial(chinese_pairs, source.kind, task=source.task)
    elif source.kind in paraphrase.READERS:
        names = paraphrase.paraphrase_files(source.kind, folder)
        read = partial(paraphrase.paraphrase_pairs, source.kind, task=source.task)
    else:
        names, read = (STSB_FILES, _stsb_pairs) if source.kind == "stsb" else (SICK_FILES, _sick_pairs)
    lacking = [split for split in source.splits or () if split not in names]
    if lacking:
        raise ConfigError(
            f"benchmarks of the world: files of kind {source.kind} have no split {lacking[0]}. "
            f"They have: {', '.join(names)}."
        )
    return names, read


def _checked_size(pairs: pd.DataFrame, source: BenchmarkFiles, folder: Path) -> pd.DataFrame:
    """Refuse another number of pairs than the published one, where the world asks for that."""
    for split, found in pairs.split.value_counts(sort=False).items() if source.complete else ():
        expected = TASKS[source.task].pairs.get(str(split))
        if found != expected:
            raise TableError(
                f"{folder}: {found} scored pairs in split {split}, published are {expected} of {source.task}."
                f" Fetch the files again, or take `complete` from the world's benchmarks."
            )
    return pairs


def _some(pairs: Iterator[Pair], path: Path) -> list[Pair]:
    found = list(pairs)
    if not found:
        raise TableError(f"{path}: holds no scored pair. Fetch the file again.")
    return found


def _sts_year(folder: Path, source: BenchmarkFiles) -> pd.DataFrame:
    if source.task not in SUBSETS:
        raise ConfigError(
            f"benchmarks of the world: task {source.task} is no year of STS, so its kind is not sts. "
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
    rows = []
    for name in names:
        gold = folder / f"STS.gs.{name}.txt"
        pairs = _some(_sts_pairs(folder / f"STS.input.{name}.txt", gold, source.task), gold)
        rows += [(source.task, source.form, "test", name, *pair) for pair in pairs]
    logger.info("%s: %d scored pairs in %d subsets", folder, len(rows), len(names))
    return pd.DataFrame(rows, columns=BENCHMARK.columns)


def _sts_pairs(sentences: Path, gold: Path, task: Task) -> Iterator[Pair]:
    """Yield the scored pairs of a subset: line i of one file belongs to line i of the other."""
    pairs, scores = list(text_lines(sentences)), list(text_lines(gold))
    if len(pairs) != len(scores):
        raise TableError(
            f"{sentences} has {len(pairs)} lines and {gold} has {len(scores)}, expected the same number. "
            f"Fetch both again from one source."
        )
    for pair, score in zip(pairs, scores, strict=True):
        if score.fields == [""]:  # SemEval did not have it scored
            continue
        need_columns(pair, STS_COLUMNS, "sentence 1, sentence 2")
        value = score_of("\t".join(score.fields), score, task)
        yield pair.number, *text_pair(pair.fields[:2], pair), value


def _stsb_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file of STS-B: tabs, no header, and quotation marks that mean nothing."""
    for line in text_lines(path):
        need_columns(line, STSB_COLUMNS, "genre, file, year, index, score, sentence 1, sentence 2")
        yield line.number, *text_pair(line.fields[5:7], line), score_of(line.fields[4], line, "stsb")


def _sick_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file of SICK; the first line names the columns."""
    lines = text_lines(path)
    header = next(lines, Line(str(path), 0, []))
    lacking = [name for name in SICK_COLUMNS if name not in header.fields]
    if lacking:
        raise TableError(
            f"{header.where}: the header lacks {lacking}, it is {header.fields}. Fetch the file again."
        )
    first, second, score = (header.fields.index(name) for name in SICK_COLUMNS)
    for line in lines:
        need_columns(line, (len(header.fields),), ", ".join(header.fields))
        texts = text_pair([line.fields[first], line.fields[second]], line)
        yield line.number - 1, *texts, score_of(line.fields[score], line, "sickr")
