"""The table of the stage train."""

import pyarrow as pa

from contrapose.tables.parquet import Table

HISTORY = Table(
    "history",
    pa.schema(
        [
            ("step", pa.int32()),  # optimiser steps done, from 1
            ("epoch", pa.int16()),  # from 0
            ("loss", pa.float64()),  # of this step, nats; of cosine_error without a unit
            ("learning_rate", pa.float64()),  # used in this step
            # Higher is better: Spearman on the dev pairs, or minus their loss; missing between evaluations
            ("dev_score", pa.float64()),
            ("best", pa.bool_()),  # this step's weights were kept as the best so far
            ("sentences", pa.int64()),  # encoded for training so far
            ("tokens", pa.int64()),  # without padding, so far
        ]
    ),
    key=("step",),
    nullable=("dev_score",),
)
