"""How fast a machine runs models: by the trainings that it finished, its matrix products, or a data sheet."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from contrapose.project import Project
from contrapose.resources import ON_GPU
from contrapose.timing import read_timing

TERA = 1e12
# 10^12 operations per second reached in float32 and in half precision.  GPUs: 0.3 of the peak in the data
# sheets of NVIDIA's SXM boards, for TF32 and for bf16 without sparsity; 0.21 to 0.46 are published for
# language models (Chowdhery et al. 2022, Table 3).  A core: measured with the mini world's encoders; 0.13
# with MiniLM-L6.
RATES = {"a100": (47.0, 94.0), "h100": (148.0, 297.0), "core": (0.07, 0.07)}
GPUS = {
    "A100": "a100",
    "H100": "h100",
    "H200": "h100",
}  # by the name of a board; H200: with more memory
# What a training of MiniLM-L6 reaches of the rate of matrix products in the same precision: 0.57 in bf16, on
# the one machine where both were measured (0.114 of 0.201, by CPU time).
SHARE = 0.57
PRODUCTS = 2 * 3 * (1024 * 384 * 384 + 256 * 768 * 768)  # operations that `encoders.matmul` measured


class Machine(NamedTuple):
    """What jobs run on."""

    name: str
    rates: tuple[float, float]  # 10^12 operations a second, in float32 and in half precision
    source: str = ""  # of the rates


def machine(project: Project, device: str = "here") -> Machine:
    """Return a device of RATES, or this machine with all its cores or GPUs."""
    if device != "here":
        return Machine(f"one {device}", RATES[device])
    boards = gpus() if project.config.device in ON_GPU else []
    count = len(boards) or cores()
    name = f"{boards[0].partition(',')[0]} (of {count})" if boards else f"{count} cores of this machine"
    if done := list(finished(project)):
        rate = count * sum(one.flops for one in done) / sum(one.seconds for one in done) / TERA
        return Machine(name, (rate, rate), f"by trainings that it finished: {len(done)}")
    if boards:
        known = next((GPUS[each] for each in GPUS if each in boards[0]), "a100")
        return Machine(name, _times(count, RATES[known]), f"as an {known} by its data sheet")
    if rates := _products():
        return Machine(name, _times(count, rates), "by the matrix products that were measured on it")
    return Machine(name, _times(count, RATES["core"]), "as the cores that we measured")


def _times(count: int, rates: tuple[float, float]) -> tuple[float, float]:
    return count * rates[0], count * rates[1]


def gpus() -> list[str]:
    """Return name and memory of each GPU that `nvidia-smi` names."""
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    if shutil.which(command[0]) is None:
        return []
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Finished(NamedTuple):
    """A training that ended well."""

    flops: float
    seconds: float  # of one core or GPU
    wall_seconds: float


def finished(project: Project) -> Iterator[Finished]:
    """Yield the trainings of the project's folder that counted their operations."""
    logs = Path(project.config.pathvars.get("logs", "logs"))
    for file in sorted(logs.glob("train/**/*.took.json")):
        if (took := read_timing(file)) and took["flops"] > 0:
            device = took["gpu_seconds"] or took["cpu_seconds"]
            yield Finished(took["flops"], device, took["wall_seconds"])


def _products() -> tuple[float, float] | None:
    """Return the rates of one core from what `encoders.matmul` remembers of this machine; None: nothing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "contrapose"
    files = sorted(cache.glob("products-*.json"), key=lambda file: file.stat().st_mtime)
    if not files:
        return None
    seconds = json.loads(files[-1].read_text())
    single = min(seconds["pytorch"], seconds["onednn"])
    rates = [SHARE * PRODUCTS / each / TERA for each in (single, min(single, seconds.get("bf16", single)))]
    return rates[0], rates[1]


def spelled(hours: float) -> str:
    """Return a duration in words: `40 s`, `25 min`, `3.4 h`, `157 h`; minutes below two hours."""
    for size, unit, most in ((3600, "s", 1 / 30), (60, "min", 2)):
        if hours < most:
            return f"{max(1, round(hours * size))} {unit}" if hours else f"0 {unit}"
    return f"{hours:.1f} h" if hours < 10 else f"{hours:,.0f} h"
