"""Sets of sentence pairs that encoders are fine-tuned on, as they were released.  PPDB-CSE, tables 1 and 2.

STS-B and SICK in English, Shopping Queries, SNLI, PAWS, and the Japanese JSTS, JNLI and JSICK; PAWS-X is in
`chinese`.  English texts get one space between words; Japanese ones are only stripped at their ends.
"""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import TableError
from contrapose.retrieve.lines import (
    PAWS_HEADER,
    Fields,
    Line,
    Pair,
    Place,
    below_header,
    is_text,
    json_object,
    need_columns,
    parallel_lines,
    score_of,
    spaced,
    stripped,
    text_lines,
    text_pair,
    usable,
)
from contrapose.tasks import ESCI_CLASSES, TASKS, Task

logger = logging.getLogger(__name__)

STSB_FILES = {"train": "sts-train.csv", "dev": "sts-dev.csv", "test": "sts-test.csv"}
STSB_COLUMNS = (7, 9)  # genre, file, year, index, score, sentence 1, sentence 2; some rows name two sources
SICK_FILES = {"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}
SICK_RELEASE = "SICK.txt"  # from Zenodo: the 9,927 pairs of SemEval except 87, in one file
SICK_PARTS = {"train": "TRAIN", "dev": "TRIAL", "test": "TEST"}
ESCI_FILES = ("shopping_queries_dataset_examples.parquet", "shopping_queries_dataset_products.parquet")
ESCI_LABELS = {name[0].upper(): name for name in ESCI_CLASSES}
JSICK_PARTS = {"train": "train", "dev": "trial", "test": "test"}
# Its `train.tsv` has no relatedness scores, and other pairs under the same ids.
JSICK_FILE = "jsick.tsv"


def pair_task_places(kind: str, folder: Path, task: Task) -> dict[str, Place]:
    """Return where each split of a distribution is; `paraphrase.of_split` divides shared places."""
    if kind == "stsb":
        return {split: Place(name) for split, name in STSB_FILES.items()}
    if kind == "sick":
        if task != "sickr" and (folder / SICK_RELEASE).is_file():
            return {split: Place(SICK_RELEASE, part) for split, part in SICK_PARTS.items()}
        return {split: Place(name) for split, name in SICK_FILES.items()}
    if kind == "esci":
        train = Place(ESCI_FILES[0], "train")
        return {"train": train, "dev": train, "test": Place(ESCI_FILES[0], "test")}
    if kind == "jsick":
        return {split: Place(JSICK_FILE, part) for split, part in JSICK_PARTS.items()}
    if kind == "jglue":
        train = Place(_newest(folder, "train"))
        # The paper's test pairs are those of the official validation; a test file came later.
        return {"train": train, "dev": train, "test": Place(_newest(folder, "valid"))}
    if kind == "snli":
        lines = {split: Place(f"snli_1.0_{split}.jsonl") for split in ("train", "dev", "test")}
        columns = {split: Place(f"s1.{split}") for split in lines}
        return lines if any((folder / place.file).is_file() for place in lines.values()) else columns
    return {split: Place(f"{split}.tsv") for split in ("train", "dev", "test")}


def _newest(folder: Path, part: str) -> str:
    """Return the newest version of a JGLUE file in the folder, such as `train-v1.3.json`."""
    return max((path.name for path in folder.glob(f"{part}-v*.json")), default=f"{part}-v1.3.json")


def pair_task_pairs(kind: str, folder: Path, place: Place, task: Task) -> Iterator[Pair]:
    """Yield the scored pairs of a place.

    Pairs without a text or without a label are left out and counted in the log; in STS-B and SICK every pair
    has both.  Raises TableError if a file lacks a column, a line is malformed, or a score is off the scale.
    """
    left_out = 0
    japanese = TASKS[task].suite == "pair_tasks_japanese"
    for line, first, second, label in READERS[kind](folder, place, task):
        if kind in ("stsb", "sick"):
            texts = text_pair((first, second), line)
        else:
            texts = stripped(first, second) if japanese else (spaced(first), spaced(second))
        if usable(texts, label):
            yield line.number, *texts, score_of(label, line, task)
        else:
            left_out += 1
    if left_out:
        logger.warning("%s: %d pairs without a label or a text left out", folder / place.file, left_out)


def _stsb(folder: Path, place: Place, _: Task) -> Iterator[Fields]:
    """Read tab-separated lines without a header; quotation marks mean nothing."""
    for line in text_lines(folder / place.file):
        need_columns(line, STSB_COLUMNS, "genre, file, year, index, score, sentence 1, sentence 2")
        yield line, line.fields[5], line.fields[6], line.fields[4]


def _sick(folder: Path, place: Place, task: Task) -> Iterator[Fields]:
    """Read SemEval's files or the release, which have different names for the entailment column."""
    entailment = "entailment_label" if place.part else "entailment_judgment"
    gold = entailment if TASKS[task].classes else "relatedness_score"
    yield from _named(folder / place.file, ["sentence_A", "sentence_B", gold], "SemEval_set", place.part)


def _jsick(folder: Path, place: Place, task: Task) -> Iterator[Fields]:
    gold = "entailment_label_Ja" if TASKS[task].classes else "relatedness_score_Ja"
    yield from _named(folder / place.file, ["sentence_A_Ja", "sentence_B_Ja", gold], "data", place.part)


def _named(path: Path, names: list[str], mark: str, part: str) -> Iterator[Fields]:
    """Read the tab-separated rows whose column `mark` is `part`.  The header does not count as a row."""
    lines = text_lines(path)
    header = next(lines, Line(str(path), 0, []))
    wanted = [*names, mark] if part else names
    lacking = [name for name in wanted if name not in header.fields]
    if lacking:
        raise TableError(
            f"{header.where}: the header lacks {lacking}, it is {header.fields}. Fetch the file again."
        )
    columns = [header.fields.index(name) for name in wanted]
    for line in lines:
        need_columns(line, (len(header.fields),), ", ".join(header.fields))
        first, second, label, *mine = (line.fields[column] for column in columns)
        if mine == [part] * bool(part):
            yield line._replace(number=line.number - 1), first, second, label


def _esci(folder: Path, place: Place, task: Task) -> Iterator[Fields]:
    """Join queries with their products' titles, the larger version of both languages.  Reddy et al. 2022.

    The titles of a language are in memory, the examples streamed.  Files of the English release's size, 1.8
    million pairs of 1.2 million products, took 40 s and 1.6 GB, from here to the written table.
    """
    locale = task.removeprefix("esci_")
    titles: dict[str, str] = {}
    marks: dict[str, str | int] = {"product_locale": locale}
    for _, ids, found in _columns(folder / ESCI_FILES[1], ["product_id", "product_title"], marks):
        titles |= zip(ids, found, strict=True)
    marks = {"product_locale": locale, "large_version": 1, "split": place.part}
    path = folder / place.file
    for rows, *columns in _columns(path, ["query", "product_id", "esci_label"], marks):
        for number, query, product, label in zip(rows, *columns, strict=True):
            line = Line(f"{path}, row {number}", number, [])
            if product not in titles:
                raise TableError(
                    f"{line.where}: product {product} is not in {ESCI_FILES[1]}. Fetch both files again."
                )
            yield line, query, titles[product], ESCI_LABELS.get(label, label)


def _columns(path: Path, names: list[str], marks: dict[str, str | int]) -> Iterator[list[list]]:
    """Yield row numbers and columns of a Parquet file, batch by batch, of rows that match all of `marks`."""
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            found = file.schema_arrow
            lacking = [name for name in (*names, *marks) if name not in found.names]
            if lacking:
                raise TableError(f"{path}: lacks columns {lacking}. Fetch the file again.")
            for name in names:
                kind = found.field(name).type
                if kind not in (pa.string(), pa.large_string()):
                    raise TableError(f"{path}: column {name} is {kind}, expected text. Fetch the file again.")
            start = 0
            for batch in file.iter_batches(columns=[*names, *marks]):
                yield _marked(batch, names, marks, start)
                start += len(batch)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: cannot be read ({error}). Fetch the file again.") from error


def _marked(batch: pa.RecordBatch, names: list[str], marks: dict[str, str | int], start: int) -> list[list]:
    """Return row numbers and columns of the rows that match all of `marks`; a missing text is empty."""
    taken = None
    for name, value in marks.items():
        same = pc.equal(batch[name], value)
        taken = same if taken is None else pc.and_(taken, same)
    rows = pc.indices_nonzero(taken)
    found = batch.take(rows)
    texts = (pc.fill_null(found[name], "").to_pylist() for name in names)
    return [pc.add(rows, start).to_pylist(), *texts]


def _snli(folder: Path, place: Place, _: Task) -> Iterator[Fields]:
    """Read JSON lines as released, or SentEval's three parallel files."""
    if place.file.endswith(".jsonl"):
        yield from _json(folder / place.file, "gold_label")
        return
    split = place.file.removeprefix("s1.")
    for lines in parallel_lines([folder / f"{part}.{split}" for part in ("s1", "s2", "labels")]):
        first, second, label = ("\t".join(line.fields) for line in lines)
        yield lines[-1], first, second, label


def _jglue(folder: Path, place: Place, _: Task) -> Iterator[Fields]:
    yield from _json(folder / place.file, "label")


def _json(path: Path, gold: str) -> Iterator[Fields]:
    """Read one JSON object per line."""
    for line in text_lines(path):
        row = json_object(line)
        texts = row.get("sentence1"), row.get("sentence2")
        if gold not in row or not all(map(is_text, texts)):
            raise TableError(
                f"{line.where}: is not a JSON object with the texts sentence1 and sentence2, and {gold}. "
                "Fetch the file again."
            )
        yield line, *texts, str(row[gold])  # type: ignore[misc]


def _paws(folder: Path, place: Place, _: Task) -> Iterator[Fields]:
    """Read tab-separated lines with a header; quotation marks mean nothing."""
    path = folder / place.file
    for line in below_header(path, text_lines(path), PAWS_HEADER):
        yield line, *line.fields[1:]  # type: ignore[misc]


READERS: dict[str, Callable[[Path, Place, Task], Iterator[Fields]]] = {
    "stsb": _stsb,
    "sick": _sick,
    "esci": _esci,
    "snli": _snli,
    "paws": _paws,
    "jglue": _jglue,
    "jsick": _jsick,
}
