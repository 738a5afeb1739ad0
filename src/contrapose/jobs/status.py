"""The status of an artifact: made or unavailable, and what else a later stage has to know about it."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict

from contrapose.base.errors import UnavailableError
from contrapose.jobs.manifest import made_now
from contrapose.jobs.stage import SnakemakeJob, all_input_files, provenance
from contrapose.tables import PAIRS, Table, empty, read_provenance, read_table, write_table

STATUS = "status"  # key in the metadata of a Parquet file
REASON = "lacking.txt"  # in the place of an encoder's files: why it is unavailable
logger = logging.getLogger(__name__)


class Status(BaseModel):
    """What a file says about itself beside its rows: all that stages read of each other's metadata."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unavailable: str = ""  # why it has no rows, without a full stop
    skipped: list[str] = []  # parts of the input without rows, how many and why; for notes of tables
    missing: dict[str, str] = {}  # {`task/form/split`: file below the data folder} that evaluation sets lack
    notes: list[str] = []  # for the notes of tables
    counts: dict[str, int] = {}
    facts: dict[str, str] = {}

    def metadata(self) -> dict[str, object]:
        """Return the status as JSON values, under its key in the metadata of a file or `attrs` of a table."""
        return {STATUS: self.model_dump(exclude_defaults=True)}


def with_status(table: pd.DataFrame, **fields: object) -> pd.DataFrame:
    """Set fields of the Status of a table, which goes into the metadata of its file."""
    table.attrs = read_status(table.attrs).model_copy(update=fields).metadata()
    return table


def read_status(source: str | Path | Mapping[Any, Any]) -> Status:
    """Return the status of a Parquet file, or the one in its metadata or in `attrs` of a table."""
    metadata = source if isinstance(source, Mapping) else read_provenance(source)
    return Status.model_validate(metadata.get(STATUS, {}))


def missing_sets(files: Iterable[str | Path]) -> dict[str, str]:
    """Return {`task/form/split`: file below the data folder} of what BENCHMARK or TRANSFER files lack."""
    return {name: path for file in files for name, path in read_status(file).missing.items()}


@contextmanager
def or_unavailable(job: SnakemakeJob, tables: Mapping[str, Table | None]) -> Iterator[None]:
    """Write the outputs of a job without rows, and the reason in their status, after an UnavailableError.

    `tables` are by name of the output.  Other outputs are folders of models, which hold the reason alone.
    """
    try:
        yield
    except UnavailableError as error:
        logger.warning("skipped: %s", error)
        status = Status(unavailable=str(error)).metadata()
        for name, path in job.output.items():
            if table := tables.get(name):
                write_table(empty(table), path, table, {**provenance(job), **status})
            else:
                Path(path).mkdir(parents=True)
                (Path(path) / REASON).write_text(f"{error}\n")
        made_now([path for _, path in job.output.items()], provenance(job), all_input_files(job)).write()


def read_pairs(path: str | Path) -> pd.DataFrame:
    """Read a PAIRS table; raise an UnavailableError with the reason if it has no rows."""
    pairs = read_table(path, PAIRS)
    if pairs.empty:
        raise UnavailableError(
            read_status(path).unavailable or f"the pair set '{Path(path).stem}' has no pairs"
        )
    return pairs


def why_unavailable(encoder: str | Path) -> str:
    """Return the reason that stands in the place of an encoder; empty if that is there, or is on a hub."""
    file = Path(encoder) / REASON
    return file.read_text().strip() if encoder and file.is_file() else ""
