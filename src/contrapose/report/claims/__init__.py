"""The claims of a paper, as functions from tables to verdicts: one module per paper, named like its study.

Function `rise_01_important_texts_are_nearer` judges claim `rise_01`.
"""

import importlib
import re
from collections.abc import Callable

from contrapose.report.claims.cell_arrays import Tables
from contrapose.report.claims.verdict import Verdict

CLAIM = re.compile(r"([a-z]\w*?_\d+)_")  # id, at the start of the name of a function
ClaimFunction = Callable[[Tables], Verdict]


def claim_functions(study: str) -> dict[str, ClaimFunction]:
    """Return {claim id: function} of a study."""
    module = importlib.import_module(f"{__name__}.{study}")
    functions = ((CLAIM.match(name), function) for name, function in vars(module).items())
    return {match[1]: function for match, function in functions if match}
