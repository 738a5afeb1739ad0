"""The results that are built, and every job that they depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from contrapose.project import Project
from contrapose.tools.command_line import nothing_built, project_of
from contrapose.tools.dry_run import Job, planned_jobs


@dataclass(frozen=True)
class Chain:
    """The tables, figures and claims that are built, {`tables/table4_1`: its main file}, and their jobs."""

    project: Project
    results: Path
    targets: Mapping[str, str]
    jobs: list[Job]
    config: Sequence[str] = ()  # of the call

    @cached_property
    def makers(self) -> dict[str, Job]:
        """The job that makes a file, by the file's path."""
        return {path: job for job in self.jobs for path in job.outputs}


def built_chain(config: Sequence[str]) -> Chain:
    """Return what of the chosen studies is built, for `--config` of a call; a ConfigError if nothing is."""
    project = project_of(config)
    results = Path(project.results)
    wanted = {f"tables/{name}": str(results / f"tables/{name}.csv") for name in project.tables}
    wanted |= {f"figures/{name}": str(results / f"figures/{name}.pdf") for name in project.figures}
    wanted |= {f"claims/{name}": str(results / f"claims/{name}.csv") for name in project.studies}
    targets = {name: path for name, path in wanted.items() if Path(path).is_file()}
    if not targets:
        raise nothing_built(results, config, next(iter(project.studies)))
    jobs = [job for job in planned_jobs(project, list(targets.values())) if job.outputs]
    return Chain(project, results, targets, sorted(jobs, key=lambda job: (job.rule, job.outputs)), config)
