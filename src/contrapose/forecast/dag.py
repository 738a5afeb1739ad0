"""The jobs of a call, as Snakemake itself plans them."""

import json
import re
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from contrapose.errors import BackendError
from contrapose.plan import Plan

RULE = re.compile(r"^(?:local)?rule (\S+):$")
FILES = re.compile(r"^    (input|output): (.+)$")
WILDCARDS = re.compile(r"^    wildcards: (.+)$")
WILDCARD = re.compile(r"(\w+)=(.*?)(?:, (?=\w+=)|$)")  # a value may hold `,key=value`, but no space
TOTAL = re.compile(r"^total +(\d+)$", re.MULTILINE)
NOTHING = re.compile(r"^Nothing to be done", re.MULTILINE)


class Job(NamedTuple):
    """One job: its rule, what tells it from the rule's other jobs, and its files."""

    rule: str
    wildcards: dict[str, str]
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()


def planned_jobs(plan: Plan, targets: Sequence[str], python: str, everything: bool = True) -> list[Job]:
    """Return all jobs behind some targets, from a dry run of Snakemake.

    Nothing is built, fetched or asked.  The working directory is that of the project.

    Parameters
    ----------
    plan : Plan
    targets : names of rules or files
        A study's name stands for all its tables, figures and claims.
    python : str
        Interpreter that has Snakemake.
    everything : bool
        Those that are done already, too; else only what a call would run now.

    Raises
    ------
    BackendError
        Snakemake refuses, or writes its plan in another form than the one that is read here.
    """
    settings = plan.config.model_dump(mode="json", exclude_none=True)
    given = [f"{key}={json.dumps(value)}" for key, value in settings.items() if value != {}]
    snakefile = str(plan.home / "workflow" / "Snakefile")
    command = [python, "-m", "snakemake", "--snakefile", snakefile, "--dry-run"]
    command += ["--forceall"] if everything else []
    done = subprocess.run(
        [*command, "--config", *given, "--", *targets],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    if done.returncode:
        raise BackendError(f"Snakemake cannot plan {', '.join(targets)}:\n{output[-2000:]}")
    jobs = list(_jobs(output))
    if not jobs and NOTHING.search(output):
        return []
    total = TOTAL.search(output)
    if total is None or int(total[1]) != len(jobs):
        raise BackendError(
            f"Snakemake plans {total[1] if total else 'an unknown number of'} jobs, and {len(jobs)} could be "
            "read: this version writes its dry run in another form. Use a version that constraints.txt names."
        )
    return jobs


def _jobs(output: str) -> list[Job]:
    jobs: list[Job] = []
    for line in output.splitlines():
        if found := RULE.match(line):
            jobs.append(Job(found[1], {}))
        elif found := WILDCARDS.match(line):
            jobs[-1].wildcards.update(WILDCARD.findall(found[1]))
        elif found := FILES.match(line):
            files = found[2].split(", ")
            jobs[-1] = (
                jobs[-1]._replace(inputs=files) if found[1] == "input" else jobs[-1]._replace(outputs=files)
            )
    return jobs
