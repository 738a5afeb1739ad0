"""How fast a machine runs models: by the trainings that it finished, its matrix products, or a data sheet."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import read_timing
from contrapose.project import Project
from contrapose.settings.main import ON_GPU
from contrapose.tools.boards import PEAKS

TERA = 1e12
# Of the peak is reached: 0.21 to 0.46 are published for language models (Chowdhery et al. 2022, Table 3).
REACHED = 0.3
# Operations that a plan counts for a sentence of SimCSE with BERT-base: three passes, two sides, 32 tokens.
SENTENCE = 3 * 2 * 32 * 2 * 12 * 12 * 768**2


class Rates(NamedTuple):
    """What a device reaches, in 10^12 operations a second."""

    float32: float
    half: float
    source: str = ""  # of a measurement; empty: estimated
    # Whether trainings were measured in float32, and in half precision.
    measured: tuple[bool, bool] = (False, False)


def _measured(name: str, sentences: float, source: str) -> Rates:
    """Return the rates of a card on which trainings in bf16 were measured, in sentences a second."""
    tf32, half = PEAKS[name]
    rate = sentences * SENTENCE / TERA
    return Rates(rate * tf32 / half, rate, source, (False, True))


RATES = {name: Rates(REACHED * tf32, REACHED * half) for name, (tf32, half) in PEAKS.items()}
# Another card's line goes here: sentences a second that `python -m benchmarks.gpu` prints for it.
H100 = "3,045 sentences/s of BERT-base in bf16, batches of 64 pairs, one reading: docs/dev/performance.md"
RATES["h100"] = _measured("h100", 3045, H100)
CORE = "trainings of the mini world's encoders; 0.13 with MiniLM-L6"
RATES["core"] = Rates(0.07, 0.07, CORE, (True, True))
# What a training of MiniLM-L6 reaches of the rate of matrix products in the same precision: 0.57 in bf16, on
# the one machine where both were measured (0.114 of 0.201, by CPU time).
SHARE = 0.57
PRODUCTS = 2 * 3 * (1024 * 384 * 384 + 256 * 768 * 768)  # operations that `encoders.matmul` measured


class Machine(NamedTuple):
    """What jobs run on."""

    name: str
    rates: tuple[float, float]  # 10^12 operations a second, in float32 and in half precision
    source: str = ""  # of the rates
    measured: tuple[bool, bool] = (False, False)  # whether the rates are those of trainings
    devices: int = 1  # cores or GPUs


def machine(project: Project, device: str = "here") -> Machine:
    """Return a device of RATES or of a given rate, or this machine with all its cores or GPUs.

    Raises ConfigError if the device is none of these.
    """
    if device in RATES:
        return Machine(f"one {device}", RATES[device][:2], RATES[device].source, RATES[device].measured)
    if device != "here":
        rate = _parsed_rate(device)
        return Machine(f"one device of {rate:g} x 10^12 operations a second", (rate, rate))
    boards = gpus() if project.config.device in ON_GPU else []
    count = len(boards) or cores()
    name = f"{boards[0].partition(',')[0]} (of {count})" if boards else f"{count} cores of this machine"
    if done := list(finished(project)):
        rate = count * sum(one.flops for one in done) / sum(one.seconds for one in done) / TERA
        return Machine(name, (rate, rate), f"measured by {len(done)} finished trainings", (True, True), count)
    if boards:
        known = known_as(boards[0])
        said = (
            "according to its data sheet"
            if known
            else "estimated like an a100, because this device is not known; --device takes a number"
        )
        rates = RATES[known or "a100"]
        return Machine(name, _times(count, rates), rates.source or said, rates.measured, count)
    if products := _products():
        said = "by its speed at multiplying matrices"
        return Machine(name, _times(count, products), said, devices=count)
    core = RATES["core"]
    return Machine(
        name,
        _times(count, core),
        "estimated like the CPU on which Contrapose was measured",
        core.measured,
        count,
    )


def _parsed_rate(rate: str) -> float:
    try:
        if (number := float(rate)) > 0 and math.isfinite(number):
            return number
    except ValueError:
        pass
    raise ConfigError(
        f"--device {rate}: this device is not known. Write 'here' for this machine, or one of "
        f"{', '.join(RATES)} ('core' is one CPU core). A number is also possible: the 10^12 operations per "
        "second that a job reaches, such as 40."
    )


def known_as(board: str) -> str:
    """Return the longest name in PEAKS whose words are in that of a board; empty if there is none."""
    words = set(re.split(r"[\s,-]+", board.lower()))
    return max((name for name in PEAKS if words.issuperset(name.split("-"))), key=len, default="")


def _times(count: int, rates: Sequence[Any]) -> tuple[float, float]:
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
    """Yield the trainings on pairs in the project's folder that counted their operations.

    Pretraining of tiny models reaches another rate.
    """
    logs = Path(project.config.pathvars.get("logs", "logs"))
    for file in sorted(logs.glob("train/**/seed*.took.json")):
        if (timing := read_timing(file)) and timing["flops"] > 0:
            device = timing["gpu_seconds"] or timing["cpu_seconds"]
            yield Finished(timing["flops"], device, timing["wall_seconds"])


def measure_products() -> None:
    """Measure this machine's matrix products where nothing says yet how fast it is: in 0.3 s."""
    if not gpus() and not _products():  # in a process of its own, as PyTorch stays in memory
        code = "from contrapose.models.matmul import matmul_backend; matmul_backend()"
        subprocess.run([sys.executable, "-c", code], check=False)


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
