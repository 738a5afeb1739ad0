"""Contrapose: which training data improves a sentence encoder, and is the gain real?

On the command line: `contrapose` lists its verbs.  `contrapose init FOLDER` and `contrapose run` compare
methods on your own sentences.

In Python: `contrapose.compare` does the same in one call.  `contrapose.api` has the parts: `build` (pairs of
sentences), `train`, `encode`, `score`, and `read` for any table of the workflow.
"""

import os
from importlib import import_module
from importlib.metadata import version
from typing import Any

# Threads that wait for each other sleep instead of spinning, which beside other work takes several times the
# CPU seconds (docs/dev/performance.md).  Read by OpenMP when PyTorch loads it; a person's own setting stays.
if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"} & os.environ.keys():
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


__all__ = ["__version__", "api", "compare"]


def __getattr__(name: str) -> Any:
    """Return what takes time to import or read, when it is asked for."""
    if name == "__version__":
        return version("contrapose")
    if name == "api":
        return import_module("contrapose.api")
    if name == "compare":
        return import_module("contrapose.comparing").compare
    raise AttributeError(f"module 'contrapose' has no attribute '{name}'")
