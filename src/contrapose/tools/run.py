"""Call Snakemake with this project's workflow and environment."""

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.project.cli_config import CONFIG
from contrapose.tools.ending import say_ending

OWN = ("Snakefile", "workflow/Snakefile")  # where Snakemake looks for the workflow of a folder
# Options that set how many jobs run at once, or that none runs.
JOBS = ("-c", "--cores", "-j", "--jobs", "--profile", "-n", "--dry-run", "--unlock")


def main(arguments: list[str]) -> int | None:
    """Run Snakemake with all arguments, by default with all cores and one line per job; return its exit code.

    At the end of a run that succeeds stands what it found.
    """
    if {"-h", "--help"} & set(arguments):
        print("usage: contrapose run [options of snakemake] [-- TARGETS]\n")
        print("Without targets it builds the tables, figures and claims of the chosen studies, by all cores.")
        print("`snakemake --help` lists the options: --directory FOLDER, --cores N, --config KEY=VALUE, ...")
        return None
    folder = next(filter(None, _values(arguments, "-d", "--directory")), ".")
    if not Path(folder).is_dir():  # Snakemake would create it, and find nothing in it
        raise ConfigError(f"--directory {folder}: is not a folder. Write one: contrapose new {folder}")
    code = snakemake(folder, arguments)
    if code == 0:
        say_ending(folder, arguments)
    return code


def snakemake(folder: str, arguments: list[str]) -> int:
    """Run Snakemake on a folder, and return its exit code; signals reach it."""
    options = workflow_options(folder)
    options += [] if _values(arguments, *JOBS) else ["--cores", "all"]
    options += [] if _values(arguments, "--logger", "--unlock") else ["--logger", "contrapose"]
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    child = subprocess.Popen([sys.executable, "-m", "snakemake", *options, *arguments])
    signal.signal(signal.SIGINT, lambda *_: None)  # it has its own from the terminal
    signal.signal(signal.SIGTERM, lambda number, _: child.send_signal(number))
    return child.wait()


def workflow_options(folder: str) -> list[str]:
    """Return the options that name the workflow and settings of a folder, or ours if it has none."""
    own = (Path(folder) / place for place in OWN)
    # Snakemake itself looks in the current folder alone.  It finds profiles/default beside the workflow.
    options = ["--snakefile", str(next(filter(Path.exists, own), HOME / "Snakefile"))]
    if not (Path(folder) / CONFIG).is_file():
        options += ["--configfile", str(HOME / CONFIG)]
    return options


def _values(arguments: list[str], *names: str) -> list[str]:
    """Return the value of each option that has one of some names: `--name=value`, or what follows it."""
    pairs = ((argument.partition("="), after) for argument, after in pairwise([*arguments, ""]))
    return [value if equals else after for (name, equals, value), after in pairs if name in names]
