"""The entries of the catalog that the jobs of a call use, for `check`, `fetch` and `plan`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

from contrapose.base.tasks import TASKS
from contrapose.project import Project
from contrapose.project.registries import reached
from contrapose.project.rules import SUITES, Need
from contrapose.report.planned_rows import encoder_rows
from contrapose.report.row_runs import missing
from contrapose.report.skipped import missing_inputs
from contrapose.retrieve.suites import missing_sets
from contrapose.settings.ids import Released, is_trained, run_from
from contrapose.settings.refs import references
from contrapose.tools.dry_run import Job

MODELS = ("encoders", "language_models", "back_translators")
NAMED = 3  # methods that lack the same thing, in one line
SECTIONS = (*MODELS, "collections", "dictionaries", "grammars", "sentence_files", "triplet_files")


def needs_of(project: Project, jobs: Iterable[Job]) -> list[Need]:
    """Return the entries that some jobs use, sorted."""
    return sorted({need for job in jobs for need in _of_job(project, job)})


def _of_job(project: Project, job: Job) -> Iterator[Need]:
    rule = project.rules.of(job.rule)
    if rule.uses:
        yield rule.used(project, job.wildcards)
    recipe = project.recipe(job.wildcards["recipe"]) if rule.work == "training" else None
    yield from (Need("encoders", role) for role in (recipe.frozen_encoders if recipe else ()))
    if not is_trained(job.wildcards.get("run", "")):
        yield model_of(project, job)


def model_of(project: Project, job: Job) -> Need:
    """Return the model that a job works with; of an evaluation, what its run starts from, or is."""
    if "run" not in job.wildcards:
        return project.rules.of(job.rule).used(project, job.wildcards)
    run = run_from(job.wildcards["run"])
    return Need("encoders", run.role if isinstance(run, Released) else project.recipe(run.recipe).encoder)


def tables_of(project: Project, targets: Sequence[str]) -> list[str]:
    """Return the tables that targets name, by study or file; all of the chosen studies if they name none."""
    names = {PurePath(target).stem for target in targets}
    tables = [name for name, (study, _) in project.tables.items() if name in names or study in targets]
    return tables or list(project.tables)


def without_numbers(project: Project, targets: Sequence[str]) -> dict[str, list[str]]:
    """Return {what this catalog lacks: tables of some targets whose rows have no numbers without it}."""
    tables: dict[str, list[str]] = defaultdict(list)
    for name in tables_of(project, targets):
        reasons = {missing(project, row) for row in encoder_rows(project, name)}
        for reason in sorted(reasons - {""}):
            tables[reason].append(name)
    return tables


def skipped(project: Project, targets: Sequence[str]) -> Iterator[str]:
    """Yield a line on each thing that methods of some targets lack: which methods, and how to add it.

    The thing that most methods lack is first.  A method that lacks nothing for one of several encoders is
    not named.
    """
    lost = {method: why for method, why in why_skipped(project, tables_of(project, targets)).items() if why}
    for each in missing_inputs(lost, project.catalog_name):
        more = f" and {len(each.methods) - NAMED} more" if len(each.methods) > NAMED else ""
        yield f"{', '.join(each.methods[:NAMED])}{more}: {each.why}. {each.how}".rstrip()


def with_and_without_numbers(project: Project, tables: Iterable[str]) -> tuple[int, int]:
    """Return how many methods are trained for some tables, and how many rows are skipped in all of them."""
    names = [*tables]
    trained = {row.model for name in names for row in encoder_rows(project, name) if row.recipe}
    lost = {model for model, why in why_skipped(project, names).items() if why}
    return len(trained - lost), len(lost)


def why_skipped(project: Project, tables: Iterable[str]) -> dict[str, str]:
    """Return {method of some tables: why it is skipped for every encoder, or nothing}."""
    reasons = dict[str, str]()
    for row in (row for name in tables for row in encoder_rows(project, name)):
        reasons[row.model] = reasons.get(row.model, "?") and missing(project, row)
    return reasons


def sets_left_out(project: Project, targets: Sequence[str]) -> dict[str, list[str]]:
    """Return {evaluation set that is not here, and its folder: tables of some targets that score it}."""
    tables: dict[str, list[str]] = defaultdict(list)
    for name in tables_of(project, targets):
        tasks = {each.name for each in references(project.tables[name][1]) if each.ref.registry == "tasks"}
        sources = {key: each for key, each in project.catalog.benchmarks.items() if each.task in tasks}
        for key, folder in missing_sets(project, sources).items():
            tables[f"{folder} is missing, which contains the set {key}"].append(name)
    return tables


def every_need(project: Project) -> list[Need]:
    """Return all entries that the catalog names, without those that it marks as optional and lacks."""
    catalog = project.catalog
    needs = [Need(section) for section in ("archive", "articles", "transfer") if getattr(catalog, section)]
    suites = {TASKS[each.task].suite for each in catalog.benchmarks.values()}
    needs += [Need(SUITES, suite) for suite in suites]
    needs += [Need("llms", role) for role in project.llm_requests.llm_roles]
    for section in SECTIONS:
        names = catalog.entries(section)
        needs += [Need(section, name) for name in names if not project.lacking_entry(section, name)]
    return sorted(needs)


def used_entries(project: Project, targets: Sequence[str]) -> list[Any]:
    """Return the entries of the catalog that rows of the targets need, also those that are left out."""
    tables = tables_of(project, targets)
    rows = (row for name in tables for row in encoder_rows(project, name))
    used = {entry for row in rows for entry in reached(project, row)}
    suites = {suite for name in tables for suite in project.tables[name][1].suites(project, name)}
    suites |= {TASKS[task].suite for section, task in used if section == "tasks"}  # type: ignore[index]
    sources: list[Any] = [
        each for each in project.catalog.benchmarks.values() if TASKS[each.task].suite in suites
    ]
    for section in SECTIONS:
        entries = project.catalog.entries(section).items()
        sources += [each for name, each in entries if (section, name) in used and each is not None]
    return sources
