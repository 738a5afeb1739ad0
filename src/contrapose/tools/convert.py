"""Save models whose weights were released as a pickle as safetensors, where a catalog expects them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from contrapose.base.errors import BackendError, ConfigError
from contrapose.project import Project
from contrapose.settings.catalogs import ModelSource
from contrapose.settings.catalogs.model_folders import CONFIG
from contrapose.settings.hub import FETCHED, NOT_FETCHED, unavailable
from contrapose.tables import written
from contrapose.tools.needs import used_entries

PICKLE, WEIGHTS = "pytorch_model.bin", "model.safetensors"
# Variables that a process that reads a pickle inherits: no key, no token, no proxy.
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")


class Conversion(NamedTuple):
    """A model to save again."""

    source: str  # name on the hub, or a folder
    folder: Path  # target, which does not exist yet
    revision: str | None = None


def pickles(project: Project, targets: Sequence[str]) -> Iterator[Conversion]:
    """Yield, once each, the models that name their release, are not here, and that tables of targets need."""
    sources = (source for source in used_entries(project, targets) if isinstance(source, ModelSource))
    releases = (source.release(project) for source in sources)
    for folder, release in {release.folder: release for release in releases if release}.items():
        if not folder.exists():
            yield Conversion(release.model, folder, release.commit)


def convert(model: Conversion) -> str:
    """Write the folder of a model: its small files, and its weights as safetensors.

    Weights that are safetensors already are copied.  Returns what was done.  Raises BackendError if the hub
    does not provide the model, and ConfigError if the source has no weights or no configuration, or its
    pickle holds more than tensors: none of its code was run, and nothing is written.
    """
    source = _folder(model.source, model.revision)
    weights = next((source / name for name in (WEIGHTS, PICKLE) if (source / name).is_file()), None)
    if weights is None or not (source / CONFIG).is_file():
        raise ConfigError(
            f"'{model.source}' has no {CONFIG}, or no weights ({WEIGHTS} or {PICKLE}). Name another model."
        )
    model.folder.parent.mkdir(parents=True, exist_ok=True)
    with written(model.folder) as draft:
        shutil.copytree(source, draft, ignore=shutil.ignore_patterns("*.bin", "*.safetensors", ".*"))
        if weights.name == WEIGHTS:
            shutil.copyfile(weights, draft / WEIGHTS)
        else:
            _unpickled(weights, draft / WEIGHTS)
    commit = f"commit {source.name} of the hub" if source.parent.name == "snapshots" else str(source)
    return f"{commit}, {'copied' if weights.name == WEIGHTS else 'converted'}"


def _folder(model: str, revision: str | None) -> Path:
    """Return the folder of a model, fetched if needed; the pickle only where there are no other weights."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download  # `plan` asks only what is to be fetched

    fetched = partial(snapshot_download, model, ignore_patterns=NOT_FETCHED)
    try:
        folder = Path(fetched(revision=revision, allow_patterns=FETCHED))
        if (folder / WEIGHTS).is_file():
            return folder
        return Path(fetched(revision=folder.name, allow_patterns=[*FETCHED, PICKLE]))
    except Exception as error:  # a broken connection raises an error of the HTTP library
        raise unavailable(
            f"'{model}' could not be downloaded", error, "Check the name and the network."
        ) from error


def _unpickled(weights: Path, target: Path) -> None:
    # By path, and isolated (-I): nothing of the working directory or PYTHONPATH is imported.
    program = Path(__file__).with_name("unpickle.py")
    call = [sys.executable, "-I", str(program), str(weights.resolve()), str(target.resolve())]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    if done.returncode > 0:
        raise ConfigError(f"'{weights}' could not be converted: {done.stderr.strip().splitlines()[-1]}")
    if done.returncode:
        raise BackendError(
            f"'{weights}' could not be converted, because the process that read it was ended by signal "
            f"{-done.returncode}. Often, memory is too small. Run the same command on a machine with more."
        )
