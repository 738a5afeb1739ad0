"""The project that a process plans: the workflow, and what speaks of its jobs, read the settings once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from contrapose.project.checks import check_names
from contrapose.project.project import Project

_planned = list[Project]()  # the last is meant


def at_hand() -> Project | None:
    """Return the project of the workflow that this process has read; None where it has read none."""
    return _planned[-1] if _planned else None


@contextmanager
def offered(project: Project) -> Iterator[None]:
    """Let the workflow that is read meanwhile take this project, if it is that of its settings."""
    before = list(_planned)
    _planned.append(project)
    try:
        yield
    finally:
        _planned[:] = before


def project_of_workflow(config: Mapping[str, object], home: Path, results: str) -> Project:
    """Return the project that is offered, if it is that of these settings and folders, or read it.

    Raises ConfigError as `Project`.
    """
    project = at_hand()
    if project is None or (project.given, project.home, project.results) != (config, home, results):
        project = Project(config, home, results)
        check_names(project)
        _planned.append(project)
    return project
