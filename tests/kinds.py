"""What kinds make of small tables: for the tests of strategies, tables and figures."""

from pathlib import Path

import pandas as pd

from contrapose.kinds import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.tables import PAIRS, checked_arrays


def pairs(kind: str, *tables: pd.DataFrame | list[Path], **settings: object) -> pd.DataFrame:
    """Return the pairs that a strategy makes of the tables that its `build` reads, checked."""
    module = STRATEGIES[kind]
    found = module.build(settings_class(module)(kind=kind, **settings), *tables)
    checked_arrays(found, "pairs", PAIRS)
    return found
