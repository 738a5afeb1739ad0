"""Outputs that could not be made because of too little input: the reason takes their place."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.errors import LackingError
from contrapose.stage import provenance
from contrapose.tables import PAIRS, Table, empty, read_provenance, read_table, write_table

LACKING = "lacking.txt"  # in the place of an encoder's files
logger = logging.getLogger(__name__)


@contextmanager
def or_left_out(snakemake: Any, **tables: Table) -> Iterator[None]:
    """Write the outputs of a job without rows, and the reason in their metadata, after a LackingError.

    `tables` are by name of the output.  Other outputs are folders of models, which hold the reason alone.
    """
    try:
        yield
    except LackingError as error:
        logger.warning("left out: %s", error)
        for name, path in snakemake.output.items():
            if name in tables:
                told = {**provenance(snakemake), "lacking": str(error)}
                write_table(empty(tables[name]), path, tables[name], told)
            else:
                Path(path).mkdir(parents=True)
                (Path(path) / LACKING).write_text(f"{error}\n")


def read_pairs(path: str | Path) -> pd.DataFrame:
    """Read a PAIRS table; raise a LackingError with the reason if it has no rows."""
    pairs = read_table(path, PAIRS)
    if pairs.empty:
        raise LackingError(
            read_provenance(path).get("lacking") or f"the pair set '{Path(path).stem}' has no pairs"
        )
    return pairs


def why_left_out(encoder: str | Path) -> str:
    """Return the reason that stands in the place of an encoder; empty if that is there, or is on a hub."""
    file = Path(encoder) / LACKING
    return file.read_text().strip() if encoder and file.is_file() else ""
