"""Where encoders run, and how numbers get there."""

import numpy as np
import torch
from torch import Tensor

from contrapose.errors import ConfigError


def chosen_device(name: str) -> torch.device:
    """Return the device that `device: auto | cpu | cuda | mps` means on this machine.

    Raises
    ------
    ConfigError
        The device is not there.
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, available in there.items() if available)
    if not there.get(name, False):
        have = ", ".join(device for device, available in there.items() if available)
        raise ConfigError(f"device is '{name}', which this machine lacks. Here: {have}; or set device: auto.")
    return torch.device(name)


def on_device(array: np.ndarray, device: torch.device) -> Tensor:
    """Return an array as a Tensor there, without waiting until a GPU has done what it has to do."""
    tensor = torch.from_numpy(array)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
