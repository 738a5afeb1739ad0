"""The claims of a paper, as functions from tables to verdicts: one module per paper, named like its study."""

import importlib
from collections.abc import Callable, Mapping

from contrapose.report.claims.cells import Cells
from contrapose.report.claims.verdict import Verdict

ClaimFunction = Callable[[Mapping[str, Cells]], Verdict]


def claim_functions(study: str) -> dict[str, ClaimFunction]:
    """Return {claim id: function} of a study."""
    functions: dict[str, ClaimFunction] = importlib.import_module(f"{__name__}.{study}").CLAIMS
    return functions
