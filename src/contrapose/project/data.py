"""Entries of the catalog, and their files below its data folder or the project.

A source says in `files` what it reads.  What of it exists is planned here; its module reads it in a job.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contrapose.base.errors import ConfigError
from contrapose.base.tasks import TASKS, Suite, Task
from contrapose.project.lock import shortened
from contrapose.project.lookups import Lookups
from contrapose.retrieve.data_files import PROJECT, below, folders, matching
from contrapose.retrieve.formats import split_files
from contrapose.retrieve.made_pairs import MadePairs
from contrapose.settings.ids import named

if TYPE_CHECKING:
    from contrapose.evaluate.mteb_files import MtebTasks

MADE = "<results>/retrieve/data"  # the data folder of a catalog that generates or fetches it


def model_path(project: Lookups, path: str) -> Path:
    """Return the path of a model's folder or file: below the data folder, `{data}`, or the project."""
    model = Path(path.replace("{data}", str(project.data or "")))
    return model if model.is_absolute() or os.path.lexists(model) else project.files.below_home(model)


def model_exists(project: Lookups, source: Any) -> bool:
    """Return whether the folder or file of a model exists, if optional, or its commit is a whole one."""
    if shortened(source):
        return False
    path = source.path if getattr(source, "optional", False) else None
    return path is None or model_path(project, path).exists()


# Sections of a catalog that are one entry, and what is said where it is null.
ONE_ENTRY = {
    "articles": ", and a corpus of kind sampled is drawn from them. Put them into {file}, or take a corpus "
    "of kind published, a text file with one sentence a line.",
    "translator": ". Name one in {file}: a language model, {{kind: llm, llm: ROLE}}, or a model on this "
    "machine, {{kind: seq2seq, path: FOLDER}}.",
}


def source(project: Lookups, section: str, name: str = "", kind: str = "") -> Any:
    """Return an entry of the catalog; raise a ConfigError if it is null or of another kind."""
    if section in ONE_ENTRY:
        if getattr(project.catalog, section) is None:
            hint = ONE_ENTRY[section].format(file=_file(project))
            raise ConfigError(f"{section}: the catalog '{project.catalog_name}' has none{hint}")
        return getattr(project.catalog, section)
    entry: Any = mteb_tasks(project, name) if section == "mteb" else project.entry(section, name)
    if entry is None:
        raise project.null(name, section)
    if kind and entry.kind != kind:
        raise ConfigError(
            f"{section}.{name} of the catalog '{project.catalog_name}' is not of kind {kind}: no job makes "
            "it. Ask for its scores or texts instead."
        )
    return entry


def inputs(project: Lookups, section: str, name: str = "") -> list[str]:
    """Return the files of an entry, and the folder that a job makes for some of them; none for the hub."""
    entry = source(project, section, name)
    if entry.kind == "hub":
        return []
    key = f"{section}.{name}" if name else section
    if missing := unavailable_files(project, entry, key):
        below = "the project" if missing[0].startswith(PROJECT) else f"'{project.data}'"
        raise ConfigError(
            f"{key}: no file matches '{missing[0]}' below {below}. "
            f"Put it there, or change {key} in {_file(project)}."
        )
    made = [MADE] if project.makes_data and any(not each.startswith(PROJECT) for each in entry.files) else []
    paths = _matching(project, entry, key).values()
    return made + [str(path) for matches in paths for path in matches]


def unavailable_files(project: Lookups, entry: Any, key: str = "files") -> list[str]:
    """Return the names or patterns of a source's files that match none and that no job makes."""
    return [
        pattern
        for pattern, paths in _matching(project, entry, key).items()
        if not paths and (pattern.startswith(PROJECT) or not project.makes_data)
    ]


def _matching(project: Lookups, entry: Any, key: str) -> dict[str, list[Path]]:
    data = None if project.makes_data else project.data
    try:
        return matching(getattr(entry, "files", ()), data)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from error


def _file(project: Lookups) -> str:
    return f"config/catalogs/{project.catalog_name}.yaml"


def benchmarks(project: Lookups, suite: Suite) -> dict[str, Any]:
    """Return the sources of a suite's evaluation sets; raise a ConfigError if this catalog has none."""
    sources = {name: each for name, each in project.catalog.benchmarks.items() if _suite(each) == suite}
    if not sources:
        tasks = ", ".join(task for task, about in TASKS.items() if about.suite == suite)
        translator = ", or name a translator" if suite == "translated" else ""
        raise ConfigError(
            f"benchmarks: the catalog '{project.catalog_name}' has none of the {suite} sets. Add one of "
            f"{tasks} to benchmarks in {_file(project)}{translator}."
        )
    return sources


def _suite(benchmark: Any) -> Suite:
    return TASKS[benchmark.task].suite


def has_task(project: Lookups, task: Task) -> bool:
    """Return whether an evaluation set is available: the data folder or the project may lack its files."""
    sources = {name: each for name, each in project.catalog.benchmarks.items() if each.task == task}
    return len(missing_sets(project, sources)) < len(sources)


def missing_sets(project: Lookups, sources: Mapping[str, Any]) -> dict[str, str]:
    """Return {name: folder} of those evaluation sets in files that are not here and that no job makes."""
    missing = folders(_in_files(sources), project.data)[1]
    made = project.makes_data or project.data is None
    return {name: path for name, path in missing.items() if path.startswith(PROJECT) or not made}


def lacking_sets(project: Lookups, suite: Suite) -> str:
    """Return that this catalog lacks a suite of evaluation sets; empty if it has it."""
    translated = suite == "translated" and project.catalog.translator is not None
    has = translated or any(_suite(each) == suite for each in project.catalog.benchmarks.values())
    return "" if has else f"this catalog has none of the {suite} sets"


def dev_sources(project: Lookups, task: Task) -> dict[str, Any]:
    """Return the sources of a task's dev split in SimCSE's text form, without their other splits.

    Raises ConfigError if this catalog has none.
    """
    sources: dict[str, Any] = {}
    for name, source in sorted(project.catalog.benchmarks.items()):
        if source.task != task or source.form != "senteval":
            continue
        if source.kind == "hub":  # with what dev is a part of
            theirs = source.splits.get("dev")
            splits: Any = {ours: each for ours, each in source.splits.items() if each == theirs}
        else:
            splits = ["dev"] if "dev" in (source.splits or ["dev"]) else []
        if splits:
            sources[name] = source.model_copy(update={"splits": splits})
    if not sources:
        raise ConfigError(
            f"benchmarks: the catalog '{project.catalog_name}' has no set of task {task} with a dev split "
            f"and form senteval, the default, to select checkpoints on. Add one in {_file(project)}, or "
            "change dev of the recipe."
        )
    return sources


def dev_inputs(project: Lookups, task: Task) -> list[str]:
    """Return the existing files of a task's dev split."""
    sources = _in_files(dev_sources(project, task))
    if project.makes_data and sources:
        return [MADE]
    existing, _ = folders(sources, project.data)
    files = (
        folder / split_files(sources[name].kind, folder, task)["dev"].file
        for name, folder in existing.items()
    )
    return sorted(str(file) for file in files if file.is_file())


def made_pairs_entry(project: Lookups, name: str) -> Any:
    """Return an evaluation set by name; raise a ConfigError unless it is made of sentences."""
    sources = project.catalog.benchmarks.items()
    made = {name: each for name, each in sources if isinstance(each, MadePairs)}
    return named(made, name, "benchmarks of the catalog that are made of sentences")


def made_pairs(project: Lookups, suite: Suite) -> list[str]:
    """Return the files of a suite's evaluation sets that jobs make of sentences."""
    sources = benchmarks(project, suite).items()
    return [project.paths.made_pairs(name) for name, each in sources if isinstance(each, MadePairs)]


def benchmark_inputs(project: Lookups, suite: Suite) -> list[str]:
    """Return the existing files of a suite's evaluation sets; missing sets are reported later."""
    sources = _in_files(benchmarks(project, suite))
    if not sources:
        return []
    existing, missing = folders(sources, project.data)
    if not existing and not project.makes_data:
        expected = ", ".join(sorted(missing.values()))
        raise ConfigError(
            f"benchmarks: none found below '{project.data}' or its senteval/. Expected one of: {expected}."
        )
    return [MADE] * project.makes_data + _files_in(existing.values())


def transfer_inputs(project: Lookups) -> list[str]:
    """Return the existing files of the transfer tasks; missing tasks are reported later."""
    if project.makes_data:
        return [MADE]
    return _files_in(folders(project.catalog.transfer, project.data)[0].values())


def _in_files(sources: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in sources.items() if hasattr(each, "path")}


def _files_in(existing: Iterable[Path]) -> list[str]:
    return sorted(str(path) for each in existing for path in each.iterdir() if path.is_file())


def mteb_tasks(project: Lookups, tasks: str) -> "MtebTasks":
    """Return a list of tasks of mteb; raise a ConfigError if the catalog has none of this name."""
    return named(project.catalog.mteb, tasks, f"mteb of the catalog '{project.catalog_name}'")


def mteb_folders(project: Lookups, tasks: str) -> dict[str, str]:
    """Return the folders of those tasks of an mteb list that are in files, by name."""
    listed = mteb_tasks(project, tasks)
    return {each.name: str(below(each.path, project.data)) for each in listed if not isinstance(each, str)}


def mteb_files(project: Lookups, tasks: str) -> list[str]:
    """Return the files of an mteb list; raise a ConfigError if a folder is missing."""
    by_task = mteb_folders(project, tasks)
    for name, folder in by_task.items():
        if not Path(folder).is_dir():
            raise ConfigError(
                f"mteb.{tasks}: '{folder}', the folder of {name}, does not exist. Put it there."
            )
    return [str(path) for folder in by_task.values() for path in sorted(Path(folder).glob("*.*"))]
