"""Where encoders run."""

import torch

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
