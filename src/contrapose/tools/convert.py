"""Save models whose weights were released as a pickle as safetensors, where a catalog expects them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from huggingface_hub import snapshot_download

from contrapose.base.errors import BackendError, ConfigError, ContraposeError
from contrapose.project import Project, data
from contrapose.settings.catalogs import EncoderFolder, RinnaSource
from contrapose.settings.hub import FETCHED, NOT_FETCHED, unavailable
from contrapose.tables import written
from contrapose.tools.command_line import command_parser, project_of
from contrapose.tools.needs import used_entries

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
    """Convert one model, or all that a catalog names and lacks; the exit code is 0 only if all exist then."""
    parser = command_parser("convert", __doc__)
    add = parser.add_argument
    add("--revision", help="commit on the hub (default: the newest)")
    add("--like", help="model on the hub, or a folder, for the rest of a file of weights")
    add("model", nargs="*", help="after --: name on the hub, folder or file, and the folder to write")
    options = parser.parse_args(arguments)
    if len(options.model) not in (0, 2):
        parser.error("give a model and its folder, or neither for all of the catalog")
    failed = False
    if options.model:
        conversions = [Conversion(options.model[0], Path(options.model[1]), options.revision, options.like)]
    else:
        conversions = list(lacking(project_of(options.config)))
        print(f"{len(conversions)} models of the catalog are to be converted.", flush=True)
    for conversion in conversions:
        try:
            print(f"{conversion.source} -> {conversion.folder}: {convert(conversion)}", flush=True)
        except ContraposeError as error:
            print(f"{conversion.source}: {error}", file=sys.stderr, flush=True)
            failed = True
    return failed


def lacking(project: Project) -> Iterator[Conversion]:
    """Yield, once each, the models of a catalog that name their release and whose folder is missing."""
    sources = [*project.catalog.encoders.values(), *project.catalog.language_models.values()]
    releases = {
        data.model_path(project, each.path): (each.released, getattr(each, "commit", None))
        for each in sources
        if isinstance(each, EncoderFolder | RinnaSource) and each.path and each.released
    }
    for folder, (released, commit) in releases.items():
        if not folder.exists():
            yield Conversion(released, folder, commit)


def pickles(project: Project, targets: Sequence[str]) -> Iterator[Conversion]:
    """Yield the models that were released as pickles, are not here, and that tables of the targets need."""
    needed = {getattr(source, "released", None) for source in used_entries(project, targets)}
    yield from (each for each in lacking(project) if each.source in needed)


def convert(model: Conversion) -> str:
    """Write the folder of a model: its small files, and its weights as safetensors.

    Weights that are safetensors already are copied.  Returns what was done.  Raises BackendError if the hub
    does not provide the model, and ConfigError if the folder exists, the source has no weights or no
    configuration, or its pickle holds more than tensors: none of its code was run, and nothing is written.
    """
    if model.folder.exists():
        raise ConfigError(f"'{model.folder}' already exists. Move it away to convert the model again.")
    source = Path(model.source)
    if source.is_file():
        if model.like is None:
            raise ConfigError(
                f"'{source}' has only weights. Name a model with the same configuration: --like MODEL"
            )
        rest, weights = _folder(model.like, None, REST), source
    else:
        rest = _folder(model.source, model.revision)
        weights = next((rest / name for name in (WEIGHTS, PICKLE) if (rest / name).is_file()), rest / PICKLE)
    if not weights.is_file() or not (rest / CONFIG).is_file():
        raise ConfigError(f"'{model.source}' has no {CONFIG}, or neither {WEIGHTS} nor {PICKLE}.")
    model.folder.parent.mkdir(parents=True, exist_ok=True)
    with written(model.folder) as draft:
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
        folder = Path(fetched(revision=revision, allow_patterns=files))
        if files == REST or (folder / WEIGHTS).is_file():
            return folder
        return Path(fetched(revision=folder.name, allow_patterns=[*files, PICKLE]))
    except Exception as error:  # a broken connection raises an error of the HTTP library
        raise unavailable(
            f"'{model}' could not be fetched", error, "Check its name and the network."
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
        raise BackendError(f"'{weights}': the process that read it was ended by signal {-done.returncode}.")
