"""Whether the largest model fits into a GPU; nvidia-smi and PyTorch are asked only where they are."""

import sys
from pathlib import Path

import pytest

from contrapose.config.worlds import Shape
from contrapose.forecast.dag import Job
from contrapose.plan import Plan
from contrapose.preflight import gpu
from contrapose.preflight.gpu import (
    GPU,
    check_gpu,
    check_memory,
    check_torch,
    parameters_of,
    read_gpus,
    training_bytes,
    trainings_of,
    visible,
)
from contrapose.preflight.needs import Needs

HOME = Path(__file__).parents[3]
TABLE = "0, GPU-11aa, NVIDIA H100 80GB HBM3, 81559, 81000\n1, GPU-22bb, NVIDIA T4, 15360, 500\n"
TRAINING = Job("train_encoder", {"pairs": "dropout", "recipe": "simcse", "seed": "42"})


def levels(device: str, gpus: list[GPU], gigabytes: float, small: bool = False) -> list[str]:
    return [one.level for one in check_memory(device, gpus, {"training": gigabytes * 1e9}, small)]


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
    assert levels("auto", [], 0.1, small=True) == ["fine"]
    monkeypatch.setattr(gpu.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)  # the login node of a cluster
    assert levels("cuda", [], 4) == ["unchecked"]
    monkeypatch.setenv("SLURM_JOB_ID", "7")  # one of its jobs
    assert levels("cuda", [], 4) == ["missing"]


def test_a_training_of_one_layer_takes_what_the_formula_says():
    shape = Shape(
        num_hidden_layers=1, hidden_size=64, intermediate_size=256, vocab_size=36, max_position_embeddings=26,
        type_vocab_size=2,
    )  # fmt: skip
    # Embeddings 64 x 64 + 128; attention 4 x (4096 + 64) + 128; feed-forward 2 x 16384 + 256 + 64 + 128.
    weights = 4224 + 16768 + 33216
    # 2 sentences of 10 tokens: 34 x 64 + 5 x 10 for each in half precision.
    assert training_bytes(shape, 2, 10, half=True) == 16 * weights + 20 * (34 * 64 + 50)
    assert training_bytes(shape, 2, 10, half=False) == 16 * weights + 40 * (34 * 64 + 50)


def test_trainings_and_models_of_jobs_are_known_by_their_shapes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(HOME)
    needs = Needs(jobs=[TRAINING], encoders=["bert-base"], language_models=["gpt2-xl"])
    plan = Plan({"world": "hub", "studies": ["thesis"]}, HOME)
    assert parameters_of(plan, needs) == {
        "encoder bert-base": 108_891_648,
        "language model gpt2-xl": 1_557_611_200,
    }
    found = trainings_of(plan, needs)
    assert list(found) == ["training dropout/simcse"]
    assert 1.7e9 < found["training dropout/simcse"] < 6e9
    little = trainings_of(Plan({"world": "hub", "studies": ["thesis"], "recompute": True}, HOME), needs)
    assert little["training dropout/simcse"] == 16 * 108_891_648


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
