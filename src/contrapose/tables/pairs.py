"""The table of the stage pairs."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

PAIRS = Table(
    "pairs",
    columns(
        column("id", pa.string(), description="of the pair"),
        column("slot", pa.int16(), description="epoch e trains on slot e mod n_slots"),
        column(
            "view",
            pa.int16(),
            description="one loss term per view; all views of an id and slot have one anchor",
        ),
        column("anchor", pa.string(), description="sentence of the pair"),
        column("positive", pa.string(), description="text that is to be near the anchor"),
        column("negatives", pa.list_(pa.string()), description="hard negatives, none, one or many"),
        column(
            "negative_scores",
            pa.list_(pa.float32()),
            description="of each hard negative, its cosine with the anchor where they are mined; or empty",
        ),
        column(
            "label",
            pa.float32(),
            description="target of the cosine, or its margin to the hard negative's; missing if contrastive",
        ),
        column("weight", pa.float32(), description="importance of the row, 1 unless the strategy sets it"),
    ),
    key=("id", "slot", "view"),
    nullable=("label",),
    version=2,
)
