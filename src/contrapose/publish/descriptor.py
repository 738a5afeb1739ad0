"""`datapackage.json` and `SHA256SUMS`: every file of a package, what it is and how to know it again."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import yaml

from contrapose.publish.chain import sha256
from contrapose.publish.columns import csv_schema, parquet_schema
from contrapose.publish.sources import Source

DESCRIPTOR, SUMS = "datapackage.json", "SHA256SUMS"
# Data Package 2.0, datapackage.org.
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
APACHE = {"name": "Apache-2.0", "path": "LICENSE", "title": "Apache License 2.0"}
FORMATS = {
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".md": "text/markdown",
    ".json": "application/json",
    ".html": "text/html",
    ".yaml": "application/yaml",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
}


def files_of(folder: Path) -> list[Path]:
    """Return every file below a folder, sorted, relative to it."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def write_descriptor(
    folder: Path, name: str, title: str, titles: Mapping[str, str], read: Sequence[Source]
) -> None:
    """Write datapackage.json over all files that are in the folder.

    Parameters
    ----------
    folder : Path
    name, title : of the package
    titles : mapping of path: title
        Of files that have one; the others have their path.
    read : Sources
        What went in.
    """
    citation = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    content = {
        "$schema": PROFILE,
        "name": name,
        "title": title,
        "version": version("contrapose"),
        "licenses": [APACHE],
        "contributors": [{"title": each["name"], "roles": ["creator"]} for each in citation["authors"]],
        "keywords": citation["keywords"],
        "sources": [_source(each) for each in read],
        "resources": [_resource(folder, path, titles) for path in files_of(folder)],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / DESCRIPTOR).write_text(text + "\n", encoding="utf-8")


def _source(source: Source) -> dict[str, str]:
    terms = f"{source.terms} ({source.licence})"
    link = {"path": source.see} if source.see.startswith("http") else {}
    return {"title": f"{source.kind} {source.name}: {source.where}. Terms: {terms}", **link}


def _resource(folder: Path, path: Path, titles: Mapping[str, str]) -> dict[str, object]:
    file, name = folder / path, path.as_posix()
    return {
        "name": "".join(letter if letter.isalnum() or letter in "-._/" else "-" for letter in name.lower()),
        "path": name,
        "title": titles.get(path.with_suffix("").as_posix()) or titles.get(name) or name,
        "format": path.suffix.removeprefix(".") or "text",
        "mediatype": FORMATS.get(path.suffix, "application/octet-stream"),
        "bytes": file.stat().st_size,
        "hash": f"sha256:{sha256(file)}",
        **_table(folder, path),
    }


def _table(folder: Path, path: Path) -> dict[str, object]:
    """Describe the columns of a table; nothing for another file."""
    if path.suffix == ".parquet":
        schema = parquet_schema(folder / path)
    elif path.suffix == ".csv" and path.parts[0] != "config":
        schema = csv_schema(folder / path)
    else:
        return {}
    return {"type": "table", "schema": schema}


def write_sums(folder: Path) -> None:
    """Write the SHA-256 of every file in the form that `sha256sum --check` reads."""
    listed = (path for path in files_of(folder) if path.name != SUMS)
    lines = [f"{sha256(folder / path)}  {path.as_posix()}\n" for path in listed]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def changed_files(folder: Path) -> list[str]:
    """Return the files of a package that its sums do not know, or know otherwise, or that are gone."""
    listed = (line.split("  ", 1) for line in (folder / SUMS).read_text(encoding="utf-8").splitlines())
    expected = {path: found for found, path in listed}
    there = {path.as_posix() for path in files_of(folder)} - {SUMS}
    return sorted(
        path for path in expected.keys() | there
        if path not in there or sha256(folder / path) != expected.get(path)
    )  # fmt: skip
