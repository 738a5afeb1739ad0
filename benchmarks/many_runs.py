"""A grid of small runs through Snakemake: jobs are forks of a warm process, or all start by themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.compare import Item, UnequalError, Way
from contrapose.jobs.warm import COLD
from tests.checkout import checkout

SEEDS = range(1, 7)
BUILT = ("results/train", "results/evaluate")
# Ends when all processes below it have, so that the time of the warm process and of its forks counts:
# 36 is PR_SET_CHILD_SUBREAPER of prctl(2), which makes this the parent of orphans.
TO_THE_END = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1)
code = subprocess.call([sys.executable, "-m", "snakemake", *sys.argv[1:], "--cores", "1", "--quiet", "all"])
try:
    while True:
        os.wait()
except ChildProcessError:
    sys.exit(code)
"""


def item(folder: Path) -> Item:
    """Return the item; corpus and pairs are there before."""
    project = checkout(folder).folder
    scores = [f"results/evaluate/english/dropout/simcse/seed{seed}.parquet" for seed in SEEDS]

    def run(*targets: str, **variables: str) -> None:
        command = [sys.executable, "-c", TO_THE_END, *targets]
        subprocess.run(command, cwd=project, env={**os.environ, **variables}, check=True)

    def fresh() -> None:
        for name in BUILT:
            shutil.rmtree(project / name, ignore_errors=True)

    def results(**variables: str) -> dict[str, bytes]:
        fresh()
        run(*scores, **variables)
        files = (file for name in BUILT for file in (project / name).rglob("*") if file.is_file())
        return {str(file.relative_to(project)): file.read_bytes() for file in files}

    def check() -> str:
        warm, cold = results(), results(**{COLD: "1"})
        if warm != cold:
            raise UnequalError("encoders, histories or scores are not the same bytes")
        return f"the same bytes in {len(warm)} files"

    run("results/pairs/dropout.parquet", "results/retrieve/benchmarks/english.parquet")
    return Item(
        work=f"{len(SEEDS)} trainings of the mini world's BERT on 64 sentences and {len(SEEDS)} evaluations, "
        "one after the other, through Snakemake, from its start to the end of all processes",
        ours=Way(lambda _: run(*scores), fresh),
        peers={"a start for each job": Way(lambda _: run(*scores, **{COLD: "1"}), fresh)},
        check=check,
        differs="Nothing but the start of the jobs; the first one starts by itself in both ways.",
    )
