"""Jobs that need a GPU on a machine with several and without a scheduler; the machine is made up."""

import os
from pathlib import Path

import pytest

from tests.checkout import Checkout, checkout, snakemake

GPUS, TRAININGS, GENERATIONS = 8, 48, 12
# Jobs of nothing, with the resources of trainings (three of 96 cores) and of generation, in our own workflow.
RULES = """
include: "workflow/Snakefile"

rule made_up:
    input: expand("made/train-{n}", n=range(TRAININGS)), expand("made/ask-{n}", n=range(GENERATIONS))

rule made_up_training:
    output: "made/train-{n}"
    threads: 3
    resources: gpu=1
    shell: "echo train +1 >> log; sleep 0.2; echo train -1 >> log; touch {output}"

rule made_up_generation:
    output: "made/ask-{n}"
    shell: "echo ask +1 >> log; sleep 0.1; echo ask -1 >> log; touch {output}"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    lines = "".join(f"echo '{number}, GPU-{number}, 79000, 80000'\n" for number in range(GPUS))
    (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{lines}")
    (tmp_path / "nvidia-smi").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    made = checkout(tmp_path / "project")
    rules = RULES.replace("TRAININGS", str(TRAININGS)).replace("GENERATIONS", str(GENERATIONS))
    (made.folder / "made_up.smk").write_text(rules)
    return made


def together(log: list[tuple[str, int]], kind: str) -> int:
    """Return how many jobs of a kind were at work at once, at most."""
    running = most = 0
    for each, change in log:
        running += change * (each == kind)
        most = max(most, running)
    return most


@pytest.mark.slow
@pytest.mark.parametrize(("options", "most"), [((), GPUS), (("--resources", "gpu=3"), 3)])
def test_as_many_jobs_train_as_gpus_and_generation_goes_on(project: Checkout, options, most):
    """Jobs that wait for a GPU hold no core, so that models are asked meanwhile."""
    call = ("-s", "made_up.smk", "--cores", "96", *options, "--config", "device=auto", "--", "made_up")
    snakemake(project.folder, *call)
    lines = (project.folder / "log").read_text().splitlines()
    log = [(kind, int(change)) for kind, change in map(str.split, lines)]
    assert len(log) == 2 * (TRAININGS + GENERATIONS)
    assert 1 < together(log, "train") <= most
    first_end = log.index(("ask", -1))
    last_start = len(log) - 1 - log[::-1].index(("train", 1))
    assert first_end < last_start
