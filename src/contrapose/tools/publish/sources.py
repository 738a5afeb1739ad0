"""The data and models behind the results: where they are from, and their licences."""

import csv
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contrapose.generate.endpoint import serving_module
from contrapose.jobs.fingerprint import canonical, is_ours
from contrapose.project import Project, steps
from contrapose.retrieve.data_files import PROJECT
from contrapose.tools.dry_run import Job

LICENCES = "resources/licences.csv"
MODELS = ("encoders", "language_models", "llms", "back_translators")
DATA = ("collections", "sentence_files", "triple_files", "dictionaries", "benchmarks", "transfer")
TEXTS = ("collections", "sentence_files", "benchmarks")  # files of sentences
# Kinds of models that are other sources, or made of these.
MADE_HERE = ("pretrained", "continued", "run", "glove", "llm")


def sources(project: Project, jobs: Iterable[Job]) -> list[dict[str, str]]:
    """Return the entries of the catalog that some jobs name and none makes; in doubt, an entry is included.

    All text that a catalog makes itself is one source.  Keys: see `source`.
    """
    jobs = list(jobs)
    named = [(job.rule, job.wildcards, steps.settings(project, job.rule, job.wildcards)) for job in jobs]
    text = canonical(named).replace('\\"', '"')
    used = {("articles", "articles"): project.catalog.articles} if "retrieve_articles" in text else {}
    grammars = ("grammars",) * (
        "score_grammar" in text
    )  # their names are languages, which any settings may have
    for kind in MODELS + DATA + grammars:
        for name, each in project.catalog.entries(kind).items():
            if re.search(f'["/]{re.escape(name)}["/]', text):
                used[kind, name] = each
    read = {path for job in jobs for path in job.inputs if Path(path).is_relative_to(project.data or Path())}
    entries = [
        source(project, *key, each.model_dump())
        for key, each in used.items()
        if each and not (key[0] in DATA and is_user_catalog(project) and _is_unread(each.model_dump(), read))
    ]
    return list({one["title"]: one for one in entries if one["where"]}.values())


def given_files(settings: Mapping[str, Any]) -> list[str]:
    """Return the files, folders and patterns that an entry of the catalog names."""
    single = [settings[key] for key in ("path", "there", "back") if settings.get(key)]
    return [*single, *settings.get("files", [])]


def _is_unread(settings: Mapping[str, Any], read: Iterable[str]) -> bool:
    """Return whether jobs read files of data, but none of an entry, whose name then is another thing's."""
    fixed = [re.split("[*?[]", path.removeprefix(PROJECT))[0] for path in given_files(settings)]
    return bool(read and fixed) and not any(part in path for part in fixed for path in read)


def is_user_catalog(project: Project) -> bool:
    """Whether a person has written the catalog, of data of their own, as `contrapose new` does."""
    shipped = project.files.catalog_file.resolve().is_relative_to(project.home.resolve() / "config")
    return not shipped and project.catalog.mini is None


def source(project: Project, kind: str, name: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return an entry of the catalog as a source of a Data Package, with its licence as far as known.

    `where` is a data set or model of the hub or a path below the data folder, empty for what jobs make;
    `licence` is a licence identifier of the hub, `other` or `unknown`.
    """
    path = ", ".join(given_files(settings))
    where = settings.get("dataset") or settings.get("model") or path
    entry = {"title": f"{kind.replace('_', ' ')}: {name}", "kind": kind, "where": where, "revision": ""}
    ours = entry | {"licence": "apache-2.0", "terms": "made by this project"}
    if kind in MODELS and settings.get("kind") in MADE_HERE:
        return ours | {"where": ""}
    is_made = kind not in MODELS and settings.get("kind") != "hub" and not path.startswith(PROJECT)
    if project.catalog.mini and is_made:
        where = f"seed {project.catalog.mini.seed} of its generator"
        return ours | {"title": "text of the catalog", "where": where}
    if is_ours(serving_module(settings.get("endpoint", ""))) or where.startswith("resources/mini/"):
        return ours
    if settings.get("otherwise") and project.encoder(name).note:  # a stand-in
        entry["where"] = where = settings["otherwise"]
    parts = where.lower().split("/")[::-1]
    if kind not in MODELS:
        keys = [settings.get("task") or name, settings.get("file"), *parts, name]
    else:  # a role may be filled by another model: its own name counts, or where recorded answers are from
        keys = parts if settings.get("kind") == "recorded" else parts[:1]
    with (project.home / LICENCES).open(encoding="utf-8", newline="") as file:
        known = {row.pop("name"): row for row in csv.DictReader(file)}
    nothing = {"licence": "unknown", "terms": f"not in {LICENCES}: look where it comes from"}
    if kind in DATA and is_user_catalog(project) and not settings.get("dataset"):
        nothing["terms"] = f"own {'sentences' if kind in TEXTS else 'data'}, which are not in this package"
    elif kind in MODELS and is_user_catalog(project) and settings.get("path"):
        nothing["terms"] = "own folder, which is not in this package: ask its owner for its licence"
    terms = next((known[key] for key in keys if key in known), nothing)
    return entry | {"revision": settings.get("revision") or ""} | terms
