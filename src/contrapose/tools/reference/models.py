"""The page of models and data, from the catalog `hub` and the table of licences."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from contrapose.tools.reference.markdown import rows

TEMPLATE = Path(__file__).with_name("models.md")
SHORT = 7  # digits of a commit that the page shows; the catalog has all that are known


def page(home: Path) -> str:
    """Return the page; `home` is the root of the repository."""
    catalog = yaml.safe_load((home / "config/catalogs/hub.yaml").read_text(encoding="utf-8"))
    with (home / "resources/licences.csv").open(encoding="utf-8", newline="") as file:
        terms = {row["name"]: row["terms"] for row in csv.DictReader(file)}
    encoders, models = (
        [[f"`{role}`", _source(entry), _commit(entry), _terms(terms, role, entry)] for role, entry in entries]
        for entries in (_entries(catalog, "encoders"), _entries(catalog, "language_models", "llms"))
    )
    benchmarks = [
        [f"`{task}`", _source(entry), _commit(entry), _splits(entry), _terms(terms, task, entry)]
        for task, entry in _entries(catalog, "benchmarks")
    ]
    transfer = [
        [f"`{task}`", _source(entry), _terms(terms, task, entry)]
        for task, entry in _entries(catalog, "transfer")
    ]
    texts = [
        [f"`{name}`", _source(entry), _commit(entry), _terms(terms, name, entry)]
        for name, entry in [
            *(("articles", catalog["articles"]), ("archive", catalog["archive"])),
            *_entries(catalog, "collections", "sentence_files", "triplet_files", "dictionaries"),
        ]
    ]
    downloads = [
        [f"`{name.removeprefix('./')}`", f"`{entry['url'].split('//')[1].split('?')[0]}`"]
        for name, entry in _entries(catalog, "downloads")
    ]
    header = ["name", "source", "commit", "licence"]
    return TEMPLATE.read_text(encoding="utf-8").format(
        encoders=rows(header, encoders),
        language_models=rows(header, models),
        benchmarks=rows(["task", "source", "commit", "splits", "licence"], benchmarks),
        transfer=rows(["task", "source", "licence"], transfer),
        texts=rows(["name", "source", "commit", "licence"], texts),
        downloads=rows(["file", "address"], downloads),
    )


def _entries(catalog: Mapping[str, Any], *sections: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of sections, but for those that are null."""
    for section in sections:
        yield from ((name, entry) for name, entry in catalog[section].items() if entry)


def _source(entry: Mapping[str, Any]) -> str:
    """Return where an entry comes from: a repository with its file or configuration, or a path."""
    repository = entry.get("released") or entry.get("model") or entry.get("dataset")
    inner = entry.get("file") or (entry.get("name") if "dataset" in entry else None)
    path = entry.get("path") or ", ".join(entry.get("files", []))
    return " ".join(
        f"`{part.removeprefix('./')}`" for part in (repository, inner, None if repository else path) if part
    )


def _commit(entry: Mapping[str, Any]) -> str:
    commit = str(entry.get("revision") or entry.get("commit") or "")
    return f"`{commit[:SHORT]}`" if commit else ""


def _splits(entry: Mapping[str, Any]) -> str:
    splits = entry.get("splits", {})
    return ", ".join(name if name == hub else f"{name} ({hub})" for name, hub in dict(splits).items())


def _terms(terms: Mapping[str, str], name: str, entry: Mapping[str, Any]) -> str:
    """Return the terms of the first name of an entry that the table of licences has."""
    repository = str(entry.get("released") or entry.get("model") or entry.get("dataset") or "")
    names = (name, str(entry.get("file", "")), repository.split("/")[-1], Path(entry.get("path", "")).name)
    return next((terms[each.lower()] for each in names if each.lower() in terms), "see its page")
