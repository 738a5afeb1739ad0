"""The table of the stage train."""

from contrapose.tables.parquet import boolean, float64, int16, int32, int64, table

HISTORY = table(
    "history",
    ("step",),
    int32("step", "optimiser steps done, from 1"),
    int16("epoch", "from 0"),
    float64("loss", "of this step, nats; cosine_error has no unit"),
    float64("learning_rate", "used in this step"),
    float64("dev_score", "higher is better: Spearman on dev pairs, or minus their loss; missing in between"),
    boolean("best", "this step's weights were kept as the best so far"),
    int64("sentences", "encoded for training so far"),
    int64("tokens", "without padding, so far"),
    nullable=("dev_score",),
    description="Each row is a step of a training.",
)
