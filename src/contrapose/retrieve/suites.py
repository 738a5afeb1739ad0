"""Which evaluation sets a catalog has, and where their files are, as the planning of jobs asks for them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, Suite, Task
from contrapose.retrieve.data_files import MADE, PROJECT, below, data_folder, folders
from contrapose.settings.plan import Plan

if TYPE_CHECKING:
    import pandas as pd


class EvaluationSet:
    """What planning asks of a kind of evaluation set; the defaults are those of one on the hub."""

    if TYPE_CHECKING:
        task: Task
    in_folder: ClassVar[bool] = False  # of the data folder or the project; its `path`
    made: ClassVar[bool] = False  # by a job, of sentences

    def dev(self, project: Plan) -> Self | None:
        """Return the set with only the splits that its dev pairs are read with; None if it has none."""
        return None

    def dev_file(self, project: Plan, folder: Path) -> Path:
        """Return the file of its dev split in its folder."""
        raise NotImplementedError

    @property
    def is_graded(self) -> bool:
        """Whether a person grades its pairs in a sheet."""
        return False

    def read(self, data: Path | None) -> "tuple[list[pd.DataFrame], dict[str, str]]":
        """Return the BENCHMARK table of the set, and {`task/form/split`: file or folder} of what is missing.

        No table if its folder is missing, or if a job makes its pairs.
        """
        return [], {}

    def judged(self, project: Plan) -> list[tuple[str, str, str]]:
        """Return pair set, llm and prompt of the pairs of texts that a language model scores."""
        return []

    def expected(self, project: Plan) -> int | None:
        """Return about how many pairs will be made, if sentences suffice; None: unknown."""
        return None


def sets_of(project: Plan, suite: Suite) -> dict[str, Any]:
    """Return the sources of a suite's evaluation sets; raise a ConfigError if this catalog has none."""
    sources = {name: each for name, each in project.catalog.benchmarks.items() if _suite(each) == suite}
    if not sources:
        tasks = ", ".join(task for task, about in TASKS.items() if about.suite == suite)
        translator = ", or name a translator" if suite == "translated" else ""
        raise ConfigError(
            f"benchmarks: the catalog '{project.catalog_name}' has none of the {suite} sets. Add one "
            f"of {tasks} to benchmarks in config/catalogs/{project.catalog_name}.yaml{translator}."
        )
    return sources


def _suite(source: EvaluationSet) -> Suite:
    return TASKS[source.task].suite


def has_task(project: Plan, task: Task) -> bool:
    """Return whether an evaluation set is available: the data folder or the project may lack its files."""
    sources = {name: each for name, each in project.catalog.benchmarks.items() if each.task == task}
    return len(missing_sets(project, sources)) < len(sources)


def missing_sets(project: Plan, sources: Mapping[str, EvaluationSet]) -> dict[str, str]:
    """Return {name: folder} of those evaluation sets in files that are not here and that no job makes."""
    data = data_folder(project)
    missing = folders(_in_folders(sources), data)[1]
    made = project.catalog.makes_data or data is None
    return {name: path for name, path in missing.items() if path.startswith(PROJECT) or not made}


def lacking_suite(project: Plan, suite: Suite) -> str:
    """Return that this catalog lacks a suite of evaluation sets; empty if it has it."""
    translated = suite == "translated" and project.catalog.translator is not None
    has = translated or any(_suite(each) == suite for each in project.catalog.benchmarks.values())
    return "" if has else f"this catalog has none of the {suite} sets"


def has_dev_pairs(project: Plan, suites: Iterable[Suite]) -> bool:
    """Return whether suites of this catalog have dev pairs whose scores select settings."""
    sources = [each for each in project.catalog.benchmarks.values() if _suite(each) in suites]
    return any(TASKS[each.task].dev and each.dev(project) for each in sources)


def dev_sources(project: Plan, task: Task) -> dict[str, Any]:
    """Return the sources of a task's dev split in SimCSE's text form, without their other splits.

    Raises ConfigError if this catalog has none.
    """
    fit = {
        name: source
        for name, source in sorted(project.catalog.benchmarks.items())
        if (source.task, source.form) == (task, "senteval")
    }
    sources = {name: dev for name, source in fit.items() if (dev := source.dev(project))}
    if not sources:
        raise ConfigError(
            f"config/catalogs/{project.catalog_name}.yaml: benchmarks has no dev pairs of task {task}, which "
            "choose the checkpoint of a training. Add a set of this task with a dev split, and do not set "
            "its key `form`. Or set dev of the recipe to null or another task."
        )
    return sources


def dev_inputs(project: Plan, task: Task) -> list[str]:
    """Return the existing files of a task's dev split."""
    sources = _in_folders(dev_sources(project, task))
    if project.catalog.makes_data and sources:
        return [MADE]
    existing, _ = folders(sources, data_folder(project))
    files = (sources[name].dev_file(project, folder) for name, folder in existing.items())
    return sorted(str(file) for file in files if file.is_file())


def made_sets(project: Plan, suite: Suite) -> list[str]:
    """Return the files of a suite's evaluation sets that jobs make of sentences."""
    return [project.paths.made_pairs(name) for name, each in sets_of(project, suite).items() if each.made]


def set_inputs(project: Plan, suite: Suite) -> list[str]:
    """Return the existing files of a suite's evaluation sets; missing sets are reported later."""
    sources, data = _in_folders(sets_of(project, suite)), data_folder(project)
    if not sources:
        return []
    existing, missing = folders(sources, data)
    if not existing and not project.catalog.makes_data:
        raise ConfigError(none_here(project, "benchmarks", missing))
    return [MADE] * project.catalog.makes_data + _files_in(existing.values())


def none_here(project: Plan, section: str, missing: Mapping[Any, str]) -> str:
    """Return a key and, in sentences, that no folder of some evaluation sets or transfer tasks exists.

    `missing` are their paths by name, as `folders` returns them.
    """
    file, data = f"config/catalogs/{project.catalog_name}.yaml", data_folder(project)
    paths = {f"{section}.{name}": below(path, data) for name, path in sorted(missing.items())}
    if len(paths) == 1:
        [(key, path)] = paths.items()
        return (
            f"{key}: the folder {path} does not exist. Put the files of the set there, or correct the path "
            f"at {key} of {file}."
        )
    named = ", ".join(f"{path} ({key})" for key, path in paths.items())
    return f"{section}: none of these folders exists: {named}. Add one, or correct its path in {file}."


def transfer_inputs(project: Plan) -> list[str]:
    """Return the existing files of the transfer tasks; missing tasks are reported later."""
    if project.catalog.makes_data:
        return [MADE]
    return _files_in(folders(project.catalog.transfer, data_folder(project))[0].values())


def _in_folders(sources: Mapping[str, EvaluationSet]) -> dict[str, EvaluationSet]:
    return {name: each for name, each in sources.items() if each.in_folder}


def _files_in(existing: Iterable[Path]) -> list[str]:
    return sorted(str(path) for folder in existing for path in folder.iterdir() if path.is_file())
