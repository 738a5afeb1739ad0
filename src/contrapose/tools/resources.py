"""Resources that jobs request from a scheduler: a row per rule in `workflow/resources.yaml`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from snakemake.iocontainers import Namedlist

from contrapose.base.errors import unknown
from contrapose.project import Project
from contrapose.project.rules import RuleRow, Rules
from contrapose.settings.main import ON_GPU, Config

DAY = 24 * 60  # minutes; many clusters let no job run for more than one to three days
MEGABYTE = 1e6
CPUS = 8  # of a job that runs a model: more of them wait for each other
SIGNAL = "--signal=TERM@120"  # to SLURM: SIGTERM two minutes before the time limit, in which a training saves
SMALL_MB = 50  # of inputs: a smaller model gains nothing from more than one core
HOST_MB = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6
MODEL_INPUTS = ("encoder", "language_model", "translator", "files")  # files of a model


@dataclass(frozen=True)
class JobResources:
    """The resources that a job of one rule requests, by the row of the rule.

    `device` is that of the config: with `auto` and `cuda` a model asks for a GPU.  Each of the `processes`
    of one training has a GPU, or cores, and the model.
    """

    row: RuleRow
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
        core for each job finishes most (docs/dev/performance.md), as long as the memory is enough for them.
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


def requested_resources(rule: str, rules: Rules, config: Config, recipe: str = "") -> JobResources:
    """Return what the jobs of a rule, and of a recipe, request; raise ConfigError if it has no row."""
    row = rules.find(rule)
    if not row:
        raise unknown("workflow/resources.yaml", rule, rules)
    return JobResources(row, config.device, config.processes_of(recipe) if row.processes else 1)


def minutes_of(project: Project, rule: str, wildcards: Mapping[str, str]) -> float:
    """Return the minutes of work of a model; imported here, as only calls of a scheduler ask for them."""
    from contrapose.tools.model_work import minutes_of_work

    return minutes_of_work(project, rule, dict(wildcards.items()))


def _listed(files: object) -> list[str]:
    return [files] if isinstance(files, str) and files else [*(files or ())]  # type: ignore[misc]


def _bytes(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size
