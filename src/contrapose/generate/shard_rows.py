"""The sentences of one shard of a corpus."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.jobs.step import FromJob
from contrapose.tables import SENTENCES, open_table


def shard_rows(count: int, shard: int, shards: int) -> slice:
    """Return the rows of one shard: shards are neighbouring slices, equal in size up to one row."""
    return slice(*(count * number // shards for number in (shard, shard + 1)))


def read_shard(path: str | Path, shard: int, shards: int) -> pd.DataFrame:
    """Read `id` and `text` of one shard of a SENTENCES table, and no more than the shard into memory.

    Raises TableError if the file is missing or is not this table.
    """
    with open_table(path, SENTENCES) as file:
        rows = shard_rows(file.metadata.num_rows, shard, shards)
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        starts = np.cumsum([0, *sizes])
        first = max(0, int(np.searchsorted(starts, rows.start, "right")) - 1)
        groups = range(first, int(np.searchsorted(starts, rows.stop)))
        table = file.read_row_groups([*groups], columns=["id", "text"])
    return table.slice(rows.start - starts[first], rows.stop - rows.start).to_pandas()


ShardSentences = Annotated[
    pd.DataFrame,
    FromJob(
        lambda spec, job: read_shard(job.input.sentences, int(job.wildcards.shard), int(job.wildcards.shards))
    ),
]
