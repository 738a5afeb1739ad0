"""A project of one study in an edited mini world."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from contrapose.project import Project, steps

HOME = Path(__file__).parents[3]


def _edited(path: str, entries: dict[str, Any]) -> dict:
    """Return a YAML file of `config/` with other entries, `section` or `section.name`; `...` removes one."""
    content = yaml.safe_load((HOME / "config" / path).read_text())
    for key, value in entries.items():
        section, _, name = key.partition(".")
        place, last = (content[section], name) if name else (content, section)
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return content


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Project]:
    """Give a function (tables, figures, entries of the world, of the recipes, config) -> Project.

    The study is called `own`, and so begin the names of its tables and figures: `own_one`.
    """
    monkeypatch.chdir(tmp_path)

    def project(tables: dict, figures=None, world=None, recipes=None, **config) -> Project:
        names = {"title": "t", "source": "s", "prefix": "own_"}
        files = {
            "worlds/mini.yaml": _edited("worlds/mini.yaml", world or {}),
            "recipes.yaml": _edited("recipes.yaml", recipes or {}),
            "studies/own/study.yaml": {**names, "tables": tables, "figures": figures or {}},
        }
        for name, content in files.items():
            path = tmp_path / "config" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml.safe_dump(content, sort_keys=False))
        return Project({"studies": ["own"], **config}, HOME)

    return project


@pytest.fixture
def job() -> Callable[..., Any]:
    """Give a function (project, rule, wildcards) -> the settings of a job."""
    return lambda project, rule, **wildcards: steps.STEPS[rule].settings(project, **wildcards)


@pytest.fixture
def inputs() -> Callable[..., dict]:
    """Give a function (project, name) -> the files behind a table or figure."""
    return lambda project, name: project.reports.settings(name)[1].inputs(project, name)
