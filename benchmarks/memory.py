"""The memory of a process."""

import ctypes
import re
from pathlib import Path

MEGABYTE = 1024  # kB


def peak_megabytes() -> float:
    """Return the most memory that this process had, in MB; `ru_maxrss` would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / MEGABYTE  # type: ignore[index]


def forget_peak() -> None:
    """Give back what is free, and count the most memory from here on."""
    ctypes.CDLL(None).malloc_trim(0)  # what earlier work has freed would hide what later work takes
    Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets VmHWM
