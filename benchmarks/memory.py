"""The memory of a process."""

import re
from pathlib import Path

MEGABYTE = 1024  # kB


def peak_megabytes() -> float:
    """Return the most memory that this process had, in MB; `ru_maxrss` would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / MEGABYTE  # type: ignore[index]
