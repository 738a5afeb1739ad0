"""A copy of the repository with the small project of tests/workflow/project."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parents[1]
TARGET = "results/tables/smoke_table1.csv"
PROMPTS = "results/tables/smoke_table2.csv"
SYNTHETIC = ("synthetic", "temperatures", "sizes", "identified", "wording", "weighted")
DICTIONARY = ("tuned", "candidates")
OTHERS = [
    *(
        "results/tables/smoke_table3.csv",
        "results/tables/smoke_table4.csv",
        "results/tables/smoke_table5.csv",
        "results/tables/smoke_table6.csv",
        "results/tables/smoke_table7.csv",
        "results/tables/smoke_table8.csv",
        "results/tables/smoke_transfer.csv",
        "results/tables/smoke_questions.csv",
        *(f"results/tables/smoke_{name}.csv" for name in ("lengths", "words", "examples", "machine")),
        *(f"results/tables/smoke_{name}.csv" for name in (*SYNTHETIC, *DICTIONARY)),
    ),
    *(f"results/figures/smoke_fig{number}.pdf" for number in range(1, 7)),
]


def environment() -> dict[str, str]:
    """Return a person's environment: this package is not on the path, and what Python compiles is kept."""
    without = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if name not in without}


def snakemake(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    """Call Snakemake in a folder, as a person would; output of both streams as text."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env=environment(),
    )
    if check and done.returncode:
        raise AssertionError(
            f"snakemake {' '.join(arguments)} gave {done.returncode}:\n{done.stdout[-6000:]}"
        )
    return done


def planned(output: str) -> dict[str, int]:
    """Return rule: number of jobs from the output of a dry run."""
    table = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal", output, re.DOTALL)
    rows = (line.split() for line in table.group(1).splitlines()) if table else []
    return {rule: int(count) for rule, count in rows}


@dataclass
class Checkout:
    """A copy of what the workflow needs, with the small project's config."""

    folder: Path

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        return snakemake(self.folder, "--cores", "2", *arguments, check=check)

    def plan(self, *arguments: str) -> dict[str, int]:
        """Return what a call would run, rule: jobs; by default one for all tables of the small project."""
        return planned(self.run("--dry-run", *(arguments or (TARGET, PROMPTS, *OTHERS))).stdout)

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Replace a text in a file for a while; the text must be there."""
        path = self.folder / file
        before = path.read_text()
        assert old in before, f"{file} has no {old!r}"
        path.write_text(before.replace(old, new, 1))
        try:
            yield
        finally:
            path.write_text(before)


SMALL = HOME / "tests" / "workflow" / "project" / "config"


def checkout(folder: Path, config: Path = SMALL) -> Checkout:
    """Copy the workflow, the package and a project's config into a folder; by default the small project's."""
    for name in ("src", "workflow", "profiles", "config/prompts", "resources", "envs"):
        shutil.copytree(
            HOME / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    shutil.copy(HOME / "Snakefile", folder)
    shutil.copytree(config, folder / "config", dirs_exist_ok=True)
    return Checkout(folder)
