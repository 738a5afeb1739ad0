"""The results that are built, and every job behind them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError
from contrapose.project import Project, steps
from contrapose.project.cli_config import given_config
from contrapose.tools.command_line import project_of
from contrapose.tools.dry_run import Job, planned_jobs


@dataclass(frozen=True)
class Chain:
    """The tables, figures and claims that are built, {`tables/table4_1`: its main file}, and their jobs."""

    project: Project
    results: Path
    targets: Mapping[str, str]
    jobs: list[Job]

    @cached_property
    def makers(self) -> dict[str, Job]:
        """The job that makes a file, by the file's path."""
        return {path: job for job in self.jobs for path in job.outputs}

    @property
    def runs(self) -> dict[str, Job]:
        """The trained encoders, {`pairs/recipe/seed42`: the job that trains it}."""
        trainings = [job for job in self.jobs if job.rule.startswith("train_") and "seed" in job.wildcards]
        return {"{pairs}/{recipe}/seed{seed}".format(**job.wildcards): job for job in trainings}

    def behind(self, target: Job) -> list[Job]:
        """Return a job and all jobs that it depends on."""
        needed, todo = set(), [target.outputs[0]]
        while todo:
            maker = self.makers.get(todo.pop())
            if maker and maker.outputs[0] not in needed:
                needed.add(maker.outputs[0])
                todo += maker.inputs
        return [job for job in self.jobs if job.outputs[0] in needed]

    def provenance(self, jobs: Iterable[Job]) -> str:
        """Return the provenance of the files of some jobs, as JSON without the folders of this machine."""
        made = [job._asdict() for job in jobs]
        for job in made:
            del job["reason"]  # of a dry run of all jobs, which says nothing of how they were made
            job["settings"] = json.loads(steps.settings(self.project, job["rule"], job["wildcards"]))
            job["code"] = steps.code(self.project, job["rule"], job["wildcards"])
        text = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)
        project = self.project
        places = {"{data}": project.data, "results": self.results, ".": project.home, "~": Path.home()}
        for name, folder in places.items():
            text = text.replace(f'"{folder}/', f'"{name}/')
        return text


def built_chain(config: Sequence[str]) -> Chain:
    """Return what of the chosen studies is built, for `--config` of a call; a ConfigError if nothing is."""
    project = project_of(config)
    results = Path(project.results)
    wanted = {f"tables/{name}": str(results / f"tables/{name}.csv") for name in project.tables}
    wanted |= {f"figures/{name}": str(results / f"figures/{name}.pdf") for name in project.figures}
    wanted |= {f"claims/{name}": str(results / f"claims/{name}.csv") for name in project.studies}
    targets = {name: path for name, path in wanted.items() if Path(path).is_file()}
    if not targets:
        raise ConfigError(
            f"{results}: contains no table, figure or claims of {', '.join(project.studies)}. Build some "
            f"first: {call('run', '--', next(iter(wanted.values())))}"
        )
    jobs = [
        job for job in planned_jobs(given_config(config), project.home, list(targets.values())) if job.outputs
    ]
    return Chain(project, results, targets, sorted(jobs, key=lambda job: (job.rule, job.outputs)))
