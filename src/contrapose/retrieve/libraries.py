"""Pairs in the files that sentence-transformers and FlagEmbedding train on."""

import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.errors import TableError, shown
from contrapose.retrieve.lines import is_text, json_object, text_lines

logger = logging.getLogger(__name__)

# sentence-transformers 6.2, base/data_collator.py: the first of these is the label, and a column that looks
# like an id is trained on as text.
LABELS = ("label", "labels", "score", "scores")
IDS = ("_id", "_ids", "_idx")
# FlagEmbedding, AbsDataset.py: the keys of a line. Others, such as prompt and type, have no column in ours.
QUERY, POSITIVES, NEGATIVES, NEGATIVE_SCORES = "query", "pos", "neg", "neg_scores"


class Triple(NamedTuple):
    """A row of TRIPLES, in the order of its columns."""

    id: str
    slot: int
    premise: str
    entailment: str
    negatives: list[str]
    negative_scores: list[float] = []  # noqa: RUF012 - never changed
    label: float = math.nan


def column_triples(path: Path) -> list[Triple]:
    """Read rows of a Parquet file (suffix `.parquet`) or of a JSON Lines file.

    As in sentence-transformers, the order of the columns counts, not their names: anchor, positive, then hard
    negatives; a column named like a label may be anywhere.  A missing negative is skipped.  Raises TableError
    if the file cannot be read, has fewer than two columns of text or one that looks like an id, or a value is
    not text, or a label is not in [-1, 1].
    """
    records = list(_records(path))
    names = list(dict.fromkeys(name for _, row in records for name in row))
    score = next((name for name in LABELS if name in names), None)
    texts = [name for name in names if name != score]
    if ids := [name for name in texts if name == "id" or name.endswith(IDS)]:
        raise TableError(f"{path}: column {ids[0]} looks like ids, not text. Remove it.")
    if records and len(texts) < 2:
        raise TableError(f"{path}: columns are {names}, expected at least an anchor and a positive.")
    triples = []
    for number, (where, row) in enumerate(records):
        needed = [name for place, name in enumerate(texts) if place < 2 or row.get(name) is not None]
        anchor, positive, *negatives = (_text(row.get(name), f"{where}: {name}") for name in needed)
        label = _label(row.get(score), f"{where}: {score}") if score else math.nan
        triples.append(Triple(str(number), 0, anchor, positive, negatives, label=label))
    logger.info("%s: %d pairs", path, len(triples))
    return triples


def query_triples(path: Path) -> list[Triple]:
    """Read FlagEmbedding's JSON Lines: a query with its positives and hard negatives, optionally with scores.

    FlagEmbedding draws one positive of a query in each epoch; here they take turns, one per slot.  The query
    with the most positives sets the number of slots; the other queries start again with their first.  Raises
    TableError if the file cannot be read, a line is not such an object, has no positive, or has different
    numbers of negatives and of their scores.
    """
    lines, ignored = [], dict[str, int]()
    for where, row in _records(path):
        for name, default in ((QUERY, None), (POSITIVES, None), (NEGATIVES, [])):
            value = row.get(name, default)
            texts = [value] if name == QUERY else value
            if not isinstance(texts, list) or (name == POSITIVES and not texts):
                raise TableError(f"{where}: {name} is {shown(value)}, expected a list of texts.")
            for text in texts:
                _text(text, f"{where}: {name}")
        hard, scores = row.get(NEGATIVES, []), row.get(NEGATIVE_SCORES) or []
        if not isinstance(scores, list) or len(scores) not in (0, len(hard)):
            raise TableError(f"{where}: {NEGATIVE_SCORES} is {shown(scores)}, expected {len(hard)} numbers.")
        scores = [_number(score, f"{where}: {NEGATIVE_SCORES}") for score in scores]
        lines.append((row[QUERY], row[POSITIVES], hard, scores))
        for name in row.keys() - {QUERY, POSITIVES, NEGATIVES, NEGATIVE_SCORES}:
            ignored[name] = ignored.get(name, 0) + 1
    slots = max((len(positives) for _, positives, _, _ in lines), default=0)
    fewer = sum(len(positives) < slots for _, positives, _, _ in lines)
    logger.info("%s: %d queries, %d slots; %d with fewer positives", path, len(lines), slots, fewer)
    for name, count in sorted(ignored.items()):
        logger.warning("%s: %d lines have %s, which is not used", path, count, name)
    return [
        Triple(str(number), slot, query, positives[slot % len(positives)], hard, scores)
        for slot in range(slots)
        for number, (query, positives, hard, scores) in enumerate(lines)
    ]


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows, each with its place for messages."""
    if path.suffix != ".parquet":
        yield from ((line.where, json_object(line)) for line in text_lines(path))
        return
    try:
        rows = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path}: cannot be read ({error}). Fetch the file again.") from error
    yield from ((f"{path}, row {number}", row) for number, row in enumerate(rows, start=1))


def _text(value: Any, where: str) -> str:
    if not is_text(value) or "\0" in value:
        raise TableError(f"{where} holds {shown(value)}, expected text without NUL. Correct it.")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TableError(f"{where} holds {shown(value)}, expected a number. Correct it.")
    return float(value)


def _label(value: object, where: str) -> float:
    label = _number(value, where)
    if not -1 <= label <= 1:
        raise TableError(
            f"{where} holds {label:g}, expected the target cosine of both texts, from -1 to 1. Divide "
            "scores by the maximum of their scale."
        )
    return label
