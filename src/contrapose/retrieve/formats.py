"""The formats in which sets of scored sentence pairs are distributed: `FORMATS` says how each is read.

STS-B, SICK and what encoders are fine-tuned on (PPDB-CSE, tables 1 and 2), MRPC, QQP and PAWS-QQP, and the
Chinese sets, as released and as bundled for SimCSE in Chinese (`senteval_cn`).  PAWS-X has the same files in
Chinese and Japanese.  For the years of STS see `benchmarks`.
"""

import ast
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from contrapose.base.errors import AGAIN, TableError, cut, shown
from contrapose.base.tasks import ESCI_CLASSES, LANGUAGES, NLI_CLASSES, TASKS, Task
from contrapose.retrieve.lines import (
    ENDS,
    MRPC_HEADER,
    Fields,
    Line,
    Pair,
    below_header,
    csv_rows,
    is_text,
    json_rows,
    need_columns,
    need_header,
    need_names,
    number_in,
    parallel_lines,
    spaced,
    text_lines,
)
from contrapose.retrieve.user_pairs import user_pairs
from contrapose.retrieve.user_tables import parquet_columns
from contrapose.settings.spec import TextForm
from contrapose.tables import BENCHMARK

logger = logging.getLogger(__name__)

UNLABELLED = ("", "-1", "-")  # some pairs of PAWS-X and SNLI came without a label
CLASS_NAMES = {len(names): names for names in (NLI_CLASSES, ESCI_CLASSES)}
QQP_HEADER = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
QQP_CSV = ("train.csv", "eval.csv")  # Kaggle's labelled file, and a sample of it; it has no test labels
BQ_HEADER = ["sentence1", "sentence2", "label"]
PAWS_HEADER = ["id", "sentence1", "sentence2", "label"]
BYTES = ("b'", 'b"')  # the script that makes PAWS-QQP was written for Python 2
SNLI_RELEASE = "snli_1.0_{0}.jsonl"
SICK_RELEASE = "SICK.txt"  # from Zenodo: the 9,927 pairs of SemEval except 87, in one file
PLACEHOLDER = "NS"  # stands in PAWS-X where a sentence was not translated
ESCI_FILES = ("shopping_queries_dataset_examples.parquet", "shopping_queries_dataset_products.parquet")
ESCI_LABELS = {name[0].upper(): name for name in ESCI_CLASSES}
LARGEST = 2.0**53  # of a score on any scale: above it float64 does not tell whole numbers apart


class SplitFile(NamedTuple):
    """Where a split is in a distribution."""

    file: str
    part: str = ""  # what marks its rows in the file; empty: all of them


Reader = Callable[[Path, SplitFile, Task], Iterator[Fields]]


@dataclass(frozen=True)
class Columns:
    """Lines of columns, of which three are read: sentence 1, sentence 2, label."""

    read: tuple[int, int, int]
    names: list[str]
    header: bool = False  # the first line is `names`
    counts: tuple[int, ...] = ()  # allowed numbers of columns, if not that of the names
    separator: str = "\t"  # quotation marks mean nothing
    quoted: bool = False  # comma-separated values, see `csv_rows`; their header does not count as a row

    def __call__(self, folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
        """Read the lines of a file."""
        path = folder / split.file
        lines = csv_rows(path) if self.quoted else text_lines(path, self.separator)
        names = ", ".join(self.names)
        if self.separator != "\t":
            names += f", between {self.separator}"
        for line in below_header(path, lines, self.names) if self.header else lines:
            need_columns(line, self.counts or (len(self.names),), names)
            first, second, label = (line.fields[column] for column in self.read)
            yield line._replace(number=line.number - self.quoted), first, second, label


def _sick(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read SemEval's files or the release, which have different names for the entailment column."""
    released = split.file == SICK_RELEASE
    entailment = "entailment_label" if released else "entailment_judgment"
    gold = entailment if TASKS[task].classes else "relatedness_score"
    part = split.part.partition("_")[0].upper() if released else ""
    return _named(folder / split.file, ["sentence_A", "sentence_B", gold], "SemEval_set", part)


def _sick_train(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read SemEval's train and trial files as one set; rows count on from file to file."""
    files = [SplitFile(FORMATS["sick"].files.format(SICK[name])) for name in ("train", "dev")]
    for number, (line, *pair) in enumerate(row for file in files for row in _sick(folder, file, task)):
        yield line._replace(number=number), *pair  # type: ignore[misc]


def _jsick(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    gold = "entailment_label_Ja" if TASKS[task].classes else "relatedness_score_Ja"
    return _named(folder / split.file, ["sentence_A_Ja", "sentence_B_Ja", gold], "data", split.part)


def _named(path: Path, names: list[str], mark: str, part: str) -> Iterator[Fields]:
    """Read the tab-separated rows whose column `mark` is `part`.  The header does not count as a row."""
    lines = text_lines(path)
    header = next(lines, Line(str(path), 0, []))
    wanted = [*names, mark] if part else names
    need_names(wanted, header.fields, f"{header.where}, the header", AGAIN)
    columns = [header.fields.index(name) for name in wanted]
    for line in lines:
        need_columns(line, (len(header.fields),), ", ".join(header.fields))
        first, second, label, *marks = (line.fields[column] for column in columns)
        if not part or marks == [part]:
            yield line._replace(number=line.number - 1), first, second, label


def _snli(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read JSON lines as released, or SentEval's three parallel files."""
    if split.file.endswith(".jsonl"):
        yield from _json(folder / split.file, "gold_label")
        return
    for lines in parallel_lines([folder / f"{part}.{split.part}" for part in ("s1", "s2", "labels")]):
        first, second, label = ("\t".join(line.fields) for line in lines)
        yield lines[-1], first, second, label


def _json(path: Path, gold: str) -> Iterator[Fields]:
    for number, (where, row) in enumerate(json_rows(path)):
        texts = row.get("sentence1"), row.get("sentence2")
        if gold not in row or not all(map(is_text, texts)):
            raise TableError(
                f"{where}: the line is not a JSON object with the texts sentence1 and sentence2, and "
                f"{gold}. {AGAIN}"
            )
        yield Line(where, number, []), *texts, str(row[gold])  # type: ignore[misc]


def _table_rows(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    for line in user_pairs(folder / split.file):
        yield line, *line.fields  # type: ignore[misc]


def _esci(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Join queries with their products' titles, the larger version of both languages.

    Shopping Queries, Reddy et al. 2022.  Both files are in memory, without their other columns: 1.4 million
    pairs of 1.2 million products took 1.6 GB.
    """
    language: dict[str, str | int] = {"product_locale": task.removeprefix("esci_")}
    _, ids, names = parquet_columns(folder / ESCI_FILES[1], ["product_id", "product_title"], AGAIN, language)
    titles = dict(zip(ids, names, strict=True))
    path = folder / split.file
    marks = language | {"large_version": 1, "split": split.part}
    columns = parquet_columns(path, ["query", "product_id", "esci_label"], AGAIN, marks)
    for number, query, product, label in zip(*columns, strict=True):
        line = Line(f"{path}, row {number}", number, [])
        if product not in titles:
            raise TableError(
                f"{line.where}: the product {product} does not occur in {ESCI_FILES[1]}. Download "
                "both files again."
            )
        yield line, query, titles[product], ESCI_LABELS.get(label, label)


def _qqp(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read Kaggle's comma-separated values with quotation marks, or GLUE's tab-separated ones without.

    GLUE's lines that lack columns are left out and counted: they are parts of questions with line breaks.
    """
    path = folder / split.file
    lines = csv_rows(path) if path.suffix == ".csv" else text_lines(path)
    need_header(path, lines, QQP_HEADER)
    broken = 0
    for line in lines:
        if len(line.fields) == len(QQP_HEADER):
            yield line, *line.fields[3:]  # type: ignore[misc]
        else:
            broken += 1
    if broken:
        logger.warning(
            "%s: %d lines with another number of columns are skipped. GLUE's file has such lines, so no "
            "action is needed",
            path,
            broken,
        )


PAWS = Columns((1, 2, 3), PAWS_HEADER, header=True)


def _paws_qqp(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read PAWS's columns; a text may be a Python bytes literal, `b'...'`."""
    for line, first, second, label in PAWS(folder, split, task):
        yield line, _unwrapped(first, line), _unwrapped(second, line), label


def _unwrapped(text: str, line: Line) -> str:
    if not text.startswith(BYTES):
        return text
    try:
        return ast.literal_eval(text).decode()
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:  # of what nests deep
        raise TableError(
            f"{line.where}: {shown(text)} is not a text in the form of Python bytes "
            f"({cut(str(error))}). {AGAIN}"
        ) from error


def _pawsx(folder: Path, split: SplitFile, task: Task) -> Iterator[Fields]:
    """Read the release, whose first line names the columns, or XTREME's form without header and id."""
    xtreme = split.file.startswith("dev-")
    for line in text_lines(folder / split.file):
        need_columns(line, (3 if xtreme else 4,), "id (not in XTREME's form), sentence 1, sentence 2, label")
        if line.number or xtreme:
            yield line, *line.fields[-3:]  # type: ignore[misc]


SPLITS = {"train": "train", "dev": "dev", "test": "test"}
DEV_OF_TRAIN = SPLITS | {"dev": "train"}  # see `held_out`


class Format(NamedTuple):
    """The files of a kind of set, and what reads them."""

    files: str  # {0}: what a split is called there, {1}: name of the folder
    read: Reader
    parts: Mapping[str, str] = SPLITS  # what our splits are called there
    every_pair: bool = False  # has both texts: one without is refused, not left out
    spaces: bool = False  # those within texts stay as they are


BUNDLED = ["sentence 1", "sentence 2", "label"]
CNSD = ["id", "sentence 1", "sentence 2", "score"]
SICK = {"train": "train", "dev": "trial", "test": "test_annotated"}
STSB = ["genre", "file", "year", "index", "score", "sentence 1", "sentence 2"]

FORMATS: dict[str, Format] = {
    # Some rows of STS-B name two sources.
    "stsb": Format("sts-{0}.csv", Columns((5, 6, 4), STSB, counts=(7, 9)), every_pair=True),
    "sick": Format("SICK_{0}.txt", _sick, SICK, every_pair=True),
    "sick_train": Format("SICK_{0}.txt", _sick_train, {"test": SICK["train"]}, every_pair=True),
    "pairs": Format("{0}.csv", _table_rows, {"dev": "dev", "test": "test"}, every_pair=True, spaces=True),
    "graded": Format("{0}.csv", _table_rows, {"dev": "dev", "test": "test"}, every_pair=True, spaces=True),
    "esci": Format(ESCI_FILES[0], _esci, DEV_OF_TRAIN),
    "snli": Format("s1.{0}", _snli),
    "paws": Format("{0}.tsv", PAWS),
    # The paper's test pairs are those of the official validation; a test file came later.
    "jglue": Format(
        "{0}-v1.3.json",
        lambda folder, split, task: _json(folder / split.file, "label"),
        DEV_OF_TRAIN | {"test": "valid"},
    ),
    # Its `train.tsv` has no relatedness scores, and other pairs under the same ids.
    "jsick": Format("jsick.tsv", _jsick, SPLITS | {"dev": "trial"}),
    "mrpc": Format("msr_paraphrase_{0}.txt", Columns((3, 4, 0), MRPC_HEADER, header=True), DEV_OF_TRAIN),
    "qqp": Format("{0}.tsv", _qqp, DEV_OF_TRAIN | {"test": "dev"}),
    "paws_qqp": Format("dev_and_test.tsv", _paws_qqp, {"dev": "", "test": ""}),
    "senteval_cn": Format("{1}.{0}.data", Columns((0, 1, 2), BUNDLED), SPLITS | {"dev": "valid"}),
    "atec": Format("atec_nlp_sim_{0}.csv", Columns((1, 2, 3), ["number", *BUNDLED]), {"train": "train"}),
    "bq": Format("{0}.csv", Columns((0, 1, 2), BQ_HEADER, header=True, quoted=True)),
    "cnsd": Format("cnsd-sts-{0}.txt", Columns((1, 2, 3), CNSD, separator="||")),
    "pawsx": Format("{0}.tsv", _pawsx, {"train": "translated_train", "dev": "dev_2k", "test": "test_2k"}),
    "pawsx_dev": Format("{0}.tsv", _pawsx, {"test": "dev_2k"}),
}


def split_files(kind: str, folder: Path, task: Task) -> dict[str, SplitFile]:
    """Return where each split of a distribution is; `held_out` divides a file that two splits share."""
    files, _, parts, *_ = FORMATS[kind]
    if kind == "sick" and task != "sickr" and (folder / SICK_RELEASE).is_file():
        files = SICK_RELEASE
    if kind == "snli" and any(folder.glob(SNLI_RELEASE.format("*"))):
        files = SNLI_RELEASE
    files_of = {}
    for split, part in parts.items():
        names = [*_preferred(kind, folder, part, task), files.format(part, folder.name)]
        name = next((name for name in names if (folder / name).is_file()), names[-1])
        files_of[split] = SplitFile(name, part)
    return files_of


def _preferred(kind: str, folder: Path, part: str, task: Task) -> list[str]:
    """Return further names of a file, best first."""
    if kind == "jglue":  # the newest version
        return sorted((path.name for path in folder.glob(f"{part}-v*.json")), reverse=True)
    if kind == "qqp" and part == "train":
        return ["train.tsv", *QQP_CSV]
    # XTREME's copy names the language; its test file has no labels, so only its dev file is read.
    language = task.removeprefix("pawsx_").removesuffix("_dev")
    return [f"dev-{language}.tsv"] if part == "dev_2k" else []


def scored_pairs(kind: str, folder: Path, split: SplitFile, task: Task) -> list[Pair]:
    """Return the scored pairs of a split; raise a TableError if a column is missing or a line malformed."""
    _, read, _, every_pair, spaces = FORMATS[kind]
    rows = read(folder, split, task)
    return usable_pairs(rows, str(folder / split.file), task, every_pair, spaces)[0]


def usable_pairs(
    rows: Iterable[Fields], name: str, task: Task, every_pair: bool, spaces: bool = False
) -> tuple[list[Pair], int]:
    """Return the pairs that have two texts and a label, and how many have not, which the log says.

    Sentences that are the placeholder `NS` are counted and kept, as is usual in evaluations on these files.
    Raises TableError if a score is off the scale, or a text of a set with `every_pair` is empty.
    """
    about, pairs, skipped = TASKS[task], [], 0
    stripped = spaces or (not every_pair and LANGUAGES.get(about.suite, "en") != "en")
    for line, *both, label in rows:
        first, second = (text.strip(ENDS) if stripped else spaced(text) for text in both)
        if every_pair and not (first and second):
            merged = " Of merged cells, only the first contains the text." * (".xlsx" in line.where)
            raise TableError(f"{line.where}: a sentence is empty. Fill it in, or delete the line.{merged}")
        unlabelled = not every_pair and label.strip() in UNLABELLED and not about.labels
        if unlabelled or not first or not second:
            skipped += 1
        else:
            pairs.append((line.number, first, second, score_of(label, line, task)))
    if skipped:
        logger.warning(
            "%s: %d pairs without a label or a text are skipped. Published sets have such pairs, so no "
            "action is needed",
            name,
            skipped,
        )
    if placeholders := sum(pair[1:3].count(PLACEHOLDER) for pair in pairs):
        logger.warning(
            "%s: %d sentences are the placeholder %s of the published set. They are kept, as usual, so no "
            "action is needed",
            name,
            placeholders,
            PLACEHOLDER,
        )
    return pairs, skipped


def score_of(text: str, line: Line, task: Task) -> float:
    """Read a gold score and refuse one that is off the scale of its set.

    A class is a whole number or a name, `entailment` or `ENTAILMENT`.
    """
    about = TASKS[task]
    names = CLASS_NAMES.get(about.classes, ())
    if text.strip().lower() in names:
        return float(names.index(text.strip().lower()))
    value = number_in(text)
    low, high = max(about.low, -LARGEST), min(about.high, LARGEST)
    if not low <= value <= high or (about.classes and value % 1):
        number = "whole number" if about.classes else "number"
        ends = f" from {low:g} to {high:g}" if math.isfinite(about.high) or math.isfinite(value) else ""
        allowed = ", ".join((*names, f"a {number}{ends}"))
        raise TableError(
            f"{line.where}: the score is {shown(text)}, but {allowed} is expected. "
            f"Correct the line{'' if math.isinf(about.high) else ', or download the file again'}."
        )
    return value


def as_benchmark(pairs: Sequence[Pair], task: Task, form: TextForm, split: str, subset: str) -> pd.DataFrame:
    """Return pairs as rows of a BENCHMARK table."""
    about = {"task": task, "form": form, "split": split, "subset": subset}
    rows = pd.DataFrame(pairs, columns=["row", "sentence1", "sentence2", "score"])
    return rows.assign(**about)[BENCHMARK.columns]
