"""Resources that jobs request from a scheduler: a row per rule in `workflow/resources.yaml`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from pydantic import Field
from snakemake.iocontainers import Namedlist

from contrapose.base.errors import ConfigError
from contrapose.project.yaml_files import read_yaml
from contrapose.settings.main import ON_GPU, Config
from contrapose.settings.spec import Spec, validated

DAY = 24 * 60  # minutes; many clusters let no job run for more than one to three days
MEGABYTE = 1e6
CPUS = 8  # of a job that runs a model: more of them wait for each other
SMALL_MB = 50  # of inputs: a smaller model gains nothing from more than one core
HOST_MB = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
IN_PROCESSES = ("train_encoder", "train_contrastive_tension")  # may run in several
MODEL_INPUTS = ("encoder", "language_model", "translator", "files")  # files of a model


class PerMB(Spec):
    """What a job asks for on top for each MB of its input files."""

    mem_mb: float = Field(0.0, ge=0)
    runtime: float = Field(0.0, ge=0)


class ResourceRow(Spec):
    """What the jobs of a rule ask for at their first attempt."""

    mem_mb: int = Field(ge=1, description="Memory of the host")
    runtime: int = Field(ge=1, description="Minutes")
    per_mb: PerMB = PerMB()
    model: bool = Field(False, description="It runs an encoder or a language model, so it asks for a GPU")
    cpu_runtime: int | None = Field(None, ge=1, description="Minutes of a model without a GPU")
    hub_mb: float = Field(0.0, ge=0, description="Of a model of the hub, which is no input file")
    resumes: bool = Field(False, description="The next attempt continues, so none asks for more than a day")


@dataclass(frozen=True)
class JobResources:
    """The resources that a job of one rule requests, by the row of the rule.

    `device` is that of the config: with `auto` and `cuda` a model asks for a GPU.  Each of the `processes`
    of one training has a GPU, or cores, and the model.
    """

    row: ResourceRow
    device: str
    processes: int = 1

    def mem_mb(self, input: Namedlist, attempt: int) -> int:
        """Return the memory in MB; raise FileNotFoundError if an input is not made yet, as runtime does."""
        megabytes = self.row.mem_mb + self.row.per_mb.mem_mb * self._megabytes(input)
        return attempt * self.processes * ceil(megabytes)

    def runtime(self, input: Namedlist, attempt: int, work: float = 0.0) -> int:
        """Return the minutes: of the row, for its data, and for the `work` of its model on a GPU.

        The weights of a model do not count: how long it works does not follow from its size alone.
        """
        base = self.row.runtime + work if self.gpus else self.row.cpu_runtime or self.row.runtime
        minutes = attempt * ceil(base + self.row.per_mb.runtime * self._megabytes(input, models=False))
        return min(minutes, DAY) if self.row.resumes else minutes

    @property
    def gpus(self) -> int:
        """How many GPUs: one for each process that runs a model."""
        return self.processes if self.row.model and self.device in ON_GPU else 0

    def cpus(self, input: Namedlist, cores: int | None = None, jobs: int = 1) -> int:
        """Return how many cores a job should use; one while its inputs are not made yet.

        `cores` are those of this machine, if jobs run on it, and `jobs` how many there are to share them: one
        core for each job finishes most (docs/performance.md), as long as the memory is enough for them.
        """
        try:
            large = self.row.model and self._megabytes(input) >= SMALL_MB
            share = 1.0 if cores is None else max(1 / jobs, self.mem_mb(input, 1) / HOST_MB)
        except FileNotFoundError:
            large, share = False, 1.0
        return self.processes * (min(CPUS, ceil(share * (cores or CPUS))) if large else 1)

    def _megabytes(self, input: Namedlist, models: bool = True) -> float:
        weights = [path for name in MODEL_INPUTS for path in _listed(input.get(name))]
        files = [path for path in input if models or path not in weights]
        hub = self.row.hub_mb if models and not weights else 0
        return sum(map(_bytes, map(Path, files))) / MEGABYTE + hub


def read_resources(path: Path) -> dict[str, ResourceRow]:
    """Read `workflow/resources.yaml`: {rule: what its jobs ask for}.

    Raises ConfigError if it is not a mapping of rules, or a row has an unknown key or a wrong value.
    """
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds a {type(content).__name__}, expected a row for each rule.")
    return {rule: validated(ResourceRow, row, f"{path}: {rule}") for rule, row in content.items()}


def requested_resources(
    rule: str, rows: Mapping[str, ResourceRow], config: Config, recipe: str = ""
) -> JobResources:
    """Return what the jobs of a rule, and of a recipe, request: by its own row, or by that of its stage."""
    processes = config.processes_of(recipe) if rule in IN_PROCESSES else 1
    return JobResources(rows.get(rule) or rows[rule.partition("_")[0]], config.device, processes)


def minutes_of(project: Any, rule: str, wildcards: Mapping[str, str]) -> float:
    """Return the minutes of work of a model; imported here, as only calls of a scheduler ask for them."""
    from contrapose.tools.model_work import minutes_of_work

    return minutes_of_work(project, rule, dict(wildcards.items()))


def _listed(files: object) -> list[str]:
    return [files] if isinstance(files, str) and files else [*(files or ())]  # type: ignore[misc]


def _bytes(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size
