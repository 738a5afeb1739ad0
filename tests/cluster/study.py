"""Calls of Snakemake through the SLURM profile, and a look at the queue."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contrapose.jobs.queue import LIVING
from tests.checkout import Checkout, environment

SECONDS = 900  # for a job to begin and do something, on a busy machine
HOURS = 3  # for a whole call
# A cluster made for tests has no accounting database, and looking at its queue costs nobody anything.
PROFILE = (
    *("--profile", "profiles/slurm", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "5"),
)


def controller(folder: Path, *arguments: str, **options: Any) -> subprocess.Popen:
    """Start Snakemake with the profile, output into a pipe as text; targets first."""
    python = options.pop("python", sys.executable)
    return subprocess.Popen(
        [python, "-m", "snakemake", *arguments, *PROFILE],
        cwd=folder,
        env=environment() | options.pop("env", {}),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )


def ended(process: subprocess.Popen, check: bool = True) -> str:
    """Wait for a controller and return its output."""
    output, _ = process.communicate(timeout=HOURS * 3600)
    assert not (check and process.returncode), output[-6000:]
    return output


def submitted(project: Checkout, *arguments: str, check: bool = True) -> str:
    """Build through the profile and return the output."""
    return ended(controller(project.folder, *arguments), check=check)


def wait_until(happened: Callable[[], object], process: subprocess.Popen | None = None) -> None:
    """Wait for something, as long as a process lives."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert process is None or process.poll() is None, ended(process, check=False)[-6000:]
        assert time.monotonic() < end, f"not in {SECONDS} s"
        time.sleep(0.2)


def queue(folder: Path) -> list[str]:
    """Return the ids of the jobs of a folder that have not ended."""
    rows = answer("squeue", "--noheader", f"--states={LIVING}", "--format=%A|%Z").splitlines()
    return [row.partition("|")[0] for row in rows if row.partition("|")[2] == str(folder)]


def answer(*command: str) -> str:
    """Run a command of SLURM and return what it prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
