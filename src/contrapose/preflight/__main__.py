"""`make preflight`: what the jobs of a call need and is missing, all at once, before the first of them."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from contrapose.errors import ContraposeError
from contrapose.forecast.generation import Asking, every_asking
from contrapose.plan import Plan
from contrapose.preflight.files import check_files
from contrapose.preflight.findings import Finding, missing, told
from contrapose.preflight.folders import check_folders
from contrapose.preflight.gpu import check_gpu
from contrapose.preflight.hub import check_hub, wanted_of_hub
from contrapose.preflight.llms import check_llms
from contrapose.preflight.needs import Needs, planned_needs
from contrapose.preflight.software import check_python, check_software, check_versions
from contrapose.preflight.space import check_space
from contrapose.project.given import given_config

HOME = Path(__file__).parents[3]  # the checkout that this runs from

Say = Callable[[str], None]


def main(arguments: list[str] | None = None) -> None:
    """Print what was found; the exit code is 0 only if nothing that a job needs is missing."""
    parser = argparse.ArgumentParser(prog="python -m contrapose.preflight", description=__doc__)
    parser.add_argument(
        "--config", nargs="*", default=[], metavar="key=value", help="as for snakemake --config"
    )
    parser.add_argument(
        "--profile",
        default=os.environ.get("SNAKEMAKE_PROFILE"),
        help="as for snakemake, whose executor is looked for",
    )
    parser.add_argument(
        "targets", nargs="*", help="behind --: files or studies (default: all chosen studies)"
    )
    given = parser.parse_args(arguments)
    try:
        plan = Plan(given_config(given.config), HOME)
    except ContraposeError as error:
        print(told(without_plan(error)))
        sys.exit(1)
    logging.getLogger("contrapose").setLevel(logging.ERROR)  # the readers' notes are for the logs of jobs
    title = f"# Preflight: {', '.join(given.targets or plan.studies)} in world {plan.world_name}"
    findings = preflight(plan, given.targets, given.profile, _say)
    print(f"{title}\n\n{told(findings)}")
    sys.exit(any(one.level == "missing" for one in findings))


def without_plan(error: ContraposeError) -> list[Finding]:
    """Return what can be told without right settings."""
    message = f"{error}\nCorrect it and start again: nothing that depends on the settings was looked at."
    return [check_python(), *check_versions(_constraints()), missing("settings", message)]


def _constraints() -> str:
    path = HOME / "constraints.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def preflight(plan: Plan, targets: Sequence[str], profile: str | None, say: Say) -> list[Finding]:
    """Look at all that the jobs behind some targets need.

    Parameters
    ----------
    plan : Plan
    targets : names of rules or files
        Empty: all tables, figures and claims of the chosen studies.
    profile : str, optional
        Folder of a Snakemake profile.
    say : callable
        Is told what is looked at, before that begins.
    """
    folders = {name: Path(plan.config.pathvars.get(name, name)) for name in ("results", "logs", "state")}
    say("folders and locks")
    findings = check_folders(folders)
    say("planning the jobs (a large plan takes half a minute)")
    needs, unplanned = planned_needs(plan, targets or list(plan.studies))
    findings += unplanned
    say(f"files, for {len(needs.jobs)} jobs")
    findings += check_files(plan, needs)
    wanted = wanted_of_hub(plan, needs)
    say(f"{len(wanted)} things of the hub")
    on_hub, fetched = check_hub(wanted)
    asked, unasked = _asked(plan, needs)
    say(f"{len(needs.llms)} language models")
    findings += [*on_hub, *unasked, *check_llms(plan, needs, asked, folders["state"])]
    say("software, GPU memory, free disk")
    findings += check_software(plan, needs, _constraints(), profile)
    findings += [*check_gpu(plan, needs), *check_space(plan, needs, asked, folders, fetched)]
    return findings


def _asked(plan: Plan, needs: Needs) -> tuple[list[Asking], list[Finding]]:
    try:
        return every_asking(plan, needs.jobs), []
    except ContraposeError as error:
        return [], [missing("language models", f"{error}")]


def _say(what: str) -> None:
    print(f"preflight: {what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
