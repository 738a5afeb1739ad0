"""Folders of models on this machine: their files, and what a folder has to have."""

import importlib.util
import os
from pathlib import Path

from contrapose.base.errors import ConfigError
from contrapose.settings.hub import SAVE_AGAIN

CONFIG = "config.json"


def checked_folder(folder: Path, where: str, catalog: str = "") -> str:
    """Return the folder if it holds a model: a configuration and safetensors weights.

    `where` names it in errors; if it is a key of a catalog, `catalog` is the name of that.
    """
    place = f" at {where} of config/catalogs/{catalog}.yaml" if catalog else ""
    if folder.is_symlink() and not folder.exists():
        raise ConfigError(
            f"{where}: '{folder}' is a link to '{os.readlink(folder)}', which does not exist. Put the "
            "model there, or give the folder of the model in place of the link. Existing results can "
            "be read without the model."
        )
    if not folder.is_dir():
        raise ConfigError(
            f"{where}: '{folder}' is not a folder. Give a folder that transformers or sentence-transformers "
            f"saved{place}{', relative to the project' * (place != '')}. For an encoder of the hub, "
            "write {kind: hub, model: ORG/NAME, revision: COMMIT}."
        )
    files = [path.name for path in (*folder.glob("*"), *folder.glob("*/*")) if path.is_file()]
    if not {CONFIG, "adapter_config.json"} & {*files}:
        raise ConfigError(
            f"{where}: '{folder}' has no {CONFIG}. Name a folder that transformers or sentence-transformers "
            f"saved{place}."
        )
    if not any(name.endswith(".safetensors") for name in files):
        raise ConfigError(
            f"{where}: '{folder}' has no weights in safetensors format (*.safetensors). Pickled "
            f"weights (.bin) are not read, because they can run code. {SAVE_AGAIN}"
        )
    return str(folder)


def encoder_files(folder: str) -> list[str]:
    """Return every file of a model's folder, on which steps that read it depend."""
    paths = Path(folder).rglob("*")
    return sorted(str(path) for path in paths if path.is_file() and not path.name.startswith("."))


def folder_of_package(name: str, where: str) -> Path:
    """Return the encoder folder inside an installed Python package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"{where}: the package '{name}' is not installed. Install it: pip install {name}")
    package = Path(next(iter(spec.submodule_search_locations)))
    folders = sorted(path.parent for path in package.rglob(CONFIG) if any(path.parent.glob("*.safetensors")))
    if not folders:
        raise ConfigError(
            f"{where}: the package '{name}' contains no folder of an encoder. Name another package."
        )
    return folders[0]
