"""Look for everything that the jobs of a call need, before the first job.

Nothing is built, and nothing is paid without `--ask`.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import constants

from contrapose.errors import ContraposeError
from contrapose.home import HOME
from contrapose.project import Project
from contrapose.project.given import given_config
from contrapose.tools.check.files import check_files
from contrapose.tools.check.findings import Finding, report
from contrapose.tools.check.hub import check_hub, on_hub
from contrapose.tools.check.llms import check_llm
from contrapose.tools.check.machine import check_disk, check_gpu, executor_of
from contrapose.tools.convert import lacking
from contrapose.tools.jobs import Job, planned_jobs
from contrapose.tools.needs import every_need, needs_of
from contrapose.tools.plan import disk
from contrapose.tools.workload import Call


def main(arguments: list[str]) -> bool:
    """Print the findings; the exit code is 0 only if nothing that a job needs is missing."""
    parser = argparse.ArgumentParser(prog="contrapose check", description=__doc__)
    config, profile = "as for snakemake --config", "as for snakemake: says where jobs run"
    parser.add_argument("--config", nargs="*", default=[], metavar="key=value", help=config)
    parser.add_argument("--profile", default=os.environ.get("SNAKEMAKE_PROFILE"), help=profile)
    asks = (
        "have each language model answer one request of the form that the jobs send; costs less than a cent"
    )
    parser.add_argument("--ask", action="store_true", help=asks)
    parser.add_argument("targets", nargs="*", help="after --: files or studies (default: the chosen studies)")
    given = parser.parse_args(arguments)
    try:
        settings = given_config(given.config)
        project = Project(settings, HOME)
    except ContraposeError as error:
        findings = [Finding("missing", "settings", f"{error} Nothing else was checked.")]
    else:
        targets, executor = given.targets or list(project.studies), executor_of(given.profile)
        print(f"{', '.join(targets)} in world {project.world_name}\n", flush=True)
        findings = check(project, settings, targets, executor, given.ask)
    print(report(findings))
    return any(one.level == "missing" for one in findings)


def check(
    project: Project, settings: dict[str, object], targets: list[str], executor: str, ask: bool = False
) -> list[Finding]:
    """Check everything that the jobs behind some targets need; only the executor `local` runs them here."""
    findings, jobs = [], list[Job]()
    try:
        jobs = planned_jobs(settings, HOME, targets, everything=False)
        needs = needs_of(project, jobs)
    except ContraposeError as error:
        needs = every_need(project)
        lost = f"{error}\nSo everything that the world names is checked."
        findings.append(Finding("missing", "jobs", lost))
    for need in needs:
        llm = need.section == "llms"
        findings += check_llm(project, need.name, ask) if llm else check_files(project, need)
    findings += [*_left_out(project), *_pickles(project), *check_hub(on_hub(project, needs))]
    findings.append(check_gpu(project, jobs, executor))
    sizes = disk(Call(project, jobs))
    kept, hub = sizes.pop("journals, answers", 0), sizes.pop("cache of the hub", 0)
    state = Path(project.config.pathvars.get("state", "state"))
    wanted = {Path(project.results): sizes.total(), state: kept, Path(constants.HF_HOME): hub}
    return [*findings, *check_disk(wanted)]


def _left_out(project: Project) -> list[Finding]:
    """Name the optional entries that this world lacks, and the tables whose rows have no numbers for it."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in project.tables:
        reasons = {project.runs.missing(row) for row in project.reports.encoder_rows(name)}
        for reason in sorted(reasons - {""}):
            found[reason].append(name)
    says = "rows of {} stay without numbers.".format
    return [Finding("left out", reason, says(", ".join(names))) for reason, names in found.items()]


def _pickles(project: Project) -> Iterator[Finding]:
    if names := [each.source for each in lacking(project)]:
        command = f"contrapose convert --config world={project.world_name}"
        yield Finding("left out", "released as pickles", f"{', '.join(names)}. Make their folders: {command}")
