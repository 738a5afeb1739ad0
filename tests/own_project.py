"""The settings and data of a person's own project, for tests that run the workflow in its folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.checkout import HOME

ENCODER = HOME / "resources/mini/encoders/bert-base"


def write(path: Path, text: str) -> None:
    """Write a file, and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def own_project(
    folder: Path, data: Mapping[str, str], catalog: dict, recipes: dict, tables: dict, **config: Any
) -> Path:
    """Write a project with a catalog and a study `own` and an encoder `mine`; return its folder."""
    settings = {
        "config.yaml": {"catalog": "own", "studies": ["own"], "data": "data", **config},
        "catalogs/own.yaml": {"description": "own", "encoders": {"mine": {"path": str(ENCODER)}}} | catalog,
        "recipes.yaml": recipes,
        "studies/own/study.yaml": {"title": "t", "source": "s", "prefix": "own_", "tables": tables},
    }
    for name, content in settings.items():
        write(folder / "config" / name, yaml.safe_dump(content, sort_keys=False))
    for name, text in data.items():
        write(folder / "data" / name, text)
    return folder
