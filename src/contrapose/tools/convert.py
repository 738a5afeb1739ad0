"""Save models whose weights were released as a pickle as safetensors, where a world expects their folders."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import snapshot_download

from contrapose.errors import BackendError, ConfigError, ContraposeError
from contrapose.home import HOME
from contrapose.project import Project, data
from contrapose.project.given import given_config
from contrapose.retrieve.hub_data import FETCHED, NOT_FETCHED, unavailable
from contrapose.settings.worlds import EncoderFolder, RinnaSource
from contrapose.tables import written

PICKLE, WEIGHTS, CONFIG = "pytorch_model.bin", "model.safetensors", "config.json"
REST = [each for each in FETCHED if each != "*.safetensors"]  # configuration and tokenizer
# Variables that a process that reads a pickle inherits: no key, no token, no proxy.
ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")


class Conversion(NamedTuple):
    """A model to save again."""

    source: str  # name on the hub, a folder, or a file of weights
    folder: Path  # target, which does not exist yet
    revision: str | None = None
    like: str | None = None  # model whose configuration and tokenizer go with a file of weights


def main(arguments: list[str]) -> bool:
    """Convert one model, or all that a world names and lacks; the exit code is 0 only if all exist then."""
    parser = argparse.ArgumentParser(prog="contrapose convert", description=__doc__)
    add = parser.add_argument
    add("--config", nargs="*", default=[], metavar="key=value", help="as for snakemake")
    add("--revision", help="commit on the hub (default: the newest)")
    add("--like", help="model on the hub, or a folder, for the rest of a file of weights")
    add("model", nargs="*", help="after --: name on the hub, folder or file, and the folder to write")
    given = parser.parse_args(arguments)
    if len(given.model) not in (0, 2):
        parser.error("give a model and its folder, or neither for all of the world")
    failed = False
    if given.model:
        wanted = [Conversion(given.model[0], Path(given.model[1]), given.revision, given.like)]
    else:
        wanted = list(lacking(Project(given_config(given.config), HOME)))
        print(f"{len(wanted)} models of the world are to be converted.", flush=True)
    for each in wanted:
        try:
            print(f"{each.source} -> {each.folder}: {convert(each)}", flush=True)
        except ContraposeError as error:
            print(f"{each.source}: {error}", file=sys.stderr, flush=True)
            failed = True
    return failed


def lacking(project: Project) -> Iterator[Conversion]:
    """Yield, once each, the models of a world that name their release and whose folder is missing."""
    sources = [*project.world.encoders.values(), *project.world.language_models.values()]
    found = {
        data.model_path(project, each.path): each.released
        for each in sources
        if isinstance(each, EncoderFolder | RinnaSource) and each.path and each.released
    }
    for folder, released in found.items():
        if not folder.exists():
            yield Conversion(released, folder)


def convert(wanted: Conversion) -> str:
    """Write the folder of a model: its small files, and its weights as safetensors.

    Weights that are safetensors already are copied.  Returns what was done.  Raises BackendError if the hub
    does not provide the model, and ConfigError if the folder exists, the source has no weights or no
    configuration, or its pickle holds more than tensors: none of its code was run, and nothing is written.
    """
    if wanted.folder.exists():
        raise ConfigError(f"'{wanted.folder}' already exists. Move it away to convert the model again.")
    source = Path(wanted.source)
    if source.is_file():
        if wanted.like is None:
            raise ConfigError(
                f"'{source}' has only weights. Name a model with the same configuration: --like MODEL"
            )
        rest, weights = _folder(wanted.like, None, REST), source
    else:
        rest = _folder(wanted.source, wanted.revision)
        weights = next((rest / name for name in (WEIGHTS, PICKLE) if (rest / name).is_file()), rest / PICKLE)
    if not weights.is_file() or not (rest / CONFIG).is_file():
        raise ConfigError(f"'{wanted.source}' has no {CONFIG}, or neither {WEIGHTS} nor {PICKLE}.")
    wanted.folder.parent.mkdir(parents=True, exist_ok=True)
    with written(wanted.folder) as draft:
        shutil.copytree(rest, draft, ignore=shutil.ignore_patterns("*.bin", "*.safetensors", ".*"))
        if weights.suffix == ".safetensors":
            shutil.copyfile(weights, draft / WEIGHTS)
        else:
            _unpickled(weights, draft / WEIGHTS)
    commit = f"commit {rest.name} of the hub" if rest.parent.name == "snapshots" else str(rest)
    return f"{commit}, {'copied' if weights.suffix == '.safetensors' else 'converted'}"


def _folder(model: str, revision: str | None, files: list[str] = FETCHED) -> Path:
    """Return the folder of a model, fetched if needed; the pickle only where there are no other weights."""
    if Path(model).is_dir():
        return Path(model)
    fetched = partial(snapshot_download, model, ignore_patterns=NOT_FETCHED)
    try:
        found = Path(fetched(revision=revision, allow_patterns=files))
        if files == REST or (found / WEIGHTS).is_file():
            return found
        return Path(fetched(revision=found.name, allow_patterns=[*files, PICKLE]))
    except Exception as error:  # a broken connection raises an error of the HTTP library
        raise unavailable(
            f"'{model}' could not be fetched", error, "Check its name and the network."
        ) from error


def _unpickled(weights: Path, target: Path) -> None:
    # By path, and isolated (-I): nothing of the working directory or PYTHONPATH is imported.
    program = Path(__file__).with_name("unpickle.py")
    call = [sys.executable, "-I", str(program), str(weights.resolve()), str(target.resolve())]
    known = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    done = subprocess.run(call, env=known, capture_output=True, text=True, check=False)
    if done.returncode > 0:
        raise ConfigError(f"'{weights}' could not be converted: {done.stderr.strip().splitlines()[-1]}")
    if done.returncode:
        raise BackendError(f"'{weights}': the process that read it was ended by signal {-done.returncode}.")
