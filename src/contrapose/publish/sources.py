"""Whose data and models went in, and under what terms."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from contrapose.fingerprint import is_own
from contrapose.forecast.dag import Job
from contrapose.generate.endpoint import serving_module
from contrapose.plan import Plan
from contrapose.retrieve.lines import PROJECT
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import (
    BenchmarkFiles,
    PretrainedEncoder,
    PretrainedLanguageModel,
    TrainedRun,
    TrainedVectors,
)

OWN_LICENCE = "apache-2.0"
UNKNOWN = "unknown"
MADE_HERE = (PretrainedEncoder, PretrainedLanguageModel, TrainedRun, TrainedVectors)  # of other sources
LICENCES = Path("resources/licences.csv")
ROLE_KEYS = (
    "encoder",
    "teacher",
    "lm",
    "role",
    "scorer",
)  # of settings and wildcards that name a model's role
TEXT_OF_THE_WORLD = "text of the world"


class Source(NamedTuple):
    """A data set or a model that somebody made, and its terms as far as known."""

    kind: str  # articles | evaluation set | encoder ...
    name: str  # in the world file
    where: str  # data set or model of the hub, or place below the data folder
    revision: str
    licence: str  # identifier of the hub; other; unknown
    terms: str
    see: str


def sources(plan: Plan, jobs: Iterable[Job]) -> list[Source]:
    """Return what the jobs read that none of them makes, sorted; text that a world makes is one entry."""
    known = _known(plan.home / LICENCES)
    found = {}
    for job in jobs:
        for kind, name, spec in _named_by(job, plan):
            if not isinstance(spec, MADE_HERE):
                found[kind, name] = _source(kind, name, spec, plan, known)
    return sorted(set(found.values()))


def licence_of_encoder(plan: Plan, role: str) -> Source:
    """Return an encoder's terms; of one that is made here those of our own files."""
    spec = plan.world.encoders[role]
    assert spec is not None
    if isinstance(spec, MADE_HERE):
        return Source("encoder", role, "made here", "", OWN_LICENCE, "as this project", "")
    return _source("encoder", role, spec, plan, _known(plan.home / LICENCES))


def _known(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def _named_by(job: Job, plan: Plan) -> Iterator[tuple[str, str, Spec | None]]:
    """Yield the entries of the world file that a job reads."""
    world, by = plan.world, job.wildcards
    match job.rule:
        case "retrieve_articles":
            yield "articles", "articles", world.articles
        case "retrieve_collection":
            yield "articles", by["collection"], world.collections[by["collection"]]
        case "retrieve_benchmarks":
            yield from (
                ("evaluation set", name, each)
                for name, each in plan.benchmark_sources(by["suite"]).items()  # type: ignore[arg-type]
                if plan.has_task(each.task)
            )
        case "retrieve_transfer":
            yield from (("evaluation set", task, each) for task, each in world.transfer.items())
        case "retrieve_triples":
            yield "triples", by["source"], world.triple_files[by["source"]]
        case "retrieve_dictionary":
            yield "dictionary", by["dictionary"], world.dictionaries[by["dictionary"]]
        case "corpus_published":
            name = plan.published_corpus(by["corpus"]).file
            yield "sentences", name, world.sentence_files[name]
        case "generate_asked":
            role = plan.asked_llm(by["texts"])
            yield "language model", role, world.llms[role]
    if "llm" in by:
        yield "language model", by["llm"], world.llms[by["llm"]]
    for role in {*_roles(by), *_roles(json.loads(plan.settings(job.rule, by)))}:
        yield from (("encoder", role, each) for each in [world.encoders.get(role)] if each)
        yield from (("language model", role, each) for each in [world.language_models.get(role)] if each)


def _roles(settings: object) -> Iterator[str]:
    """Yield the roles that settings or wildcards name, however deep."""
    if isinstance(settings, Mapping):
        for key, value in settings.items():
            if key in ROLE_KEYS and isinstance(value, str):
                yield value
            else:
                yield from _roles(value)
    elif isinstance(settings, list):
        for value in settings:
            yield from _roles(value)


def _source(kind: str, name: str, spec: Spec | None, plan: Plan, known: Mapping[str, dict]) -> Source:
    given = spec.model_dump() if spec else {}
    if plan.world.mini is not None and _is_generated(kind, given):
        about = f"written by the generator of this project, seed {plan.world.mini.seed}"
        return Source(TEXT_OF_THE_WORLD, plan.world_name, about, "", OWN_LICENCE, "as this project", "")
    where = (
        given.get("dataset") or given.get("model") or given.get("path") or ", ".join(given.get("files", []))
    )
    if given.get("otherwise") and plan.encoder(name).note:  # a stand-in
        where = given["otherwise"]
    if is_own(serving_module(given.get("endpoint", ""))) or where.startswith("resources/mini/"):
        return Source(kind, name, where, "", OWN_LICENCE, "made by this project", "")
    terms = next((known[key] for key in _keys(kind, name, where, given) if key in known), {})
    if plan.world.archive is not None and isinstance(spec, BenchmarkFiles) and not where.startswith(PROJECT):
        where = f"{plan.world.archive.dataset}: {where}"
    return Source(
        kind, name, where, given.get("revision") or "", terms.get("licence", UNKNOWN),
        terms.get("terms", f"not in {LICENCES}: look where it comes from"), terms.get("see", ""),
    )  # fmt: skip


def _keys(kind: str, name: str, where: str, given: Mapping) -> list[str]:
    """Return under which names the terms may be listed; a model's role may be played by another model."""
    parts = where.lower().split("/")[::-1]
    if kind in ("encoder", "language model"):
        return parts[:1]
    return [given.get("task") or name, *parts, name]


def _is_generated(kind: str, given: Mapping) -> bool:
    """Tell whether a world that makes its own text makes this, too."""
    own = given.get("kind") != "hub" and not str(given.get("path")).startswith(PROJECT)
    return own and kind not in ("encoder", "language model")
