"""What must not be published: secrets of the environment, folders of this machine, others' sentences."""

import mmap
import os
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from contrapose.base.errors import ConfigError
from contrapose.project import Project

SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)  # in the name of a variable
# Of the catalog: entries of which may name files and folders.
SECTIONS = (
    *("encoders", "language_models", "llms", "back_translators"),
    *("collections", "sentence_files", "triplet_files", "dictionaries", "benchmarks", "transfer"),
)
SHORTEST = 8  # characters of a secret: shorter values, such as `true` or a number, are in many files
# Columns of our tables that hold texts by people or language models.
SENTENCES = {
    *("text", "anchor", "positive", "negatives", "negative"),
    *("sentence1", "sentence2", "premise", "answer"),
}


def secrets(project: Project) -> list[tuple[str, str]]:
    """Return (name, value) of the secrets of the environment, also of keys that the catalog names."""
    keys = {llm.key for llm in project.catalog.llms.values()}
    named = [(name, value) for name, value in os.environ.items() if name in keys or SECRET.search(name)]
    return [(f"the value of {name}", value) for name, value in named if len(value) >= SHORTEST]


def machine_paths(project: Project) -> list[tuple[str, str]]:
    """Return what reveals a user of this machine: folders, as written and with links resolved.

    These are folders of the project and its user, and absolute paths of models and data that the catalog
    names.
    """
    folders = {"project's": Path(), "repository's": project.home, "home": Path.home(), "data": project.data}
    named = [(what, folder) for what, folder in folders.items() if folder is not None]
    both = [(what, place) for what, folder in named for place in {folder.absolute(), folder.resolve()}]
    found = [(f"the {what} folder", f"{place}/") for what, place in both if place != Path("/")]
    entries = [project.catalog.entries(section).items() for section in SECTIONS]
    return found + [
        (f"the path of '{name}' of the catalog", path)
        for name, entry in chain.from_iterable(entries)
        for path in given_files(entry.model_dump() if entry else {})
        if Path(path).is_absolute()
    ]


def given_files(settings: Mapping[str, Any]) -> list[str]:
    """Return the files, folders and patterns that an entry of the catalog names."""
    single = [settings[key] for key in ("path", "there", "back") if settings.get(key)]
    return [*single, *settings.get("files", [])]


def holds_sentences(path: str | Path) -> bool:
    """Return whether a file is a Parquet file with a column of sentences."""
    return Path(path).suffix == ".parquet" and bool(SENTENCES & set(pq.read_schema(path).names))


def check_no_leak(folder: Path, forbidden: list[tuple[str, str]]) -> None:
    """Raise a ConfigError if a forbidden text is in one of the files; it never quotes the text itself."""
    leaks = {
        f"{path.relative_to(folder)}: {what}"
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size
        for content in _contents(path)
        for what, text in forbidden
        if content.find(text.encode()) >= 0
    }
    if leaks:
        raise ConfigError(
            f"The results contain what must not be published: {'; '.join(sorted(leaks))}. Remove it "
            "from the file under config/ that contains it. Write paths relative to the project, "
            "where a link can lead to another folder. In place of a key, name its environment "
            "variable. If a variable holds no secret, unset it."
        )


def _contents(path: Path) -> Iterator[mmap.mmap | bytes]:
    """Yield the bytes of a file and of a Parquet file's columns, as its pages are compressed."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as table:
            columns = (column for batch in table.iter_batches() for column in batch.columns)
            yield from (buffer.to_pybytes() for column in columns for buffer in column.buffers() if buffer)
