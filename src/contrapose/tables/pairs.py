"""The table of the stage pairs."""

import pyarrow as pa

from contrapose.tables.parquet import column, float32, int16, string, table

PAIRS = table(
    "pairs",
    ("id", "slot", "view"),
    string("id", "of the pair"),
    int16("slot", "epoch e trains on slot e mod n_slots"),
    int16("view", "one loss term per view; all views of an id and slot have one anchor"),
    string("anchor", "sentence of the pair"),
    string("positive", "text that is to be near the anchor"),
    column("negatives", pa.list_(pa.string()), "hard negatives, none, one or many"),
    column(
        "negative_scores",
        pa.list_(pa.float32()),
        "of each hard negative, its label, or its cosine or score where it is mined; or empty",
    ),
    float32("label", "target of the cosine, or its margin to the hard negative's; missing if contrastive"),
    float32("weight", "importance of the row, 1 unless the strategy sets it"),
    nullable=("label",),
    version=2,
    description="Each row is a training pair, perhaps with hard negatives, a label or a weight.",
)
