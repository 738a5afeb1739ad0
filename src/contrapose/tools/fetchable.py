"""What `contrapose download` brings for rows and columns of tables that have no numbers before."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contrapose.base.directory import call, settings
from contrapose.project import Project
from contrapose.settings.catalogs import ModelSource
from contrapose.tools.convert import pickles
from contrapose.tools.needs import used_entries


def fetchable(project: Project, targets: Sequence[str]) -> list[str]:
    """Return models of the hub and files below the project that some targets need and that are not here."""
    models = [each.model for each in shortened_models(project, targets)]
    released = [each.source for each in pickles(project, targets)]
    return [*models, *released, *downloads(project, targets)]


def fetch_command(config: Sequence[str], targets: Sequence[str]) -> str:
    """Return the command that brings it, with the settings and targets of a call."""
    return call("download", settings(config), "--", *map(shlex.quote, targets))


def shortened_models(project: Project, targets: Sequence[str]) -> list[Any]:
    """Return the models whose commits are not whole and that tables of the targets need, each once."""
    used = (each for each in used_entries(project, targets) if isinstance(each, ModelSource))
    return list({each.hub_name: each for each in used if each.shortened}.values())


def downloads(project: Project, targets: Sequence[str]) -> list[str]:
    """Return the files of the catalog's downloads that rows of the targets need and that are not here."""
    used = used_entries(project, targets)
    paths = [path for each in used for path in (getattr(each, "path", None), *getattr(each, "files", ()))]
    needed = {Path(path) for path in paths if path}
    lacking = (file for file in project.catalog.downloads if not Path(file).exists())
    return [file for file in lacking if needed & {Path(file), *Path(file).parents}]
