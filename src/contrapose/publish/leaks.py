"""What must not go out: secrets of the environment and folders of this machine."""

import mmap
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from contrapose.errors import ConfigError
from contrapose.plan import Plan

SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)  # in the name of a variable
SHORTEST = 8  # letters of a secret: a shorter value is `true` or a number, and stands in many files


def secrets(plan: Plan | None = None) -> dict[str, str]:
    """Return the secrets of the environment: what they are called, and their values.

    Parameters
    ----------
    plan : Plan, optional
        Its language models may name variables that are not called like a secret.
    """
    keys = {llm.key for llm in plan.world.llms.values()} if plan else set()
    return {
        f"the value of {name}": value
        for name, value in os.environ.items()
        if (name in keys or SECRET.search(name)) and len(value) >= SHORTEST
    }


def machine_paths(plan: Plan) -> dict[str, str]:
    """Return the folders of this machine that say who and where its user is."""
    folders = {
        "the project's folder": Path(),
        "the repository's folder": plan.home,
        "the home folder": Path.home(),
    }
    folders |= {"the data folder": plan.data} if plan.data else {}
    written = {what: folder.absolute() for what, folder in folders.items()}
    behind = {f"{what} without links": folder.resolve() for what, folder in written.items()}
    places = written | {what: folder for what, folder in behind.items() if folder not in written.values()}
    return {what: f"{folder}/" for what, folder in places.items() if folder != Path("/")}


def check_no_leak(folder: Path, forbidden: Mapping[str, str]) -> None:
    """Refuse a folder if a forbidden text stands in one of its files.

    Parquet files are looked at column by column, as their pages are compressed; other files byte by byte.

    Raises
    ------
    ConfigError
        With every file and what it holds, never with the text itself.
    """
    found = [
        f"{path.relative_to(folder)}: {what}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for what in _found(path, forbidden)
    ]
    if found:
        raise ConfigError(
            "This would be published, and must not: "
            + "; ".join(found)
            + ". Take it out of the file under config/ that it comes from: paths relative to the project, "
            "keys by the name of their variable. Unset a variable that holds no secret."
        )


def _found(path: Path, forbidden: Mapping[str, str]) -> Iterator[str]:
    if path.stat().st_size == 0:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        inside = {what for what, text in forbidden.items() if content.find(text.encode()) >= 0}
    if path.suffix == ".parquet":
        inside |= {what for what, text in forbidden.items() if _in_columns(path, text)}
    yield from sorted(inside)


def _in_columns(path: Path, text: str) -> bool:
    with pq.ParquetFile(path) as file:
        names = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        return bool(names) and any(
            pc.any(pc.match_substring(column, text)).as_py()
            for batch in file.iter_batches(columns=names)
            for column in batch.columns
        )
