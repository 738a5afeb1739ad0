"""The table of the stage pairs."""

import pyarrow as pa

from contrapose.tables.parquet import column, float32, int16, string, table

PAIRS = table(
    "pairs",
    ("id", "slot", "view"),
    string("id", "The id of the pair"),
    int16("slot", "The version of the pair: epoch e trains on slot e mod n_slots"),
    int16("view", "The loss term; all views of an id and slot have one anchor"),
    string("anchor", "The sentence of the pair"),
    string("positive", "The text that should be close to the anchor"),
    column("negatives", pa.list_(pa.string()), "The hard negatives: none, one or many"),
    column(
        "negative_scores",
        pa.list_(pa.float32()),
        "The label of each hard negative, or its cosine or score if it is mined; may be empty",
    ),
    float32(
        "label",
        "The target of the cosine, or of its margin to that of the hard negative; missing if contrastive",
    ),
    float32("weight", "The weight of the row, 1 unless the strategy sets it"),
    nullable=("label",),
    version=2,
    description="Each row is a training pair, perhaps with hard negatives, a label or a weight.",
)
