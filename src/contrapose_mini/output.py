"""Files whose bytes are a function of what they say."""

import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def write_text(path: Path, lines: Iterable[str], encoding: str = "utf-8") -> None:
    """Write lines that end in LF; folders are made where they do not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))


def write_gzip(path: Path, lines: Iterable[str]) -> None:
    """Write lines as gzip, with no name and no time in its head."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.writelines(f"{line}\n".encode() for line in lines)


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of text or of whole numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(dict(columns)), path, compression="zstd", version="2.6")
