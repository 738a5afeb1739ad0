"""The device and precision that encoders run in, and the transfer of arrays to a device."""

import logging
import os
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from torch import Tensor

from contrapose.base.errors import ConfigError
from contrapose.jobs.timing import computes_on
from contrapose.models.gpus import VISIBLE, take_gpus
from contrapose.models.matmul import has_bf16, matmul_backend
from contrapose.settings.spec import Precision

logger = logging.getLogger(__name__)

PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
USED: set[str] = set()  # precisions of this process's models, recorded in its tables
AUTO: dict[str, str] = {}  # what auto meant for encoders, by type of device, recorded, too

# Tokens to run at once: on a CPU, as many as fit in its cache (of 512, 1024, 2048 and all at once, 1024 was
# fastest with MiniLM); a GPU needs large batches.
PIECE_TOKENS = {"cpu": 1024}
PIECE_TOKENS_ELSEWHERE = 16384
# Where texts are padded, a piece of so many tokens takes no shorter text: of 0, 64, 128, 256, 512 and no such
# number, 256 was fastest with MPNet and DeBERTa (docs/dev/performance.md).  Nobody has measured it elsewhere.
LEAST_TOKENS = {"cpu": 256}


def chosen_device(name: str, gpus: int = 1) -> torch.device:
    """Return the device that `device: auto | cpu | cuda | mps` means on this machine.

    Reserves `gpus` GPUs for this job, see `take_gpus`: this process and those that it starts get one each.
    Raises ConfigError if the device is not available, or there are too few GPUs.
    """
    if name in ("auto", "cuda"):
        take_gpus(gpus, torch.cuda.device_count())  # which does not start CUDA
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, usable in available.items() if usable)
    if not available.get(name, False):
        have = ", ".join(device for device, usable in available.items() if usable)
        raise ConfigError(
            f"device is '{name}', which this machine does not have. Available devices: {have}. Name "
            "one of them, or set device: auto."
        )
    if name == "cuda":
        computes_on(gpus)
    rank = os.environ.get("LOCAL_RANK")  # from the launcher of several processes
    if name != "cuda" or rank is None:
        return torch.device(name)
    if int(rank) >= (count := torch.cuda.device_count()):
        raise ConfigError(
            f"nproc_per_node is greater than {count}, the number of GPUs that this job may use "
            f"(CUDA_VISIBLE_DEVICES={os.environ.get(VISIBLE)}). Lower it, or give the job more GPUs."
        )
    return torch.device(name, int(rank))


def chosen_precision(name: Precision, device: torch.device, of_encoder: bool = False) -> torch.dtype:
    """Return what `precision: auto | float32 | bf16 | fp16` means on a device.

    auto is bf16 on NVIDIA GPUs that support it and, for a sentence encoder, on a CPU that was measured to be
    faster in it (`contrapose.models.matmul`); else float32.  Float32 matrix products use TF32 where the
    GPU has it.  Raises ConfigError for fp16 on a CPU.
    """
    if device.type == "cuda":
        torch.backends.cuda.matmul.fp32_precision = "tf32"
    if name == "fp16" and device.type == "cpu":
        raise ConfigError(
            "precision is fp16, which needs a GPU, but the device is cpu. Set precision to float32 or bf16."
        )
    if name == "auto":
        if device.type == "cuda":
            gains = torch.cuda.is_bf16_supported(including_emulation=False)
        else:  # and is known to give the same results but for noise
            gains = of_encoder and device.type == "cpu" and matmul_backend().bf16
        name = "bf16" if gains else "float32"
        if of_encoder:
            AUTO[device.type] = name
    elif name == "bf16" and device.type == "cpu" and not has_bf16():
        logger.warning(
            "This CPU has no bf16 instructions and emulates them, which is many times slower than "
            "float32. Set precision to float32."
        )
    logger.info("models run in %s on %s", name, device.type)
    USED.add(name)
    return PRECISIONS[name]


def computing_in(precision: torch.dtype, device: torch.device) -> AbstractContextManager[object]:
    """Return an autocast context for a precision; for float32 one that changes nothing."""
    return nullcontext() if precision == torch.float32 else torch.autocast(device.type, precision)


def free_bytes(device: torch.device) -> int | None:
    """Return the free bytes of a GPU; None for other devices, which share the machine's memory."""
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else None


def piece_tokens(device: torch.device) -> int:
    """Return how many tokens to run at once on a device."""
    return PIECE_TOKENS.get(device.type, PIECE_TOKENS_ELSEWHERE)


def least_tokens(device: torch.device) -> float:
    """Return how many tokens of padded texts make a piece that takes no shorter text on a device."""
    return LEAST_TOKENS.get(device.type, np.inf)


def on_device(array: np.ndarray, device: torch.device) -> Tensor:
    """Copy an array to a device as a Tensor, without waiting for a GPU to finish its pending work."""
    tensor = torch.from_numpy(array)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
