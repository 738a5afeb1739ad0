"""GPUs: whether there is one where it is asked for, and whether the largest model fits into its memory."""

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contrapose.forecast.loads import MODELS
from contrapose.forecast.needs import MB, MEMORY_FACTOR
from contrapose.forecast.needs import needs as asked_by
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs

SECONDS = 60.0  # that PyTorch may take to start: 3 s on a quiet machine, more from a network disk
QUERY = "index,uuid,name,memory.total,memory.free"
TORCH = "import torch; print(torch.{}.is_available(), torch.__version__)"


@dataclass(frozen=True)
class GPU:
    """A GPU as nvidia-smi sees it; memory in bytes."""

    index: str
    uuid: str
    name: str
    total: float
    free: float


def gpus_here() -> list[GPU]:
    """Return the GPUs that nvidia-smi names, if it is there, and CUDA_VISIBLE_DEVICES lets through."""
    if shutil.which("nvidia-smi") is None:
        return []
    command = ["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return visible(read_gpus(done.stdout), os.environ.get("CUDA_VISIBLE_DEVICES"))


def read_gpus(table: str) -> list[GPU]:
    """Read the rows of nvidia-smi, columns QUERY, memory in MiB; infinite where it is not said."""
    rows = (line.split(", ") for line in table.splitlines() if line.strip())
    return [GPU(index, uuid, name, _bytes(total), _bytes(free)) for index, uuid, name, total, free in rows]


def _bytes(mebibytes: str) -> float:
    try:
        return float(mebibytes) * 2**20
    except ValueError:  # [N/A] where processor and GPU share their memory, or the GPU is divided (MIG)
        return math.inf


def visible(gpus: Sequence[GPU], chosen: str | None) -> list[GPU]:
    """Return those that CUDA_VISIBLE_DEVICES chooses, by index or by the beginning of a UUID; None: all."""
    if chosen is None:
        return list(gpus)
    names = [name.strip() for name in chosen.split(",") if name.strip()]
    return [gpu for gpu in gpus if any(gpu.index == name or gpu.uuid.startswith(name) for name in names)]


def wanted_of(plan: Plan, needs: Needs) -> dict[str, float]:
    """Return {what: bytes} of GPU memory that jobs are expected to take, of those that ask for a GPU."""
    found: dict[str, float] = {}
    for job in needs.jobs:
        if job.rule in MODELS and (asked := asked_by(plan, job.rule, job.wildcards)).gpus:
            found[f"{job.rule} {'/'.join(job.wildcards.values())}"] = asked.gpu_mem_mb * MB / MEMORY_FACTOR
    return found


def check_gpu(plan: Plan, needs: Needs) -> list[Finding]:
    """Look for what `device` asks for."""
    if not needs.encoders and not needs.language_models:
        return []
    device = plan.config.device
    if device == "cpu":
        return [fine("GPU", "not needed: device is 'cpu'")]
    if device == "mps":
        return list(check_torch(device))
    gpus = gpus_here()
    findings = list(check_memory(device, gpus, wanted_of(plan, needs)))
    return [*findings, *(check_torch("cuda") if gpus else [])]


def check_memory(device: str, gpus: Sequence[GPU], wanted: Mapping[str, float]) -> Iterator[Finding]:
    """Compare the memory of each GPU with what takes most.

    Parameters
    ----------
    device : str
        `auto` or `cuda`.
    gpus : sequence of GPU
    wanted : mapping of what: bytes
        Of jobs that ask for a GPU.
    """
    if not wanted:
        yield fine("GPU", "no job asks for one: a CPU is good enough for models as small as these")
        return
    what, need = max(wanted.items(), key=lambda one: one[1])
    if not gpus:
        yield _without(device, what, need)
        return
    for gpu in gpus:
        name = f"GPU {gpu.index}, {gpu.name}"
        if math.isinf(gpu.total):
            yield unchecked(name, f"nvidia-smi does not say its memory; {what} takes about {_gb(need)}.")
        elif gpu.total < need:
            yield missing(
                name,
                f"has {_gb(gpu.total)} of memory, {what} takes about {_gb(need)}. Take a larger one, or set "
                "recompute: true, which trains large batches in little memory.",
            )
        elif gpu.free < need:
            yield warning(
                name,
                f"{_gb(gpu.free)} of its {_gb(gpu.total)} are free now, {what} takes about {_gb(need)}: "
                "somebody else works there.",
            )
        else:
            yield fine(name, f"{_gb(gpu.total)} of memory; at most {_gb(need)} are taken, by {what}")


def _without(device: str, what: str, need: float) -> Finding:
    size = f"what takes most, {what}, takes about {_gb(need)}"
    if shutil.which("srun") is not None and "SLURM_JOB_ID" not in os.environ:
        return unchecked("GPU", f"none on this node; {size}. Check in a job: srun --gpus=1 make preflight")
    if device == "cuda":
        advice = "Start where there is one, or set device: auto."
        return missing("GPU", f"device is 'cuda', and nvidia-smi names none here; {size}. {advice}")
    return unchecked("GPU", f"none here: jobs that run here take the CPU, and days; {size}.")


def _gb(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def check_torch(device: str) -> Iterator[Finding]:
    """Ask PyTorch, in a process of its own, whether it can use the device: it takes seconds to import."""
    part = "cuda" if device == "cuda" else f"backends.{device}"
    command = [sys.executable, "-c", TORCH.format(part)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        yield unchecked("PyTorch", f"could not be asked about {device} ({error}).")
        return
    there, version = done.stdout.split()
    if there == "True":
        yield fine("PyTorch", f"{version} can use {device}")
    else:
        yield missing(
            "PyTorch",
            f"{version} cannot use {device}. Install the build for this machine's driver (pytorch.org); jobs "
            "under --sdm conda have their own.",
        )
