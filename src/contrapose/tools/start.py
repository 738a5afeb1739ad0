"""Checks at the start of the work, for problems that would stop a job later and that no setting shows."""

import os
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from contrapose.errors import BackendError, ConfigError
from contrapose.generate.endpoint import secret
from contrapose.generate.llm import ASKING
from contrapose.project import Project, steps
from contrapose.settings.worlds import Connection

BLOCK = bytes(4096)  # one block of a usual file system: a full disk accepts empty files, but no content


def check_working_directory() -> None:
    """Refuse a working directory where Snakemake cannot keep its records and would end in a traceback.

    Raises BackendError if it is on a read-only disk, or belongs to another user.
    """
    records = Path(".snakemake")
    if not os.access(records if records.is_dir() else ".", os.W_OK):
        raise BackendError(
            f"The folder '{Path.cwd()}' cannot be written, but Snakemake keeps its records there. "
            "Copy the project to a folder that you can write, and start again there."
        )


def check_version(pyproject: Path) -> None:
    """Refuse rules whose version is not the installed package's; `pyproject` is the file beside the rules.

    Raises ConfigError with both versions.
    """
    rules = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["version"]
    if rules != version("contrapose"):
        raise ConfigError(
            f"The workflow is contrapose {rules}, the installed package is {version('contrapose')}. "
            "Install the package from the tag that workflow/Snakefile names: pip install git+URL@TAG"
        )


def check_no_file_in_the_way(folder: str | Path, name: str) -> None:
    """Refuse a folder's path that leads through a file; Snakemake itself would end in a traceback.

    `name` is the pathvar that moves the folder: `results`, `logs` or `state`.  Raises ConfigError if the
    path, or a part of it, is a file.
    """
    for place in (Path(folder), *Path(folder).parents):
        if place.exists() and not place.is_dir():
            raise ConfigError(
                f"{name}: '{place}' is a file, expected a folder. Move it away, or choose another folder: "
                f"--config pathvars='{{{name}: FOLDER}}'"
            )


def check_writable(folder: str | Path, name: str) -> None:
    """Make a folder and write into it, as the jobs will; `name` is the pathvar that moves it.

    Raises BackendError if that fails: read-only or full disk, no permission.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place) as draft:
            draft.write(BLOCK)
    except OSError as error:
        raise BackendError(
            f"{name}: the folder '{folder}' cannot be written ({error.strerror}). No job was started, and "
            f"all results are kept. Free space or change permissions, or choose another folder: "
            f"--config pathvars='{{{name}: FOLDER}}'"
        ) from error


def check_key(connection: Connection, journal: str | Path) -> None:
    """Check, before the first job, that the API key of a language model that will be asked is set.

    Without any answer in the folder of its journals, the key is certainly needed.  With some, it may not be;
    if it is, the job says so itself.  Raises ConfigError if the environment variable is not set.
    """
    if not any(path.stat().st_size for path in Path(journal).rglob("*.jsonl")):
        secret(connection)


def asked_llms(project: Project, jobs: Iterable[Any]) -> set[str]:
    """Return the roles of the language models that Snakemake's jobs will ask."""
    asking = {*ASKING} - {"generate_merge"}  # reads answers
    return {steps.asked_llm(project, dict(job.wildcards.items())) for job in jobs if job.rule.name in asking}


def check_container(image: str | None) -> None:
    """Refuse jobs in a container if none is named; Snakemake would run them without one.

    `image` is `container` of the config: a file or the URL of an image.  Raises ConfigError if there is
    none, or the file is not there.
    """
    example = "Build one (docs/environments.md) and name it: --config container=contrapose.sif"
    if image is None:
        raise ConfigError(f"container: --sdm apptainer is on, but no image is named. {example}")
    if "://" not in image and not Path(image).exists():
        raise ConfigError(f"container: '{image}' does not exist. {example}")
