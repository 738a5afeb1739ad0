"""The table of the stage train."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

HISTORY = Table(
    "history",
    columns(
        column("step", pa.int32(), description="optimiser steps done, from 1"),
        column("epoch", pa.int16(), description="from 0"),
        column("loss", pa.float64(), description="of this step, nats; cosine_error has no unit"),
        column("learning_rate", pa.float64(), description="used in this step"),
        column(
            "dev_score",
            pa.float64(),
            description="higher is better: Spearman on dev pairs, or minus their loss; missing in between",
        ),
        column("best", pa.bool_(), description="this step's weights were kept as the best so far"),
        column("sentences", pa.int64(), description="encoded for training so far"),
        column("tokens", pa.int64(), description="without padding, so far"),
    ),
    key=("step",),
    nullable=("dev_score",),
)
