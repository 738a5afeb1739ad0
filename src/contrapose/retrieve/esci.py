"""Shopping Queries, Reddy et al. 2022: queries, joined with the titles of products."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import TableError
from contrapose.retrieve.lines import Fields, Line, Place
from contrapose.tasks import ESCI_CLASSES, Task

FILES = ("shopping_queries_dataset_examples.parquet", "shopping_queries_dataset_products.parquet")
LABELS = {name[0].upper(): name for name in ESCI_CLASSES}


def labelled_queries(folder: Path, place: Place, task: Task) -> Iterator[Fields]:
    """Join queries with their products' titles, the larger version of both languages.

    The titles of a language are in memory, the examples streamed.  Files of the English release's size, 1.8
    million pairs of 1.2 million products, took 40 s and 1.6 GB, from here to the written table.
    """
    language: dict[str, str | int] = {"product_locale": task.removeprefix("esci_")}
    titles: dict[str, str] = {}
    for _, ids, found in _columns(folder / FILES[1], ["product_id", "product_title"], language):
        titles |= zip(ids, found, strict=True)
    marks = language | {"large_version": 1, "split": place.part}
    path = folder / place.file
    for rows, *columns in _columns(path, ["query", "product_id", "esci_label"], marks):
        for number, query, product, label in zip(rows, *columns, strict=True):
            line = Line(f"{path}, row {number}", number, [])
            if product not in titles:
                raise TableError(
                    f"{line.where}: product {product} is not in {FILES[1]}. Fetch both files again."
                )
            yield line, query, titles[product], LABELS.get(label, label)


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
