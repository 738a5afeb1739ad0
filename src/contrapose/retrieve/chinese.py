"""The formats in which Chinese sets of scored sentence pairs are distributed.

ATEC, BQ, LCQMC, PAWS-X and STS-B, as bundled for SimCSE in Chinese (`senteval_cn`), and four of them as first
released.  Texts are unchanged except for white space and byte order marks at their ends, which are removed.
PAWS-X has the same files in Japanese.
"""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

from contrapose.retrieve.lines import (
    Fields,
    Pair,
    below_header,
    csv_rows,
    need_columns,
    score_of,
    stripped,
    text_lines,
    usable,
)
from contrapose.tasks import Task

logger = logging.getLogger(__name__)

BQ_HEADER = ["sentence1", "sentence2", "label"]
PLACEHOLDER = "NS"  # stands in PAWS-X where a sentence was not translated


def chinese_files(kind: str, folder: Path, task: Task) -> dict[str, str]:
    """Return {split: file name} of a distribution; the bundle's files are named like their folder.

    XTREME's copy of PAWS-X names the language; its test file has no labels, so only its dev file is read.
    """
    if kind == "senteval_cn":
        return {split: f"{folder.name}.{name}.data" for split, name in BUNDLE_SPLITS.items()}
    xtreme = f"dev-{task.removeprefix('pawsx_')}.tsv"
    own = {"dev": xtreme} if kind == "pawsx" and (folder / xtreme).is_file() else {}
    return FILES[kind] | own


BUNDLE_SPLITS = {"train": "train", "dev": "valid", "test": "test"}
FILES = {
    "atec": {"train": "atec_nlp_sim_train.csv"},
    "bq": {"train": "train.csv", "dev": "dev.csv", "test": "test.csv"},
    "cnsd": {"train": "cnsd-sts-train.txt", "dev": "cnsd-sts-dev.txt", "test": "cnsd-sts-test.txt"},
    "pawsx": {"train": "translated_train.tsv", "dev": "dev_2k.tsv", "test": "test_2k.tsv"},
}


def chinese_pairs(kind: str, path: Path, task: Task) -> Iterator[Pair]:
    """Yield the scored pairs of a file.

    Pairs with an empty sentence or without a label are left out and counted in the log; sentences that are
    the placeholder `NS` are counted and kept, as is usual in evaluations on these files.  Raises TableError
    if a line has a wrong number of columns, or a score that is off the scale.
    """
    left_out = placeholders = 0
    for line, first, second, label in READERS[kind](path):
        texts = stripped(first, second)
        if not usable(texts, label):
            left_out += 1
            continue
        placeholders += texts.count(PLACEHOLDER)
        yield line.number, *texts, score_of(label, line, task)
    if left_out or placeholders:
        logger.warning(
            "%s: %d pairs without a label or a sentence left out; %d sentences are the placeholder %s",
            *(path, left_out, placeholders, PLACEHOLDER),
        )


def _bundled(path: Path) -> Iterator[Fields]:
    for line in text_lines(path):
        need_columns(line, (3,), "sentence 1, sentence 2, label")
        yield line, *line.fields  # type: ignore[misc]


def _atec(path: Path) -> Iterator[Fields]:
    for line in text_lines(path):
        need_columns(line, (4,), "number, sentence 1, sentence 2, label")
        yield line, *line.fields[1:]  # type: ignore[misc]


def _pawsx(path: Path) -> Iterator[Fields]:
    """Read the release, whose first line names the columns, or XTREME's form without header and id."""
    xtreme = path.name.startswith("dev-")
    for line in text_lines(path):
        need_columns(line, (3 if xtreme else 4,), "id (not in XTREME's form), sentence 1, sentence 2, label")
        if line.number or xtreme:
            yield line, *line.fields[-3:]  # type: ignore[misc]


def _cnsd(path: Path) -> Iterator[Fields]:
    for line in text_lines(path, "||"):
        need_columns(line, (4,), "id, sentence 1, sentence 2, score, between ||")
        yield line, *line.fields[1:]  # type: ignore[misc]


def _bq(path: Path) -> Iterator[Fields]:
    """Read comma-separated values with quotation marks; a text may hold a line break."""
    for line in below_header(path, csv_rows(path), BQ_HEADER):
        yield line._replace(number=line.number - 1), *line.fields  # type: ignore[misc]


READERS: dict[str, Callable[[Path], Iterator[Fields]]] = {
    "senteval_cn": _bundled,
    "atec": _atec,
    "bq": _bq,
    "cnsd": _cnsd,
    "pawsx": _pawsx,
}
