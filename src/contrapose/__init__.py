"""Contrapose: which positive pairs are worth training a sentence encoder on.

On the command line: `contrapose` lists its commands.  `contrapose new FOLDER` and `contrapose run` compare
sources of pairs on your own sentences.

In Python: `contrapose.api` has `build` (pairs of sentences), `train`, `encode`, `score`, and `read` for any
table of the workflow.  See `help(contrapose.api)`.

Inside: a stage of the workflow is a subpackage (corpus, generate, score, pairs, train, evaluate, report); the
rest finds settings and files for them.
"""

import os
from importlib.metadata import version

# Threads that wait for each other sleep instead of spinning, which beside other work takes several times the
# CPU seconds (docs/performance.md).  Read by OpenMP when PyTorch loads it; a person's own setting stays.
if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"} & os.environ.keys():
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


def __getattr__(name: str) -> str:
    """Return `__version__`, which is read from the installed package when it is asked for."""
    if name == "__version__":
        return version("contrapose")
    raise AttributeError(f"module 'contrapose' has no attribute '{name}'")
