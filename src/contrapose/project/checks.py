"""Checks beyond the existence of names that settings of a project fit: run by run, study by study."""

from dataclasses import astuple
from fnmatch import fnmatchcase
from typing import Any

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TRANSLATED
from contrapose.jobs.fingerprint import canonical
from contrapose.project.documents import Study
from contrapose.project.lookups import Lookups
from contrapose.project.methods import is_comparison
from contrapose.project.registries import check, check_entry, in_place
from contrapose.project.reports import trained_runs
from contrapose.report.planned_rows import encoder_rows
from contrapose.report.row_runs import searched, trainings
from contrapose.report.row_settings import Row
from contrapose.settings.ids import Run, named, training_from


def check_project(project: Lookups) -> None:
    """Look everything up once, so that a wrong name raises here and not in the middle of the work."""
    for role in project.config.llm_budget:
        named(project.catalog.llms, role, f"llm_budget: llms of {project.files.catalog_path}")
    _check_data(project)
    for name in project.tables.keys() & project.figures.keys():
        raise ConfigError(f"figures.{name}: a table has the same name. Rename one of them.")
    for study_name, study in project.studies.items():
        file = _file(study_name)
        shown: dict[str, Any] = {**study.tables, **study.figures}
        for name, settings in shown.items():
            check(project, settings, f"{file}, {'table' if name in study.tables else 'figure'} {name}")
            with in_place(file):
                settings.check_in(study.tables, name, project)
        for name in (name for deviation in study.deviations for name in deviation.tables):
            named(shown, name, f"{file}: deviations: the list of tables of the study")
    for name, (study_name, _) in project.tables.items():
        with in_place(table := f"{_file(study_name)}, table {name}"):
            rows = encoder_rows(project, name)
        seen = set()
        for row in rows:
            if (settings := canonical(row)) in seen:
                raise ConfigError(f"{table}: the method '{row.model}' occurs twice. Remove one of them.")
            seen.add(settings)
            with in_place(f"{table}, '{row.model}'"):
                _check_row(project, row)
    _check_processes(project)
    for study_name, study in project.studies.items():
        _check_claims(project, study_name, study)
    _check_translator(project)
    for name, source in project.catalog.benchmarks.items():
        check(project, source, f"{project.files.catalog_path}, benchmarks.{name}")


def check_names(project: Lookups) -> None:
    """Raise ConfigError for two rows of a comparison with one name, by which a person chooses methods."""
    for name, (study, table) in project.tables.items():
        rows: list[Row] = table.rows if is_comparison(table) else []
        numbers = dict[tuple[str | None, str], int]()
        for number, row in enumerate(rows, 1):
            if (first := numbers.setdefault((row.group, row.model), number)) != number:
                raise ConfigError(
                    f"{_file(study)}, table {name}: rows {first} and {number} are both called '{row.model}'. "
                    "Rename or remove one of them."
                )


def _file(study: str) -> str:
    return f"config/studies/{study}/study.yaml"


def _check_processes(project: Lookups) -> None:
    patterns = project.config.nproc_per_node
    if isinstance(patterns, int):
        return
    recipes = sorted({training_from(run).recipe for run in trained_runs(project)})
    for pattern in patterns:
        if not any(fnmatchcase(recipe, pattern) for recipe in recipes):
            known = ", ".join(recipes)
            raise ConfigError(
                f"nproc_per_node: the pattern '{pattern}' matches no recipe of the chosen studies. "
                f"Their recipes are {known}."
            )


def _check_claims(project: Lookups, name: str, study: Study) -> None:
    """Check that each claim has a function, and that its tables are in the study or printed in the paper."""
    for claim in project.files.claims(name):
        project.files.claim_functions(name)
        for needed in claim.needs:
            if needed not in study.tables:
                project.files.published(name, f"{needed}.csv")


def _check_row(project: Lookups, row: Row) -> None:
    if row.encoder is not None:
        project.runs.check_pooling(row.encoder, row.pooling)
    for runs in (trainings(project, row), *searched(project, row).values()):
        for run in runs[:1]:
            check_run(project, run)


def check_run(project: Lookups, run: Run) -> None:
    """Raise a ConfigError if a run, or one that it starts from, cannot be trained."""
    pairs, recipe = project.pairs(run.pairs), project.recipe(run.recipe)
    check_entry(project, "pairs", run.pairs)
    check_entry(project, "recipes", run.recipe)
    for each in project.runs.averaged(*astuple(run))[:1]:
        check_run(project, each)
    if pairs.is_dev(project):
        raise ConfigError(f"pairs '{run.pairs}' are dev pairs. Train on the same pair set without part=dev.")
    recipe.check_pairs(project, run.pairs, f"recipe '{run.recipe}' on pairs '{run.pairs}'")
    for role in filter(None, (recipe.encoder, *recipe.frozen_encoders)):
        source = project.entry("encoders", role)
        if source is not None and (first := source.first_run(project)):
            check_run(project, first)


def _check_translator(project: Lookups) -> None:
    """Check that translated sets have one source, and that a translator has something to translate."""
    translator = project.catalog.translator
    if translator is None:
        return
    tasks = {source.task: name for name, source in project.catalog.benchmarks.items()}
    if twins := [tasks[task] for task in TRANSLATED.values() if task in tasks]:
        raise ConfigError(
            f"benchmarks of the catalog: '{twins[0]}' is a translated set, but the catalog also has a "
            "translator. To use the set, write translator: null. To use the translator, remove the "
            "set."
        )
    if lacking := [task for task in TRANSLATED if task not in tasks]:
        raise ConfigError(
            f"translator: the catalog '{project.catalog_name}' has no set of task {lacking[0]} to "
            f"translate. Add one under benchmarks in config/catalogs/{project.catalog_name}.yaml, or "
            "set translator: null."
        )
    check(project, translator, f"{project.files.catalog_path}, translator")


def _check_data(project: Lookups) -> None:
    """Check that `data` is set for a catalog that reads files, and for no other."""
    if project.catalog.makes_data and project.data is not None:
        raise ConfigError(
            f"data is '{project.data}', but the catalog '{project.catalog_name}' generates its own "
            "data. Remove data, or choose a catalog that reads files: --config catalog=files"
        )
    catalog = project.catalog
    in_files = catalog.transfer or (catalog.articles and catalog.articles.files)
    in_files = in_files or any(source.in_folder for source in catalog.benchmarks.values())
    if in_files and not catalog.makes_data and project.data is None:
        raise ConfigError(
            f"data is not set, but the catalog '{project.catalog_name}' reads its files from this "
            "folder. Name it: --config data=FOLDER"
        )
