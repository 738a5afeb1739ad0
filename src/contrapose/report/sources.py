"""The metadata of the files behind a table."""

from collections.abc import Iterable
from pathlib import Path

from contrapose.tables import read_provenance


def missing_sets(sets: Iterable[str | Path]) -> dict[str, str]:
    """Return {`task/form/split`: file below the data folder} of what BENCHMARK or TRANSFER files lack."""
    return {what: path for each in sets for what, path in read_provenance(each).get("missing", {}).items()}
