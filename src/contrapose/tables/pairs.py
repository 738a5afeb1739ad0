"""The table of the stage pairs."""

import pyarrow as pa

from contrapose.tables.parquet import Table

PAIRS = Table(
    "pairs",
    pa.schema(
        [
            ("id", pa.string()),
            ("slot", pa.int16()),  # epoch e trains on slot e mod n_slots
            ("view", pa.int16()),  # one loss term per view; all views of an id and slot have one anchor
            ("anchor", pa.string()),
            ("positive", pa.string()),
            ("negative", pa.string()),  # hard negative, missing where there is none
            ("label", pa.float32()),  # regression target, missing for contrastive pairs
            ("weight", pa.float32()),  # importance of the row, 1 unless a strategy says otherwise
        ]
    ),
    key=("id", "slot", "view"),
    nullable=("negative", "label"),
)
