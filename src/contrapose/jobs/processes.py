"""Whether a job runs in several processes, and which of them this is; see `contrapose.models.launch`."""

import os

LAUNCHER = "CONTRAPOSE_LAUNCHER"  # in the environment of each process: who started it


def is_launched() -> bool:
    """Whether this process is one of several."""
    return LAUNCHER in os.environ


def is_first() -> bool:
    """Whether this process is the only one, or the one of several that writes files."""
    return not is_launched() or os.environ["RANK"] == "0"
