"""Random access to the articles of an ARTICLES file, in little memory."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pyarrow as pa

from contrapose.tables import ARTICLES, open_table

Articles = Sequence[tuple[str, str]]  # (id, text)


class ArticleFile(Articles):
    """A Parquet file of ARTICLES, else a TableError.  Only the row group used last is in memory."""

    def __init__(self, path: str | Path) -> None:
        self._file = open_table(path, ARTICLES)
        metadata = self._file.metadata
        sizes = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        self._starts = [0, *accumulate(sizes)]  # first article of each group, and the end
        self._group = -1
        self._rows: pa.Table | None = None

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> tuple[str, str]:  # type: ignore[override]
        if not 0 <= number < len(self):
            raise IndexError(f"article {number} of {len(self)}")
        group = bisect_right(self._starts, number) - 1
        if self._rows is None or group != self._group:
            self._rows = self._file.read_row_group(group, columns=["id", "text"])
            self._group = group
        row = number - self._starts[group]
        return self._rows["id"][row].as_py(), self._rows["text"][row].as_py()
