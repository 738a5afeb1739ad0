"""A training that SLURM asks to end saves where it stands, and its next attempt makes the same bytes."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import Checkout
from tests.cluster.study import answer, controller, ended, queue, wait_until

RUN = "train/dropout/simcse+epochs={}/seed42"
STOPPED = re.compile(r"StoppedError: SIGTERM: training stopped after step (\d+) of")
NOTED = '#!/bin/sh\nprintf "%s\\n" "$*" >>{calls}\nexec {sbatch} "$@"\n'
FILES = ("encoder/model.safetensors", "history.parquet")


def shorten(job: str) -> None:
    """Leave a job two minutes in all: SLURM, which looks twice a minute, sends the signal of the rule."""
    answer("scontrol", "update", f"jobid={job}", "timelimit=2")


def cancel(job: str) -> None:
    """End a job as a preemption without grace does: SIGTERM, and SIGKILL half a minute later."""
    answer("scancel", job)


# Enough epochs that the signal comes before the end.
@pytest.mark.parametrize(("end", "processes", "epochs"), [(shorten, 1, 600), (cancel, 2, 200)])
def test_a_training_saves_when_it_is_told_to_end_and_goes_on_to_the_same_bytes(
    end: Callable[[str], None], processes: int, epochs: int, built: Checkout, tmp_path: Path
):
    run = RUN.format(epochs)
    log = (built.folder / "logs" / run).with_suffix(".log")
    call = (
        *(f"results/{run}/history.parquet", "--config", f"nproc_per_node={processes}"),
        *("--set-resources", "train_encoder:checkpoint_seconds=600"),  # the signal is not one of these
    )
    whole = Checkout(shutil.copytree(built.folder, tmp_path / "whole"))
    (tmp_path / "sbatch").write_text(NOTED.format(calls=tmp_path / "calls", sbatch=shutil.which("sbatch")))
    (tmp_path / "sbatch").chmod(0o755)

    def told(what: str) -> list[str]:
        return re.findall(what, log.read_text()) if log.is_file() else []

    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    process = controller(built.folder, *call, env={"PATH": path})
    wait_until(lambda: told(r"step \d\d+: dev score"), process)
    [job] = queue(built.folder)
    end(job)
    wait_until(lambda: told(STOPPED.pattern), process)
    [step, *_] = told(STOPPED.pattern)
    assert "--signal=TERM@120" in (tmp_path / "calls").read_text()
    whole.run(*call)  # undisturbed, on one machine
    assert "Trying to restart job" in ended(process)
    assert told(r"resuming after step (\d+)")[0] == step
    for file in FILES:
        made, expected = (project.folder / "results" / run / file for project in (built, whole))
        assert made.read_bytes() == expected.read_bytes()
