from collections.abc import Callable
from pathlib import Path

import pytest

from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function (path, content) that writes a file below the data folder and returns that folder."""

    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return written


class Found:
    """What a reader found: pairs by split, as [row, sentence1, sentence2, score], and what is missing."""

    def __init__(self, folder: Path, source: BenchmarkFiles) -> None:
        self.table, self.missing = read_benchmarks(folder, {"x": source})

    def __getitem__(self, split: str) -> list[list]:
        rows = self.table[self.table.split == split]
        return rows[["row", "sentence1", "sentence2", "score"]].values.tolist()

    @property
    def sizes(self) -> dict[str, int]:
        """Pairs of each split."""
        return self.table.groupby("split").size().to_dict()


@pytest.fixture
def read(tmp_path: Path, write: Write) -> Callable[..., Found]:
    """Give a function that writes files into the folder X of the data folder and reads it as a set."""

    def found(kind: str, task: str, files: dict[str, str | bytes] | None = None, **settings) -> Found:
        for name, content in (files or {}).items():
            write(f"X/{name}", content)
        settings = {"path": "X", "form": "raw"} | settings
        return Found(tmp_path, BenchmarkFiles(kind=kind, task=task, **settings))

    return found
