"""What the jobs of a call will need: which of the things that a world names."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from contrapose.errors import BackendError, ConfigError
from contrapose.forecast.dag import Job, planned_jobs
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, missing
from contrapose.settings.worlds import (
    ArticleFiles,
    BenchmarkFiles,
    BenchmarkHub,
    EncoderFolder,
    HubTable,
    LanguageModelFolder,
    RinnaEncoder,
    RinnaLanguageModel,
    Seq2SeqTranslator,
    VectorsFile,
)
from contrapose.tasks import SUITES, TASKS, Suite

NOT_THERE = "preflight/not-there"  # stands for a data set that is not on disk; nothing is asked about it


@dataclass(frozen=True)
class Needs:
    """Names of the world's entries that jobs will use, and the jobs."""

    jobs: list[Job] = field(default_factory=list)
    archive: bool = False
    articles: bool = False
    transfer: bool = False
    translator: bool = False  # a model on this machine
    benchmarks: list[str] = field(default_factory=list)
    collections: list[str] = field(default_factory=list)
    dictionaries: list[str] = field(default_factory=list)
    encoders: list[str] = field(default_factory=list)
    language_models: list[str] = field(default_factory=list)
    llms: list[str] = field(default_factory=list)
    sentence_files: list[str] = field(default_factory=list)
    triple_files: list[str] = field(default_factory=list)


def needs_of(plan: Plan, jobs: list[Job]) -> Needs:
    """Return what some jobs use of the world."""
    rules = {job.rule for job in jobs}

    def names(*rules: str, name: str) -> list[str]:
        return sorted({job.wildcards[name] for job in jobs if job.rule in rules})

    suites = set(names("retrieve_benchmarks", name="suite"))
    suites |= {"english"} if "retrieve_naive" in rules else set()
    published = [plan.published_corpus(name).file for name in names("corpus_published", name="corpus")]
    return Needs(
        jobs=jobs,
        archive="retrieve_archive" in rules,
        articles="retrieve_articles" in rules,
        transfer="retrieve_transfer" in rules,
        translator="generate_seq2seq" in rules,
        benchmarks=[name for name, each in plan.world.benchmarks.items() if TASKS[each.task].suite in suites],
        collections=names("retrieve_collection", name="collection"),
        dictionaries=names("retrieve_dictionary", name="dictionary"),
        encoders=sorted({role for job in jobs for role in _encoders(plan, job)}),
        language_models=sorted({role for job in jobs for role in _language_models(plan, job)}),
        llms=sorted({llm for job in jobs for llm in _llms(plan, job)}),
        sentence_files=sorted(set(published)),
        triple_files=names("retrieve_triples", name="source"),
    )


def _encoders(plan: Plan, job: Job) -> Iterator[str]:
    known = job.wildcards
    if job.rule.startswith("train_") and "recipe" in known:
        recipe = plan.recipe(known["recipe"])
        yield recipe.encoder
        if teacher := plan.teacher(recipe):
            yield teacher
    if job.rule.startswith("evaluate_") and "role" in known:
        yield known["role"]
    if job.rule == "retrieve_rinna_encoder":
        yield known["role"]
    if job.rule in ("score_similarities", "score_parascores"):
        yield known["scorer"]
    if job.rule == "score_identification":
        yield plan.identifier(known["identifier"]).encoder


def _language_models(plan: Plan, job: Job) -> Iterator[str]:
    if job.rule == "generate_dino":
        yield plan.generate_dino(job.wildcards["texts"]).texts.lm
    if job.rule == "score_rewrites":
        yield plan.rewrites(job.wildcards["rewrites"]).lm
    if job.rule == "retrieve_rinna_language_model":
        yield job.wildcards["role"]


def _llms(plan: Plan, job: Job) -> Iterator[str]:
    if job.rule in ("generate_paraphrase", "generate_merge", "generate_translate"):
        yield job.wildcards["llm"]
    if job.rule == "generate_asked":
        yield plan.asked_llm(job.wildcards["texts"])


def everything(plan: Plan) -> Needs:
    """Return all that the world names, for studies whose jobs are not known."""
    world = plan.world
    return Needs(
        archive=world.archive is not None,
        articles=True,
        transfer=bool(world.transfer),
        translator=isinstance(world.translator, Seq2SeqTranslator),
        benchmarks=list(world.benchmarks),
        collections=[name for name, source in world.collections.items() if source],
        dictionaries=[name for name in world.dictionaries if plan.has_dictionary(name)],
        encoders=[role for role in world.encoders if plan.has_encoder(role)],
        language_models=[role for role in world.language_models if plan.has_language_model(role)],
        llms=plan.llm_roles,
        sentence_files=list(world.sentence_files),
        triple_files=list(world.triple_files),
    )


def planned_needs(plan: Plan, targets: Sequence[str]) -> tuple[Needs, list[Finding]]:
    """Plan the jobs of a call that still have to run, and return what they need.

    Snakemake plans nothing while a file is missing that it must name.  So places that lack something are
    filled by stand-ins in a copy of the world file, and the jobs are those of a world that has everything.

    Returns
    -------
    Needs
    list of Finding
        If even so there is no plan: why; then the needs are all that the world names.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            jobs = planned_jobs(_filled(plan, Path(folder)), targets, sys.executable, everything=False)
        except (BackendError, ConfigError) as error:
            # What Snakemake says before is about itself.
            reason = f"{error}".rpartition("Building DAG of jobs...\n")[2].strip()
            consequence = "So it is not known what jobs need, and all that the world names is checked."
            return everything(plan), [
                missing("jobs", f"{', '.join(targets)} cannot be planned: {reason}\n{consequence}")
            ]
    return needs_of(plan, jobs), []


def _filled(plan: Plan, folder: Path) -> Plan:
    """Return the plan of a world in which stand-ins below `folder` are in the places that lack something."""
    changes = _stand_ins(plan, _empty_model(folder))
    if not changes:
        return plan
    world = plan.world.model_dump(mode="json")
    for section, entries in changes.items():
        world[section] = entries if section in ("articles", "translator") else {**world[section], **entries}
    path = folder / f"{plan.world_name}.yaml"
    path.write_text(yaml.safe_dump(world), encoding="utf-8")
    return Plan({**plan.config.model_dump(), "world": str(path)}, plan.home)


def _empty_model(folder: Path) -> Path:
    """Make what passes for the folder of a model, as long as nobody reads it."""
    model = folder / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    (model / "model.safetensors").touch()
    return model


def _stand_ins(plan: Plan, model: Path) -> dict[str, Any]:
    """Return {section of the world: {name: entry}} of what has to be filled; of some the section itself."""
    world = plan.world
    changes: dict[str, Any] = {}
    table = HubTable(dataset=NOT_THERE, revision=NOT_THERE).model_dump()
    if isinstance(world.articles, ArticleFiles) and problem_of_articles(plan, world.articles, "articles"):
        changes["articles"] = table
    changes["collections"] = {
        name: table
        for name, source in world.collections.items()
        if isinstance(source, ArticleFiles) and problem_of_articles(plan, source, f"collections.{name}")
    }
    place: dict[type, Path] = {
        EncoderFolder: model,
        RinnaEncoder: model,
        LanguageModelFolder: model,
        RinnaLanguageModel: model,
        VectorsFile: model / "config.json",
    }
    for section, problem in (
        ("encoders", problem_of_encoder),
        ("language_models", problem_of_language_model),
    ):
        changes[section] = {
            role: {**source.model_dump(), "path": str(place[type(source)])}
            for role, source in getattr(world, section).items()
            if type(source) in place and problem(plan, role)
        }
    changes["benchmarks"] = {
        name: BenchmarkHub(task=source.task, dataset=NOT_THERE, revision=NOT_THERE, splits={}).model_dump()
        for suite in SUITES
        if _lacks_suite(plan, suite)
        for name, source in world.benchmarks.items()
        if TASKS[source.task].suite == suite and isinstance(source, BenchmarkFiles)
    }
    if isinstance(world.translator, Seq2SeqTranslator) and _raised(plan.translator_inputs):
        changes["translator"] = {**world.translator.model_dump(), "path": str(model)}
    return {section: entries for section, entries in changes.items() if entries}


def _lacks_suite(plan: Plan, suite: Suite) -> bool:
    reads = not plan.makes_data and plan.data is not None
    return reads and bool(_raised(lambda: plan.benchmark_files(suite)))


def problem_of_articles(plan: Plan, source: ArticleFiles, key: str) -> str:
    """Say why the files of articles are not there; empty if they are, or a job makes them."""
    return "" if plan.makes_data or plan.data is None else _raised(lambda: plan.article_files(source, key))


def problem_of_encoder(plan: Plan, role: str) -> str:
    """Say why the encoder of a role cannot be had, of which the world says that it is there; else empty."""
    if not plan.has_encoder(role):
        return ""
    if isinstance(plan.world.encoders[role], RinnaEncoder):
        return _raised(lambda: plan.rinna_encoder_folder(role))
    return _raised(lambda: plan.encoder(role))


def problem_of_language_model(plan: Plan, role: str) -> str:
    """Say the same of the language model of a role."""
    if not plan.has_language_model(role):
        return ""
    if isinstance(plan.world.language_models[role], RinnaLanguageModel):
        return _raised(lambda: plan.rinna_language_model_folder(role))
    return _raised(lambda: plan.language_model(role))


def _raised(function: Callable[[], object]) -> str:
    try:
        function()
    except ConfigError as error:
        return str(error)
    return ""
