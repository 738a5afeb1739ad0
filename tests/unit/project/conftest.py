"""Projects of edited files of `config/`."""

import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from contrapose.project import Project, steps

HOME = Path(__file__).parents[3]


def write_text(file: str, text: str) -> None:
    path = Path("config") / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="latin-1")


def write(file: str, content: dict) -> None:
    write_text(file, yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False))


def content_of(file: str) -> dict:
    return pickle.loads(_parsed(file))


@cache
def _parsed(file: str) -> bytes:
    """Return the content of a file of `config/`; a pickle of it is read four times as fast."""
    return pickle.dumps(yaml.load((HOME / "config" / file).read_text(), yaml.CSafeLoader))


def edit(file: str, entries: dict[str, Any]) -> None:
    """Write a copy of a file of `config/` with other entries, `a.b` or `a.0`; one that is `...` goes."""
    content = content_of(file)
    for key, value in entries.items():
        *way, last = (int(part) if part.isdecimal() else part for part in key.split("."))
        place = content
        for part in way:
            place = place[part]
        if value in (..., "..."):
            del place[last]
        else:
            place[last] = value
    write(file, content)


def sts(*rows: str | dict, **changes) -> dict:
    """Return a table of scores on STS-B; the row `a/b` is trained on pairs `a` with recipe `b`."""
    made = [{"model": "plain", **row} if isinstance(row, dict) else _trained(*row.split("/")) for row in rows]
    return {"kind": "sts", "caption": "c", "columns": {"STS-B": "stsb"}, "rows": made, **changes}


def _trained(pairs: str, recipe: str) -> dict:
    return {"model": pairs, "pairs": pairs, "recipe": recipe}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder without a project's files of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def edited(here) -> Callable[..., Project]:
    """Give a function (file, its entries, config) -> Project."""

    def project(file: str, entries: dict[str, Any], **config) -> Project:
        edit(file, entries)
        return Project(config, HOME)

    return project


@pytest.fixture
def build(here) -> Callable[..., Project]:
    """Give a function (tables, figures, entries of the catalog, of the recipes, config) -> Project.

    The study is called `own`, and so begin the names of its tables and figures: `own_one`.
    """

    def project(tables: dict, figures=None, catalog=None, recipes=None, **config) -> Project:
        edit("catalogs/mini.yaml", catalog or {})
        edit("recipes.yaml", recipes or {})
        names = {"title": "t", "source": "s", "prefix": "own_"}
        write("studies/own/study.yaml", {**names, "tables": tables, "figures": figures or {}})
        return Project({"studies": ["own"], **config}, HOME)

    return project


@pytest.fixture
def job() -> Callable[..., Any]:
    """Give a function (project, rule, wildcards) -> the settings of a job."""
    return lambda project, rule, **wildcards: steps.step_of(rule).settings(project, **wildcards)


@pytest.fixture
def inputs() -> Callable[..., dict]:
    """Give a function (project, name) -> the files behind a table or figure."""
    return lambda project, name: project.shown(name).spec.inputs(project, project.about(name))
