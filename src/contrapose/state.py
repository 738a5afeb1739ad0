"""What survives a killed job: a folder of its own below `state/`, until its result is written."""

import shutil
from pathlib import Path


def remove_state(folder: Path) -> None:
    """Remove what a complete job has kept, and what a killed one left half written."""
    shutil.rmtree(folder, ignore_errors=True)
