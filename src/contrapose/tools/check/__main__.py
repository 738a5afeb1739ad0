"""Look for all that the jobs of a call need, at once, before the first of them.  Nothing is built or paid."""

import argparse
import logging
import os
import sys
from collections import defaultdict
from pathlib import Path

from huggingface_hub import constants

from contrapose.errors import ContraposeError
from contrapose.project import Project
from contrapose.project.given import given_config
from contrapose.tools.check.files import check_files
from contrapose.tools.check.findings import Finding, report
from contrapose.tools.check.hub import check_hub, wanted_of
from contrapose.tools.check.llms import check_llm
from contrapose.tools.check.machine import check_disk, check_executor, check_folders, check_gpu, executor_of
from contrapose.tools.check.needs import every_need, needs_of
from contrapose.tools.jobs import Job, planned_jobs
from contrapose.tools.plan.call import Call
from contrapose.tools.plan.disk import disk

HOME = Path(__file__).parents[4]  # the checkout that this runs from


def main(arguments: list[str] | None = None) -> None:
    """Print what was found; the exit code is 0 only if nothing that a job needs is missing."""
    parser = argparse.ArgumentParser(prog="python -m contrapose.tools.check", description=__doc__)
    config, profile = "as for snakemake --config", "as for snakemake, whose executor is looked for"
    parser.add_argument("--config", nargs="*", default=[], metavar="key=value", help=config)
    parser.add_argument("--profile", default=os.environ.get("SNAKEMAKE_PROFILE"), help=profile)
    parser.add_argument(
        "targets", nargs="*", help="behind --: files or studies (default: the chosen studies)"
    )
    given = parser.parse_args(arguments)
    logging.getLogger("contrapose").setLevel(logging.ERROR)  # the readers' notes are for the logs of jobs
    try:
        settings = given_config(given.config)
        project = Project(settings, HOME)
    except ContraposeError as error:
        findings = [Finding("missing", "settings", f"{error} Nothing else was looked at.")]
    else:
        targets = given.targets or list(project.studies)
        print(f"{', '.join(targets)} in world {project.world_name}\n", flush=True)
        findings = check(project, settings, targets, executor_of(given.profile))
    print(report(findings))
    sys.exit(any(one.level == "missing" for one in findings))


def check(project: Project, settings: dict[str, object], targets: list[str], executor: str) -> list[Finding]:
    """Look at all that the jobs behind some targets need.

    Parameters
    ----------
    project : Project
    settings : dict
        That the project is made of.
    targets : names of rules or files
    executor : str
        Of Snakemake: with another one than `local` jobs run on other machines.
    """
    findings, jobs = [], list[Job]()
    try:
        jobs = planned_jobs(settings, HOME, targets, everything=False)
        needs = needs_of(project, jobs)
    except ContraposeError as error:
        needs = every_need(project)
        findings.append(Finding("missing", "jobs", f"{error}\nSo all that the world names is looked at."))
    for need in needs:
        findings += check_llm(project, need.name) if need.section == "llms" else check_files(project, need)
    findings += [*_left_out(project), *check_hub(wanted_of(project, needs))]
    folders = {name: Path(project.config.pathvars.get(name, name)) for name in ("results", "logs", "state")}
    findings += [*check_folders(folders), *check_executor(executor)]
    findings += check_gpu(project, jobs, executor != "local")
    sizes = disk(Call(project, jobs)) if jobs else {}
    kept, hub = sizes.pop("journals, answers", 0), sizes.pop("cache of the hub", 0)
    wanted = {folders["results"]: sum(sizes.values()), folders["state"]: kept, Path(constants.HF_HOME): hub}
    return [*findings, *check_disk(wanted)]


def _left_out(project: Project) -> list[Finding]:
    """Name what this world may lack and lacks, and the tables whose rows have no numbers for it."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for name in project.tables:
        for row in project.reports.encoder_rows(name):
            if reason := project.runs.missing(row):
                found[reason][name] = None
    tables = {reason: f"rows of {', '.join(names)} stay without numbers." for reason, names in found.items()}
    return [Finding("left out", reason, rows) for reason, rows in tables.items()]


if __name__ == "__main__":
    main()
