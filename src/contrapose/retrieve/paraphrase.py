"""Sets of sentence pairs that mean the same or do not: MRPC, QQP and PAWS-QQP, as they were released.

Where two of our splits share a file or a split of the hub, `of_split` divides the pairs between them.
"""

import ast
import logging
import math
import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from contrapose.errors import TableError
from contrapose.retrieve.lines import (
    MRPC_HEADER,
    PAWS_HEADER,
    Fields,
    Line,
    Pair,
    below_header,
    csv_rows,
    need_header,
    score_of,
    spaced,
    text_lines,
)
from contrapose.seeds import generator
from contrapose.tasks import Task

logger = logging.getLogger(__name__)

QQP_HEADER = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
QQP_CSV = ("train.csv", "eval.csv")  # Kaggle's labelled file, and a sample of it; it has no test labels
BYTES = ("b'", 'b"')  # the script that makes PAWS-QQP was written for Python 2


def paraphrase_files(kind: str, folder: Path) -> dict[str, str]:
    """Return {split: file name} of a distribution."""
    if kind == "mrpc":
        train, test = "msr_paraphrase_train.txt", "msr_paraphrase_test.txt"
    elif kind == "qqp":
        comma_separated = [name for name in QQP_CSV if (folder / name).is_file()]
        there = (folder / "train.tsv").is_file()
        train, test = comma_separated[0] if comma_separated and not there else "train.tsv", "dev.tsv"
    else:
        return dict.fromkeys(("dev", "test"), "dev_and_test.tsv")
    return {"train": train, "dev": train, "test": test}


def paraphrase_pairs(kind: str, path: Path, task: Task) -> Iterator[Pair]:
    """Yield the labelled pairs of a file.

    Texts are as released but for white space, which is one space between words as in every English set.
    Pairs without one of the texts are left out and counted in the log.  Raises TableError if the file has
    other columns, or a line has an invalid label.
    """
    left_out = 0
    for line, first, second, label in READERS[kind](path):
        texts = spaced(first), spaced(second)
        if all(texts):
            yield line.number, *texts, score_of(label, line, task)
        else:
            left_out += 1
    if left_out:
        logger.warning("%s: %d pairs without one of the texts left out", path, left_out)


def _mrpc(path: Path) -> Iterator[Fields]:
    """Read tab-separated lines with a header; quotation marks mean nothing."""
    for line in below_header(path, text_lines(path), MRPC_HEADER):
        yield line, line.fields[3], line.fields[4], line.fields[0]


def _qqp(path: Path) -> Iterator[Fields]:
    """Read Kaggle's comma-separated values with quotation marks, or GLUE's tab-separated ones without.

    GLUE's lines that lack columns are left out and counted: they are parts of questions with line breaks.
    """
    lines = csv_rows(path) if path.suffix == ".csv" else text_lines(path)
    need_header(path, lines, QQP_HEADER)
    broken = 0
    for line in lines:
        if len(line.fields) == len(QQP_HEADER):
            yield line, *line.fields[3:]  # type: ignore[misc]
        else:
            broken += 1
    if broken:
        logger.warning("%s: %d lines with another number of columns left out", path, broken)


def _paws_qqp(path: Path) -> Iterator[Fields]:
    """Read tab-separated lines with a header; a text may be a Python bytes literal, `b'...'`."""
    for line in below_header(path, text_lines(path), PAWS_HEADER):
        yield line, _unwrapped(line.fields[1], line), _unwrapped(line.fields[2], line), line.fields[3]


def _unwrapped(text: str, line: Line) -> str:
    if not text.startswith(BYTES):
        return text
    try:
        return ast.literal_eval(text).decode()
    except (SyntaxError, ValueError) as error:
        raise TableError(
            f"{line.where}: {text!r} is not text written as Python bytes ({error}). Fetch the file again."
        ) from error


READERS: dict[str, Callable[[Path], Iterator[Fields]]] = {"mrpc": _mrpc, "qqp": _qqp, "paws_qqp": _paws_qqp}


def of_split(pairs: Sequence[Pair], split: str, places: Mapping[str, Hashable], task: Task) -> Sequence[Pair]:
    """Return those pairs of a file, or of a split of the hub, that belong to one of our splits.

    Dev shares its place with another split.  For QQP it is the first 5 % of GLUE's train split (RISE's code);
    for MRPC a tenth of train, drawn by us: GLUE's dev has as many, but the release does not say which.  For
    PAWS-QQP each label is halved as in RISE's code, with the larger half for test.  For JSTS and JNLI it is a
    tenth of train, rounded up as in PPDB-CSE, table 2; for Shopping Queries all pairs of a tenth of the
    queries, as no tenth of the pairs gives the numbers of its tables.  These are drawn by us, too.

    Parameters
    ----------
    pairs : sequence of Pair
        All pairs in the place of the split.
    places : mapping of split: place in a file, or split of the hub
        A split that does not share its place has all pairs.
    """
    if list(places.values()).count(places[split]) == 1:
        return pairs
    dev = HELD_OUT[task](pairs)
    return [pair for number, pair in enumerate(pairs) if (number in dev) == (split == "dev")]


def _first_twentieth(pairs: Sequence[Pair]) -> set[int]:
    return set(range(round(len(pairs) / 20)))


def _drawn_tenth(pairs: Sequence[Pair]) -> set[int]:
    return set(generator("mrpc", "dev").permutation(len(pairs))[: round(len(pairs) / 10)].tolist())


def _whole_tenth(task: Task, pairs: Sequence[Pair]) -> set[int]:
    return set(generator(task, "dev").permutation(len(pairs))[: math.ceil(len(pairs) / 10)].tolist())


def _tenth_of_queries(task: Task, pairs: Sequence[Pair]) -> set[int]:
    queries = sorted({pair[1] for pair in pairs})
    drawn = generator(task, "dev").permutation(len(queries))[: math.ceil(len(queries) / 10)]
    dev = {queries[number] for number in drawn}
    return {number for number, pair in enumerate(pairs) if pair[1] in dev}


def _half_of_each_label(pairs: Sequence[Pair]) -> set[int]:
    order = list(range(len(pairs)))
    random.Random(42).shuffle(order)  # Python's own generator, so that the halves are those of RISE's code
    labels = (0.0, 1.0)
    of_label = [[number for number in order if pairs[number][3] == label] for label in labels]
    return {number for numbers in of_label for number in numbers[: len(numbers) // 2]}


HELD_OUT: dict[Task, Callable[[Sequence[Pair]], set[int]]] = {
    "mrpc": _drawn_tenth,
    "qqp": _first_twentieth,
    "paws_qqp": _half_of_each_label,
    "jsts": partial(_whole_tenth, "jsts"),
    "jnli": partial(_whole_tenth, "jnli"),
    "esci_us": partial(_tenth_of_queries, "esci_us"),
    "esci_jp": partial(_tenth_of_queries, "esci_jp"),
}
