"""Whether the largest model fits into a GPU; nvidia-smi and PyTorch are asked only where they are."""

import sys
from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.forecast.dag import Job
from contrapose.preflight import gpu
from contrapose.preflight.gpu import (
    GPU,
    check_gpu,
    check_memory,
    check_torch,
    read_gpus,
    visible,
    wanted_of,
)
from contrapose.preflight.needs import Needs

HOME = Path(__file__).parents[3]
TABLE = "0, GPU-11aa, NVIDIA H100 80GB HBM3, 81559, 81000\n1, GPU-22bb, NVIDIA T4, 15360, 500\n"
TRAINING = Job("train_encoder", {"pairs": "dropout", "recipe": "simcse", "seed": "42"})


def levels(device: str, gpus: list[GPU], gigabytes: float) -> list[str]:
    return [one.level for one in check_memory(device, gpus, {"training": gigabytes * 1e9})]


def test_rows_of_nvidia_smi_are_read():
    first, second = read_gpus(TABLE)
    assert (first.name, second.uuid, second.total) == ("NVIDIA H100 80GB HBM3", "GPU-22bb", 15360 * 2**20)


def test_a_gpu_that_does_not_say_its_memory_is_left_open():
    assert levels("cuda", read_gpus("0, GPU-3c, NVIDIA GB10, [N/A], [N/A]\n"), 10) == ["unchecked"]


@pytest.mark.parametrize(
    ("chosen", "indices"), [(None, "01"), ("1", "1"), ("GPU-11", "0"), ("", ""), ("-1", ""), ("1,0", "01")]
)
def test_the_environment_chooses_gpus(chosen: str | None, indices: str):
    assert "".join(one.index for one in visible(read_gpus(TABLE), chosen)) == indices


def test_each_gpu_is_compared_with_what_takes_most():
    gpus = read_gpus(TABLE)
    assert levels("cuda", gpus, 10) == ["fine", "warning"]  # 16 GB, of which somebody else has most
    assert levels("cuda", gpus, 40) == ["fine", "missing"]
    assert levels("cuda", gpus, 90) == ["missing", "missing"]


def test_without_a_gpu_it_depends_on_where_and_for_what(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpu.shutil, "which", lambda program: None)
    assert levels("cuda", [], 4) == ["missing"]
    assert levels("auto", [], 4) == ["unchecked"]
    assert [one.level for one in check_memory("auto", [], {})] == ["fine"]
    monkeypatch.setattr(gpu.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)  # the login node of a cluster
    assert levels("cuda", [], 4) == ["unchecked"]
    monkeypatch.setenv("SLURM_JOB_ID", "7")  # one of its jobs
    assert levels("cuda", [], 4) == ["missing"]


def test_jobs_that_ask_for_a_gpu_are_named_with_their_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(HOME)
    needs = Needs(jobs=[TRAINING, Job("pairs_dropout", {"pairs": "dropout"})], encoders=["bert-base"])
    found = wanted_of(Plan({"world": "hub", "studies": ["thesis"]}, HOME), needs)
    assert list(found) == ["train_encoder dropout/simcse/42"]
    assert 1.7e9 < found["train_encoder dropout/simcse/42"] < 10e9
    assert wanted_of(Plan({"world": "mini", "studies": ["thesis"]}, HOME), needs) == {}


def test_a_run_on_the_cpu_needs_no_gpu_and_jobs_without_models_neither():
    plan = Plan({"device": "cpu", "studies": ["thesis"]}, HOME)
    assert [one.level for one in check_gpu(plan, Needs(encoders=["bert-base"]))] == ["fine"]
    assert check_gpu(plan, Needs()) == []


def test_what_pytorch_says_of_the_device_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    python = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    for answer, level in (("True 2.13.0", "fine"), ("False 2.13.0+cpu", "missing")):
        python.write_text(f"#!/bin/sh\necho {answer}\n")
        python.chmod(0o755)
        assert [one.level for one in check_torch("cuda")] == [level]
    python.write_text("#!/bin/sh\nexit 1\n")
    assert [one.level for one in check_torch("cuda")] == ["unchecked"]
