"""Results for readers: tables, figures and claims of a study."""

from typing import NamedTuple

from contrapose.base.home import source_of
from contrapose.jobs.fingerprint import code_digest
from contrapose.jobs.step import InputFiles
from contrapose.project.lookups import Lookups
from contrapose.report.claims_table import ClaimsJob
from contrapose.report.published import PrintedLayout
from contrapose.report.results import ResultKind
from contrapose.report.training_files import stepped_runs
from contrapose.settings.catalogs import serving_module
from contrapose.settings.config_folder import SUFFIXES
from contrapose.settings.ids import named


def results_of(project: Lookups, study: str) -> list[tuple[ResultKind, str]]:
    """Return kind and name of all results of a study that people read."""
    tables = [name for name, (owner, _) in project.tables.items() if owner == study]
    figures = [name for name, (owner, _) in project.figures.items() if owner == study]
    claims = [study] if project.files.claims(study) else []
    return [
        *(("tables", name) for name in tables),
        *(("figures", name) for name in figures),
        *(("claims", name) for name in claims),
    ]


def reports_of(project: Lookups, study: str) -> list[str]:
    """Return tables, figures and verdicts on claims of a study, as the files that users request."""
    return [f"<results>/{kind}/{name}.{SUFFIXES[kind]}" for kind, name in results_of(project, study)]


class _Claimed(NamedTuple):
    """What the claims of a study are checked on, as far as it exists."""

    tables: dict[str, str]  # name in the study: name among all studies
    printed: list[str]  # tables of the paper
    runs: list[str]  # whose training logs are read


def _claimed(project: Lookups, study: str) -> _Claimed:
    needs = sorted({name for claim in project.files.claims(study) for name in claim.needs})
    settings = named(project.studies, study, "the list of chosen studies")
    tables = {name: settings.prefix + name for name in needs if name in settings.tables}
    scored = (name for name in tables.values() if project.tables[name][1].kind == "sts")
    runs = dict.fromkeys(run for name in scored for run in stepped_runs(project, name))
    return _Claimed(tables, [each for each in needs if project.files.is_printed(study, each)], list(runs))


def claims_inputs(project: Lookups, study: str) -> dict[str, InputFiles]:
    """Return the files to check a study's claims on: tables, training logs, and the printed tables."""
    tables, printed, runs = _claimed(project, study)
    return {
        "tables": [project.paths.table(table) for table in tables.values()],
        "histories": [project.paths.history(run) for run in runs],
        "published": [project.files.published(study, f"{name}.csv") for name in printed],
    }


def claims_job(project: Lookups, study: str) -> ClaimsJob:
    """Return what a paper claims, and the tables and logs that exist to check it."""
    tables, printed, runs = _claimed(project, study)
    known = project.studies[study].tables
    notes = (note for name in tables.values() for note in project.tables[name][1].stand_ins(project, name))
    return ClaimsJob(
        study=study,
        source=project.studies[study].source,
        catalog=project.catalog_name,
        catalog_description=project.catalog.description,
        generated=project.catalog.generated,
        claims=project.files.claims(study),
        not_judged=_not_judged(project, study),
        tables=list(tables),
        runs=runs,
        published=printed,
        layouts=[known[name].layout if name in known else PrintedLayout() for name in printed],
        functions=code_digest(project.files.claim_functions(study), source_of(project.home)),
        notes=list(dict.fromkeys(notes)),
    )


def _not_judged(project: Lookups, study: str) -> list[str]:
    """Return the claims that a catalog cannot judge; in any catalog, a rule-based model follows no prompt."""
    models = map(project.llm, project.catalog.llms)
    by_rule = any(serving_module(model.endpoint) for model in models)
    claims = [claim for claim in project.files.claims(study) if claim.judged_in]
    return [
        claim.claim_id
        for claim in claims
        if by_rule or project.catalog_name not in claim.judged_in.split(", ")
    ]
