"""Where encoders run, and how numbers get there."""

import os

import numpy as np
import torch
from torch import Tensor

from contrapose.errors import ConfigError
from contrapose.train.gpus import VISIBLE, take_gpus

# Tokens that run at once: on a CPU, what stays in its cache (of 512, 1024, 2048 and all at once, 1024 took
# the least time with MiniLM); a GPU wants much to do at once.
PIECE_TOKENS = {"cpu": 1024}
PIECE_TOKENS_ELSEWHERE = 16384


def chosen_device(name: str, gpus: int = 1) -> torch.device:
    """Return the device that `device: auto | cpu | cuda | mps` means on this machine.

    GPUs are taken for this job, see `take_gpus`: so many, for this process and those that it starts, of which
    each has its own.  Raises ConfigError if the device is not there, or not as often.
    """
    if name in ("auto", "cuda"):
        take_gpus(gpus, torch.cuda.device_count())  # which does not start CUDA
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, available in there.items() if available)
    if not there.get(name, False):
        have = ", ".join(device for device, available in there.items() if available)
        raise ConfigError(f"device is '{name}', which this machine lacks. Here: {have}; or set device: auto.")
    own = os.environ.get("LOCAL_RANK")  # from the launcher of several processes
    if name != "cuda" or own is None:
        return torch.device(name)
    if int(own) >= (count := torch.cuda.device_count()):
        raise ConfigError(
            f"processes is greater than {count}, the number of GPUs that this job may use "
            f"(CUDA_VISIBLE_DEVICES={os.environ.get(VISIBLE)}). Lower processes, or give the job more GPUs."
        )
    return torch.device(name, int(own))


def free_bytes(device: torch.device) -> int | None:
    """Return the bytes of a GPU that are free; None of other devices, whose memory is not theirs alone."""
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else None


def piece_tokens(device: torch.device) -> int:
    """Return how many tokens are run at once on a device."""
    return PIECE_TOKENS.get(device.type, PIECE_TOKENS_ELSEWHERE)


def on_device(array: np.ndarray, device: torch.device) -> Tensor:
    """Return an array as a Tensor there, without waiting until a GPU has done what it has to do."""
    tensor = torch.from_numpy(array)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
