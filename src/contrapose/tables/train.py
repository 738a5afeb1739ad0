"""The table of the stage train."""

from contrapose.tables.parquet import boolean, float64, int16, int32, int64, table

HISTORY = table(
    "history",
    ("step",),
    int32("step", "The number of optimiser steps so far, from 1"),
    int16("epoch", "The epoch, from 0"),
    float64("loss", "The loss of this step in nats; cosine_similarity has no unit"),
    float64("learning_rate", "The learning rate of this step"),
    float64(
        "dev_score",
        "Spearman on dev pairs, or minus their loss; higher is better; missing for steps without a dev score",
    ),
    boolean("best", "Whether the weights of this step were kept as the best so far"),
    int64("sentences", "The number of sentences encoded for training so far"),
    int64("tokens", "The number of tokens without padding so far"),
    nullable=("dev_score",),
    description="Each row is a step of a training.",
)
