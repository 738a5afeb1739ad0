"""A copy of the repository with the small project of tests/workflow/project."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HOME = Path(__file__).parents[1]
TARGET = "results/tables/smoke_table1.csv"
DIGESTS = "src/contrapose/__pycache__/digests.json"
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
    _keep_digests(folder)
    return checked(done) if check else done


def forked_snakemake(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    """Do as `snakemake` does in less than half the time: in a fork of a process that has imported it."""
    server = _forking_server()
    assert server.stdin
    assert server.stdout
    with tempfile.NamedTemporaryFile("r") as output:
        call = {"arguments": arguments, "folder": str(folder), "output": output.name}
        print(json.dumps({**call, "environment": environment()}), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        done = subprocess.CompletedProcess(arguments, code, output.read())
    _keep_digests(folder)
    return checked(done) if check else done


@cache
def _forking_server() -> subprocess.Popen[str]:
    """Start the server of this test process; it ends with its standard input."""
    command = [sys.executable, str(HOME / "tests" / "forked_snakemake.py")]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())


def _keep_digests(folder: Path) -> None:
    """Keep the digests of code that a call has found for later copies: they tell whose code they are."""
    if (folder / DIGESTS).is_file():
        draft = (HOME / DIGESTS).with_suffix(f".{os.getpid()}")
        draft.parent.mkdir(exist_ok=True)
        shutil.copy(folder / DIGESTS, draft)
        draft.replace(HOME / DIGESTS)


def checked(done: subprocess.CompletedProcess) -> subprocess.CompletedProcess:
    """Return a call that gave 0; show the end of what another one said."""
    if done.returncode:
        raise AssertionError(f"{' '.join(done.args)} gave {done.returncode}:\n{done.stdout[-6000:]}")
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

    def forked(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Do as `run` does, for calls that run no job."""
        return forked_snakemake(self.folder, "--cores", "2", *arguments, check=check)

    def plan(self, *arguments: str) -> dict[str, int]:
        """Return what a call would run, rule: jobs; by default one for all tables of the small project."""
        return planned(self.forked("--dry-run", *(arguments or (TARGET, PROMPTS, *OTHERS))).stdout)

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
    # What Python has compiled comes along, as the copies have the dates of the files; its drafts come and go.
    drafts = ("*.pyc.*", "digests.[0-9]*")
    for name in ("src", "workflow", "profiles", "config/prompts", "resources", "envs"):
        shutil.copytree(HOME / name, folder / name, ignore=shutil.ignore_patterns("*.egg-info", *drafts))
    shutil.copy(HOME / "Snakefile", folder)
    shutil.copytree(config, folder / "config", dirs_exist_ok=True)
    return Checkout(folder)
