"""Parquet files whose schema is known: checked reading and writing, with what a file was made from."""

import glob
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.base.directory import rebuild
from contrapose.base.errors import TableError, are_missing
from contrapose.base.orphans import end_if_replaced

ROWS_PER_GROUP = 10_000  # rows read at once when a table is streamed: some MB of text


# Types of a Table Schema, by those of Arrow without the number of bits.
FIELD_TYPES = {
    **{"string": "string", "bool": "boolean", "int": "integer", "float": "number", "double": "number"},
    "list": "array",
}
DRAFT = ".draft"  # suffix of a file or folder that is not complete yet
OF_RUST = re.compile(r"\(os error (\d+)\)")  # in the messages of its standard library
WRITTEN: dict[str, Any] = {"compression": "zstd", "write_statistics": False, "write_page_checksum": True}
FAULT = "This is a fault of Contrapose or of your module. Report it, or correct the module."
METADATA_KEY = b"contrapose"  # metadata key of the provenance, as JSON


@dataclass(frozen=True)
class Table:
    """A named schema.

    `key` columns together are unique; `nullable` columns may hold missing values, the others may not.
    `version` goes up when the meaning of a column changes.
    """

    name: str
    schema: pa.Schema
    key: tuple[str, ...]
    nullable: tuple[str, ...] = ()
    version: int = 1
    description: str = ""

    @property
    def columns(self) -> list[str]:
        """Column names in their order on disk."""
        return list(self.schema.names)


def table(
    name: str,
    key: tuple[str, ...],
    *columns: pa.Field,
    nullable: tuple[str, ...] = (),
    version: int = 1,
    description: str = "",
) -> Table:
    """Return a Table with these columns; the page of tables in docs/ shows the description."""
    return Table(name, pa.schema(columns), key, nullable, version, description)


def column(name: str, kind: pa.DataType, description: str) -> pa.Field:
    """Return a column.  Every file keeps its description, and `make publish` passes it on."""
    return pa.field(name, kind, metadata={"description": description})


def columns(*fields: pa.Field) -> pa.Schema:
    """Return the schema of a table."""
    return pa.schema(fields)


def _typed(kind: pa.DataType) -> Callable[[str, str], pa.Field]:
    return lambda name, description: column(name, kind, description)


string, boolean = map(_typed, (pa.string(), pa.bool_()))
int16, int32, int64 = map(_typed, (pa.int16(), pa.int32(), pa.int64()))
float32, float64 = map(_typed, (pa.float32(), pa.float64()))


def table_schema(table: Table) -> dict[str, list[dict[str, str]]]:
    """Return the columns as a Table Schema (datapackage.org)."""
    types = [FIELD_TYPES[str(kind).partition("<")[0].rstrip("0123456789")] for kind in table.schema.types]
    words = [field.metadata[b"description"].decode() for field in table.schema]
    columns = zip(table.columns, types, words, strict=True)
    return {"fields": [{"name": name, "type": kind, "description": text} for name, kind, text in columns]}


def draft_of(target: Path) -> Path:
    """Return where this process has a file or folder that is not whole: no reader takes it for a result."""
    return target.with_name(f".{target.name}.{socket.gethostname()}-{os.getpid()}{DRAFT}")


@contextmanager
def written(path: str | Path) -> Iterator[Path]:
    """Yield a draft path beside `path` and rename it into place at the end: all or nothing.

    The draft may be a file or a folder and replaces one of its kind.  Its name holds machine and process, so
    drafts of killed processes are removed when the same path is written again.  Raises StoppedError if a
    newer job has begun in the meantime, see `contrapose.base.orphans`, and OSError for what writers in
    Rust (of safetensors and tokenizers) raise in their own way, such as that the disk is full.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{DRAFT}"):
        if _is_over(left.name.removeprefix(f".{target.name}.").removesuffix(DRAFT)):
            _remove(left)
    draft = draft_of(target)
    try:
        yield draft
        end_if_replaced()
        if draft.is_dir() and target.is_dir():
            shutil.rmtree(target)
        os.replace(draft, target)
    except Exception as error:
        number = OF_RUST.search(str(error))
        if number is None or isinstance(error, OSError):
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1])), str(target)) from error
    finally:
        _remove(draft)


def _is_over(writer: str) -> bool:
    """Whether the writer of a draft was this process, or a process of this machine that has ended."""
    machine, _, number = writer.rpartition("-")
    if machine != socket.gethostname():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return True
    except PermissionError:  # another user's
        return False
    return int(number) == os.getpid()


def _remove(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


def read_table(path: str | Path, table: Table, columns: list[str] | None = None) -> pd.DataFrame:
    """Read a table, or some columns; a TableError if the file is missing or does not match its schema."""
    with open_table(path, table) as file:
        return file.read(columns=columns or table.columns).to_pandas()


def read_tables(paths: Iterable[str | Path], table: Table, columns: list[str] | None = None) -> pd.DataFrame:
    """Read several files of one table as one; without files, return the table without rows."""
    nothing = empty(table)[columns or table.columns]
    return pd.concat([nothing, *(read_table(path, table, columns) for path in paths)], ignore_index=True)


def count_rows(path: str | Path, table: Table) -> int:
    """Return how many rows a table has, without reading them."""
    with open_table(path, table) as file:
        return file.metadata.num_rows


def write_table(
    frame: pd.DataFrame, path: str | Path, table: Table, provenance: Mapping[str, object] | None = None
) -> None:
    """Write a whole table: checked, with its provenance, all or nothing.

    `provenance` is what the file was made from, JSON values; see `contrapose.jobs.stage.provenance`.  Raises
    TableError if a column is missing, unknown or of another type, holds missing values although it may not,
    or the key is not unique.
    """
    duplicated = frame.duplicated(list(table.key)) if set(table.key) <= set(frame.columns) else None
    if duplicated is not None and duplicated.any():
        row = frame.loc[duplicated, list(table.key)].iloc[0].to_dict()
        twice = ", ".join(f"{name} {value}" for name, value in row.items())
        raise TableError(
            f"{path}: the rows must differ in {' or '.join(table.key)}, but one occurs twice: {twice}. "
            f"{FAULT}"
        )
    with TableWriter(path, table, provenance) as writer:
        writer.write(frame)


@dataclass
class TableWriter:
    """Write a table piece by piece.  Use as a context manager; nothing is left behind on an error."""

    path: str | Path
    table: Table
    provenance: Mapping[str, object] | None = None

    def __enter__(self) -> "TableWriter":
        with ExitStack() as stack:
            draft = stack.enter_context(written(self.path))
            # Closing writes the rest, and the disk may be full: the draft is renamed only after that.
            self._writer = stack.enter_context(pq.ParquetWriter(draft, self._schema(), **WRITTEN))
            self._stack = stack.pop_all()
        return self

    def write(self, frame: pd.DataFrame) -> None:
        """Append rows, checked column by column."""
        arrays = checked_arrays(frame, self.path, self.table)
        rows = pa.Table.from_arrays(arrays, schema=self._schema())
        self._writer.write_table(rows, row_group_size=ROWS_PER_GROUP)

    def add_provenance(self, **counted: object) -> None:
        self.provenance = {**(self.provenance or {}), **counted}
        self._writer.add_key_value_metadata(self._schema().metadata)

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]

    def _schema(self) -> pa.Schema:
        described = {"table": self.table.name, "version": self.table.version, **(self.provenance or {})}
        text = json.dumps(described, sort_keys=True, ensure_ascii=False)
        return self.table.schema.with_metadata({METADATA_KEY: text.encode()})


def checked_arrays(frame: pd.DataFrame, path: str | Path, table: Table) -> list[pa.Array]:
    """Convert the columns of `frame` to the types of `table`, or say which one does not fit."""
    missing = [name for name in table.columns if name not in frame.columns]
    extra = [name for name in frame.columns if name not in table.columns]
    if missing or extra:
        said = [are_missing("column", missing)] * bool(missing) + [f"{each} is no column" for each in extra]
        raise TableError(f"{path}: {' and '.join(said)} of the table '{table.name}'. {FAULT}")
    arrays = []
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        try:
            array = pa.Array.from_pandas(frame[name], type=kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TableError(
                f"{path}: the column {name} has the type {frame[name].dtype}, but {kind} is expected "
                f"({error}). {FAULT}"
            ) from error
        if array.null_count and name not in table.nullable:
            row = frame.index[frame[name].isna()][0]
            raise TableError(f"{path}: the column {name} has no value in row {row}. {FAULT}")
        arrays.append(array)
    return arrays


def read_provenance(path: str | Path) -> dict:
    """Return what a Parquet file of ours was made from; empty for other files."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(f"{path}: the file cannot be read as Parquet ({error}). {rebuild(path)}") from error
    return json.loads(metadata.get(METADATA_KEY, b"{}"))


def change_provenance(path: str | Path, **changes: object) -> None:
    """Change the provenance in a Parquet file of ours, all or nothing; its rows stay."""
    with pq.ParquetFile(path) as source:
        text = json.dumps(read_provenance(path) | changes, sort_keys=True, ensure_ascii=False)
        schema = source.schema_arrow.with_metadata({METADATA_KEY: text.encode()})
        with (
            written(path) as draft,
            pq.ParquetWriter(draft, schema, **WRITTEN) as target,
        ):
            for number in range(source.num_row_groups):
                target.write_table(source.read_row_group(number).replace_schema_metadata(schema.metadata))


def empty(table: Table) -> pd.DataFrame:
    """Return the table without rows."""
    return table.schema.empty_table().to_pandas()


class _TableFile(pq.ParquetFile):
    path: str | Path

    def __exit__(self, kind: object, error: object, *trace: object) -> None:
        super().__exit__(kind, error, *trace)
        if isinstance(error, OSError) and "CRC checksum" in str(error):  # it does not name the file
            raise TableError(
                f"{self.path}: the file is damaged, because a part of it has a wrong checksum. "
                f"{rebuild(self.path)}"
            ) from error


def open_table(path: str | Path, table: Table) -> pq.ParquetFile:
    """Open a table for reading part of it; close the file, or use it as a context manager.

    Raises TableError if the file is missing or is not this table.
    """
    if not Path(path).is_file():
        raise TableError(
            f"{path}: the file does not exist, but table '{table.name}' is expected. {rebuild(path)}"
        )
    provenance = read_provenance(path)
    if (provenance.get("table"), provenance.get("version")) != (table.name, table.version):
        raise TableError(
            f"{path}: the file has table '{provenance.get('table')}' version {provenance.get('version')}, "
            f"but '{table.name}' version {table.version} is expected. {rebuild(path)}"
        )
    # A buffer would hold the whole file in memory.
    file = _TableFile(path, pre_buffer=False, page_checksum_verification=True)
    file.path = path
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        at = file.schema_arrow.get_field_index(name)
        is_kind = file.schema_arrow.types[at] if at >= 0 else "missing"
        if is_kind != kind:
            file.close()
            has = "is missing" if at < 0 else f"has the type {is_kind}, but {kind} is expected"
            raise TableError(f"{path}: the column {name} {has}. {rebuild(path)}")
    return file
