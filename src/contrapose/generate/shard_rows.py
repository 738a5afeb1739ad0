"""The sentences of one shard of a corpus."""

from pathlib import Path
from typing import Annotated

import pandas as pd

from contrapose.steps import FromJob
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
        groups: list[int] = []
        first = start = 0
        for group in range(file.num_row_groups):
            end = start + file.metadata.row_group(group).num_rows
            if start < rows.stop and end > rows.start:
                first = first if groups else start
                groups.append(group)
            start = end
        table = file.read_row_groups(groups, columns=["id", "text"])
    return table.slice(rows.start - first, rows.stop - rows.start).to_pandas()


ShardSentences = Annotated[
    pd.DataFrame,
    FromJob(
        lambda spec, job: read_shard(job.input.sentences, int(job.wildcards.shard), int(job.wildcards.shards))
    ),
]
