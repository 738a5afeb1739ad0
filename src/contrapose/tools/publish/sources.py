"""The data and models behind the results: where they are from, and their licences."""

import csv
import re
from collections.abc import Iterable, Mapping
from typing import Any

from contrapose.fingerprint import canonical, is_own
from contrapose.generate.endpoint import serving_module
from contrapose.project import Project, steps
from contrapose.retrieve.data_files import PROJECT
from contrapose.tools.jobs import Job

LICENCES = "resources/licences.csv"
MODELS = ("encoders", "language_models", "llms", "back_translators")
DATA = ("collections", "sentence_files", "triple_files", "dictionaries", "benchmarks", "transfer")
MADE_HERE = ("pretrained", "run", "glove", "llm")  # kinds of models that are other sources, or made of these


def sources(project: Project, jobs: Iterable[Job]) -> list[dict[str, str]]:
    """Return the entries of the world that some jobs name and none makes; in doubt, an entry is included.

    All text that a world makes itself is one source.  Keys: see `source`.
    """
    named = [(job.rule, job.wildcards, steps.settings(project, job.rule, job.wildcards)) for job in jobs]
    text = canonical(named).replace('\\"', '"')
    used = {("articles", "articles"): project.world.articles} if "retrieve_articles" in text else {}
    for kind in MODELS + DATA:
        for name, each in getattr(project.world, kind).items():
            if re.search(f'["/]{re.escape(name)}["/]', text):
                used[kind, name] = each
    found = [source(project, *key, each.model_dump()) for key, each in used.items() if each]
    return list({one["title"]: one for one in found if one["where"]}.values())


def source(project: Project, kind: str, name: str, given: Mapping[str, Any]) -> dict[str, str]:
    """Return an entry of the world as a source of a Data Package, with its licence as far as known.

    `where` is a data set or model of the hub or a path below the data folder, empty for what jobs make;
    `licence` is a licence identifier of the hub, `other` or `unknown`.
    """
    both = [given[way] for way in ("there", "back") if way in given]
    path = given.get("path") or ", ".join(given.get("files", both))
    where = given.get("dataset") or given.get("model") or path
    found = {"title": f"{kind.replace('_', ' ')}: {name}", "kind": kind, "where": where, "revision": ""}
    own = found | {"licence": "apache-2.0", "terms": "made by this project"}
    if kind in MODELS and given.get("kind") in MADE_HERE:
        return own | {"where": ""}
    is_made = kind not in MODELS and given.get("kind") != "hub" and not path.startswith(PROJECT)
    if project.world.mini and is_made:
        where = f"seed {project.world.mini.seed} of its generator"
        return own | {"title": "text of the world", "where": where}
    if is_own(serving_module(given.get("endpoint", ""))) or where.startswith("resources/mini/"):
        return own
    if given.get("otherwise") and project.encoder(name).note:  # a stand-in
        found["where"] = where = given["otherwise"]
    parts = where.lower().split("/")[::-1]
    # A role may be filled by another model: only that model's own name determines the licence.
    keys = parts[:1] if kind in MODELS else [given.get("task") or name, given.get("file"), *parts, name]
    with (project.home / LICENCES).open(encoding="utf-8", newline="") as file:
        known = {row.pop("name"): row for row in csv.DictReader(file)}
    nothing = {"licence": "unknown", "terms": f"not in {LICENCES}: look where it comes from"}
    terms = next((known[key] for key in keys if key in known), nothing)
    return found | {"revision": given.get("revision") or ""} | terms
