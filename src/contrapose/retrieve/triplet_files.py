"""NLI triplets: a premise, a sentence that follows from it, and one that contradicts it.

File formats: SimCSE's CSV, which has such triplets, or pairs alone; SentEval's SNLI and JSNLI, of labelled
pairs; those that sentence-transformers and FlagEmbedding train on.
"""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import pandas as pd
from pydantic import Field, RootModel

from contrapose.base.errors import AGAIN, TableError, shown
from contrapose.base.tasks import NLI_CLASSES
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.data_files import TextFile
from contrapose.retrieve.lines import (
    Fields,
    Line,
    Row,
    is_text,
    json_rows,
    need_columns,
    parallel_lines,
    parquet_rows,
    spaced,
    text_lines,
)
from contrapose.retrieve.user_tables import user_rows
from contrapose.settings.hub import LANGUAGE, HubFile
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Language, PathText, Split
from contrapose.tables import TRIPLETS

logger = logging.getLogger(__name__)

SIMCSE_NAMES, HARD_NEGATIVE = ("sent0", "sent1"), "hard_neg"  # as SimCSE's train.py takes them
SIMCSE_ADVICE = (
    f"The first line must name the columns: {', '.join(SIMCSE_NAMES)}, and {HARD_NEGATIVE} if there is one."
)
# sentence-transformers 6.2, base/data_collator.py: the first of these is the label, and a column that looks
# like an id is trained on as text.
LABELS = ("label", "labels", "score", "scores")
IDS = ("_id", "_ids", "_idx")
# FlagEmbedding, AbsDataset.py: the keys of a line. Others, such as prompt and type, have no column in ours.
QUERY, POSITIVES, NEGATIVES, NEGATIVE_SCORES = "query", "pos", "neg", "neg_scores"


class PairFile(TextFile):
    """These are pairs, with or without hard negatives, in a file format of SimCSE or of a library."""

    kind: Literal["simcse", "sentence-transformers", "flag-embedding"] = Field(
        description="This is the format. `simcse` is CSV with the header `sent0,sent1` or "
        "`sent0,sent1,hard_neg`. `sentence-transformers` is Parquet or JSON Lines with the "
        "columns anchor, positive and hard negatives in this order, and perhaps a column "
        "`score`. `flag-embedding` is JSON Lines with query, pos, neg and neg_scores."
    )
    language: Language = LANGUAGE


class SNLITriples(TextFile):
    """Labelled pairs in SentEval's format of SNLI, three parallel files, are combined to triplets."""

    kind: Literal["snli"]
    language: ClassVar[Language] = "english"
    path: PathText = Field(description="This is a folder below the data folder.")
    split: Split = Field("train", description="The triplets are made of this split.")

    @property
    def files(self) -> list[str]:
        return [f"{self.path}/{part}.{self.split}" for part in ("s1", "s2", "labels")]


class JSNLITriples(TextFile):
    """Labelled pairs in the tab-separated format of JSNLI are combined to triplets."""

    kind: Literal["jsnli"]
    language: ClassVar[Language] = "japanese"


TripletSource = Annotated[PairFile | SNLITriples | JSNLITriples | HubFile, Field(discriminator="kind")]
Triplets = RootModel[TripletSource]


class Triplet(NamedTuple):
    """A row of TRIPLETS, in the order of its columns."""

    id: str
    slot: int
    premise: str
    entailment: str
    negatives: list[str]
    negative_scores: list[float] = []  # noqa: RUF012 - never changed
    label: float = math.nan


@planned
def plan(project: Plan, source: str) -> Triplets:
    """Return a file of triplets, without the note, which changes no triplet."""
    return Triplets(project.entry("triplet_files", source).model_copy(update={"note": ""}))


def build(spec: Triplets, data: DataFolder) -> Annotated[pd.DataFrame, Rows(TRIPLETS)]:
    """Read NLI triplets."""
    return read_triplets(spec.root, data)


def read_triplets(source: TripletSource, data: Path | None) -> pd.DataFrame:
    """Read NLI triplets in the order of their distribution files.

    A file of the hub, or below the project, needs no data folder.  Raises TableError or BackendError if a
    file cannot be read or fetched, a row is malformed, or there is no triplet.
    """
    files = source.located(data)
    triplets = READERS[source.kind](*files)
    if not triplets:
        raise TableError(f"{files[0]}: the file contains no triplet. {AGAIN}")
    source.check_rows(len(triplets))
    return pd.DataFrame(triplets, columns=TRIPLETS.columns)


def simcse_triplets(path: Path) -> list[Triplet]:
    """Read a CSV file of triplets, header `sent0,sent1,hard_neg`, or of pairs, `sent0,sent1`.

    Pairs have no negative; errors as of `simcse_rows`.
    """
    triplets = [
        Triplet(str(line.number), 0, line.fields[0], line.fields[1], line.fields[2:])
        for line in simcse_rows(path)
    ]
    logger.info("%s: %d triplets", path, len(triplets))
    if blank := sum(not (first.strip() and second.strip()) for _, _, first, second, *_ in triplets):
        logger.warning(
            "%s: %d of them have an empty sent0 or sent1, and are trained on. If you do not want this, "
            "delete these rows",
            path,
            blank,
        )
    return triplets


def simcse_rows(path: Path, separator: str = ",") -> Iterator[Line]:
    """Yield the rows of a table of triplets or pairs.

    Errors as of `user_rows`, and for an empty hard negative, which would be trained on as a text.
    """
    for line in user_rows(path, SIMCSE_NAMES, SIMCSE_ADVICE, separator, [HARD_NEGATIVE]):
        if not all(map(str.strip, line.fields[2:])):
            raise TableError(
                f"{line.where}: {HARD_NEGATIVE} is empty. Fill it in on every row, or remove the column."
            )
        yield line


def snli_pairs(*files: Path) -> Iterator[Fields]:
    """Read SNLI as SentEval has it: parallel files, line by line, of premises, hypotheses and labels.

    White space becomes one space between words, as in SentEval: in the files every sentence ends in a space.
    """
    for lines in parallel_lines(files):
        premise, hypothesis, label = (spaced(" ".join(line.fields)) for line in lines)
        yield lines[-1], premise, hypothesis, label


def jsnli_pairs(file: Path) -> Iterator[Fields]:
    """Read JSNLI: tab-separated lines of label, premise and hypothesis, with blanks between Japanese words.

    The blanks are removed, also between words of another script, as they cannot be told apart.
    """
    for line in text_lines(file):
        need_columns(line, (3,), "label, premise, hypothesis")
        label, premise, hypothesis = ("".join(field.split()) for field in line.fields)
        yield line, premise, hypothesis, label


def paired_triplets(pairs: Iterable[Fields]) -> list[Triplet]:
    """Put labelled pairs together as triplets, one for each premise that has both kinds.

    A premise with several entailments or contradictions gives one triplet, with the first of each: SimCSE
    also keeps one of several contradictions, at random (a footnote in section 4).  Premises that lack one of
    the kinds are left out, as in its file (issue 238 of its repository).
    """
    first_line: dict[str, int] = {}  # of each premise
    hypotheses: dict[str, dict[str, str]] = {}  # premise: label: the first of its hypotheses
    count = 0
    for line, premise, hypothesis, label in pairs:
        count += 1
        if label not in NLI_CLASSES:
            raise TableError(
                f"{line.where}: the label is {shown(label)}, but {', '.join(NLI_CLASSES)} is "
                f"expected. {AGAIN}"
            )
        first_line.setdefault(premise, line.number)
        hypotheses.setdefault(premise, {}).setdefault(label, hypothesis)
    triplets = [
        Triplet(str(first_line[premise]), 0, premise, kinds["entailment"], [kinds["contradiction"]])
        for premise, kinds in hypotheses.items()
        if {"entailment", "contradiction"} <= kinds.keys()
    ]
    logger.info(
        "%d pairs of %d premises; %d of these have an entailment and a contradiction",
        count,
        len(hypotheses),
        len(triplets),
    )
    return triplets


def column_triplets(path: Path) -> list[Triplet]:
    """Read rows of a Parquet file (suffix `.parquet`) or of a JSON Lines file.

    As in sentence-transformers, the order of the columns counts, not their names: anchor, positive, then hard
    negatives; a column named like a label may be anywhere.  A missing negative is skipped.  Raises TableError
    if the file cannot be read, has fewer than two columns of text or one that looks like an id, or a value is
    not text, or a label is not in [-1, 1].
    """
    records = list(_rows(path))
    names = list(dict.fromkeys(name for _, row in records for name in row))
    score = next((name for name in LABELS if name in names), None)
    texts = [name for name in names if name != score]
    if ids := [name for name in texts if name == "id" or name.endswith(IDS)]:
        raise TableError(f"{path}: the column {ids[0]} seems to hold ids, not text. Remove it.")
    if records and len(texts) < 2:
        raise TableError(
            f"{path}: the columns are {names}, but at least an anchor and a positive are expected."
        )
    triplets = []
    for number, (where, row) in enumerate(records):
        needed = [name for place, name in enumerate(texts) if place < 2 or row.get(name) is not None]
        anchor, positive, *negatives = (_text(row.get(name), f"{where}: {name}") for name in needed)
        label = _label(row.get(score), f"{where}: {score}") if score else math.nan
        triplets.append(Triplet(str(number), 0, anchor, positive, negatives, label=label))
    logger.info("%s: %d pairs", path, len(triplets))
    return triplets


def query_triplets(path: Path) -> list[Triplet]:
    """Read FlagEmbedding's JSON Lines: a query with its positives and hard negatives, optionally with scores.

    FlagEmbedding draws one positive of a query in each epoch; here they take turns, one per slot.  The query
    with the most positives sets the number of slots; the other queries start again with their first.  Raises
    TableError if the file cannot be read, a line is not such an object, has no positive, or has different
    numbers of negatives and of their scores.
    """
    lines, ignored = [], Counter[str]()
    for where, row in _rows(path):
        for name, default in ((QUERY, None), (POSITIVES, None), (NEGATIVES, [])):
            value = row.get(name, default)
            texts = [value] if name == QUERY else value
            if not isinstance(texts, list) or (name == POSITIVES and not texts):
                raise TableError(
                    f"{where}: {name} is {shown(value)}, but a list of texts is expected. Correct the file."
                )
            for text in texts:
                _text(text, f"{where}: {name}")
        hard, scores = row.get(NEGATIVES, []), row.get(NEGATIVE_SCORES) or []
        if not isinstance(scores, list) or len(scores) not in (0, len(hard)):
            raise TableError(
                f"{where}: {NEGATIVE_SCORES} is {shown(scores)}, but {len(hard)} numbers are expected. "
                "Correct the file."
            )
        scores = [_number(score, f"{where}: {NEGATIVE_SCORES}") for score in scores]
        lines.append((row[QUERY], row[POSITIVES], hard, scores))
        ignored.update(row.keys() - {QUERY, POSITIVES, NEGATIVES, NEGATIVE_SCORES})
    slots = max((len(positives) for _, positives, _, _ in lines), default=0)
    fewer = sum(len(positives) < slots for _, positives, _, _ in lines)
    logger.info("%s: %d queries, %d slots; %d queries have fewer positives", path, len(lines), slots, fewer)
    for name, count in sorted(ignored.items()):
        logger.warning("%s: %d lines have %s, which is not used", path, count, name)
    return [
        Triplet(str(number), slot, query, positives[slot % len(positives)], hard, scores)
        for slot in range(slots)
        for number, (query, positives, hard, scores) in enumerate(lines)
    ]


def _rows(path: Path) -> Iterator[Row]:
    return parquet_rows(path) if path.suffix == ".parquet" else json_rows(path)


def _text(value: object, where: str) -> str:
    if not is_text(value) or "\0" in value:
        raise TableError(f"{where} is {shown(value)}, but a text without NUL is expected. Correct the file.")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TableError(f"{where} is {shown(value)}, but a number is expected. Correct the file.")
    return float(value)


def _label(value: object, where: str) -> float:
    label = _number(value, where)
    if not -1 <= label <= 1:
        raise TableError(
            f"{where} is {label:g}, but the target cosine of both texts is expected, from -1 to 1. "
            "Divide scores by the maximum of their scale."
        )
    return label


READERS: dict[str, Callable[..., list[Triplet]]] = {
    "simcse": simcse_triplets,
    "hub": simcse_triplets,
    "snli": lambda *files: paired_triplets(snli_pairs(*files)),
    "jsnli": lambda file: paired_triplets(jsnli_pairs(file)),
    "sentence-transformers": column_triplets,
    "flag-embedding": query_triplets,
}
