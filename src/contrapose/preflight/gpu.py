"""GPUs: whether there is one where it is asked for, and whether the largest model fits into its memory."""

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contrapose.config.recipes import ContrastiveTensionRecipe, Recipe
from contrapose.config.worlds import Shape
from contrapose.errors import ContraposeError
from contrapose.forecast.compute import parameters, shape_of
from contrapose.forecast.synthetic import language_model_parameters, language_model_shape
from contrapose.forecast.texts import pair_rows
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs

SECONDS = 60.0  # that PyTorch may take to start: 3 s on a quiet machine, more from a network disk
# Of a training, for each parameter: weight, gradient, two moments of AdamW, all float32.
TRAINED_BYTES, READ_BYTES = 16, 4
# Bytes that a layer keeps for the backward pass, for each token: 34 of each unit of width and 5 of each head
# and token attended to, in half precision.  Korthikanti et al. 2022, equation 1.  BERT and RoBERTa have heads
# of 64 units.
PER_UNIT, PER_HEAD, HEAD = 34, 5, 64
CONTEXT = 1.0e9  # bytes of CUDA itself and of what its libraries reserve: about half of it on an A100
SMALL = 10e6  # parameters: the mini world's encoders have a tenth, which a CPU trains in minutes
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


def training_bytes(shape: Shape, sentences: int, tokens: int, half: bool) -> float:
    """Return the GPU memory that a training takes.

        16 x parameters + layers x sentences x tokens x (34 d + 5 tokens d / 64) x 2 in float32

    Parameters
    ----------
    shape : Shape
    sentences : int
        Of a batch, all sides of its pairs.
    tokens : int
        Of a sentence, at most.
    half : bool
        Mixed precision, fp16 or bf16.
    """
    width = shape.hidden_size
    kept = PER_UNIT * width + PER_HEAD * tokens * width / HEAD
    activations = shape.num_hidden_layers * sentences * tokens * kept * (1 if half else 2)
    return TRAINED_BYTES * parameters(shape) + activations


def parameters_of(plan: Plan, needs: Needs) -> dict[str, int]:
    """Return {what: parameters} of the encoders and language models of jobs, as far as they are known."""
    found = {f"encoder {role}": parameters(shape) for role in needs.encoders if (shape := _shape(plan, role))}
    return found | {
        f"language model {role}": language_model_parameters(size)
        for role in needs.language_models
        if (size := language_model_shape(plan, role))
    }


def trainings_of(plan: Plan, needs: Needs) -> dict[str, float]:
    """Return {what: bytes of GPU memory} of the trainings of jobs, as far as they are known.

    With `recompute` the activations are those of a part of a batch, and are left out.
    """
    found: dict[str, float] = {}
    for job in needs.jobs:
        if job.rule in ("train_encoder", "train_contrastive_tension"):
            pairs, name = job.wildcards["pairs"], job.wildcards["recipe"]
            if (what := f"training {pairs}/{name}") not in found and (size := _training(plan, pairs, name)):
                found[what] = size
    return found


def _training(plan: Plan, pairs: str, name: str) -> float | None:
    recipe = plan.recipe(name)
    assert isinstance(recipe, Recipe | ContrastiveTensionRecipe)
    shape, rows = _shape(plan, recipe.encoder), pair_rows(plan, pairs)
    if shape is None:
        return None
    sides = rows.sides if rows else 2
    half = isinstance(recipe, Recipe) and recipe.precision != "no"
    sentences = 0 if plan.config.recompute else sides * recipe.batch_size
    size = training_bytes(shape, sentences, recipe.max_length, half)
    # Of Contrastive Tension two encoders learn.
    return size * (2 if isinstance(recipe, ContrastiveTensionRecipe) else 1)


def _shape(plan: Plan, role: str) -> Shape | None:
    try:
        return shape_of(plan, role)
    except ContraposeError:  # told by the check of files
        return None


def check_gpu(plan: Plan, needs: Needs) -> list[Finding]:
    """Look for what `device` asks for."""
    if not needs.encoders and not needs.language_models:
        return []
    device = plan.config.device
    if device == "cpu":
        return [fine("GPU", "not needed: device is 'cpu'")]
    if device == "mps":
        return list(check_torch(device))
    models, gpus = parameters_of(plan, needs), gpus_here()
    wanted = {what: READ_BYTES * count for what, count in models.items()} | trainings_of(plan, needs)
    small = max(models.values(), default=0) < SMALL
    findings = list(check_memory(device, gpus, wanted, small))
    return [*findings, *(check_torch("cuda") if gpus else [])]


def check_memory(
    device: str, gpus: Sequence[GPU], wanted: Mapping[str, float], small: bool
) -> Iterator[Finding]:
    """Compare the memory of each GPU with what takes most.

    Parameters
    ----------
    device : str
        `auto` or `cuda`.
    gpus : sequence of GPU
    wanted : mapping of what: bytes
        CUDA itself takes some more.
    small : bool
        A CPU will do, too.
    """
    what, size = max(wanted.items(), key=lambda one: one[1], default=("unknown models", 0.0))
    need = size + CONTEXT
    if not gpus:
        yield _without(device, what, need, small)
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


def _without(device: str, what: str, need: float, small: bool) -> Finding:
    size = f"what takes most, {what}, takes about {_gb(need)}"
    if small and device == "auto":
        return fine("GPU", "none here, and none is needed for models as small as these")
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
