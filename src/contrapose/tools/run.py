"""Call Snakemake with this project's workflow and environment."""

import os
import sys
from itertools import pairwise
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.project.cli_config import CONFIG

OWN = ("Snakefile", "workflow/Snakefile")  # where Snakemake looks for the workflow of a folder
# Options that set how many jobs run at once, or that none runs.
JOBS = ("-c", "--cores", "-j", "--jobs", "--profile", "-n", "--dry-run", "--unlock")


def main(arguments: list[str]) -> None:
    """Replace this process by Snakemake with all arguments; by default, all cores and one line per job."""
    if {"-h", "--help"} & set(arguments):
        print("usage: contrapose run [options of snakemake] [-- TARGETS]\n")
        print("Without targets it builds the tables, figures and claims of the chosen studies, by all cores.")
        print("--budget 20min or 5USD chooses seeds, steps and sentences, and writes them into config.yaml.")
        print("`snakemake --help` lists the options: --directory FOLDER, --cores N, --config KEY=VALUE, ...")
        return
    folder = next(filter(None, _values(arguments, "-d", "--directory")), ".")
    if not Path(folder).is_dir():  # Snakemake would create it, and find nothing in it
        raise ConfigError(f"--directory {folder}: is not a folder. Write one: contrapose new {folder}")
    if budgets := _values(arguments, "--budget"):
        from contrapose.tools.budget import within  # all that plans takes a second to import

        arguments = _without(arguments, "--budget")
        if not within(budgets, folder, arguments):
            return
    options = workflow_options(folder)
    options += [] if _values(arguments, *JOBS) else ["--cores", "all"]
    options += [] if _values(arguments, "--logger", "--unlock") else ["--logger", "contrapose"]
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *options, *arguments])


def workflow_options(folder: str) -> list[str]:
    """Return the options that name the workflow and settings of a folder, or ours if it has none."""
    own = (Path(folder) / place for place in OWN)
    # Snakemake itself looks in the current folder alone.  It finds profiles/default beside the workflow.
    options = ["--snakefile", str(next(filter(Path.exists, own), HOME / "Snakefile"))]
    if not (Path(folder) / CONFIG).is_file():
        options += ["--configfile", str(HOME / CONFIG)]
    return options


def _without(arguments: list[str], name: str) -> list[str]:
    """Return arguments without an option and its values."""
    before = ["", *arguments]
    return [
        each
        for last, each in pairwise(before)
        if last != name and each != name and not each.startswith(f"{name}=")
    ]


def _values(arguments: list[str], *names: str) -> list[str]:
    """Return the value of each option that has one of some names: `--name=value`, or what follows it."""
    pairs = ((argument.partition("="), after) for argument, after in pairwise([*arguments, ""]))
    return [value if equals else after for (name, equals, value), after in pairs if name in names]
