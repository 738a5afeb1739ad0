"""Tables of the stage report: the numbers behind what is printed and drawn."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

COSTS = ("flops", "cpu_seconds", "gpu_seconds", "requests", "tokens", "usd")  # of a row
COMPARED = (  # of a mean of scores and its baseline
    *("difference", "difference_low", "difference_high", "p"),
    *("p_equal", "least", "more_pairs", "more_seeds"),
)

CELLS = Table(
    "cells",
    columns(
        column("table", pa.string(), description="table4_1"),
        column("world", pa.string(), description="world that everything came from"),
        column("row", pa.int16(), description="place in the printed table, from 0"),
        column("group", pa.string(), description="heading over some rows; the role of a language model"),
        column("model", pa.string(), description="our row label"),
        column("run", pa.string(), description="empty for a mean over seeds, and without a training"),
        column("seed", pa.int64(), description="missing for a mean over seeds, and without a training"),
        column("column", pa.string(), description="STS12 ... Avg."),
        column("variant", pa.string(), description="other texts, split or measure; empty: as printed"),
        column("slot", pa.int16(), description="place in the answer, 0..4; missing for all together"),
        column("value", pa.float64(), description="as printed: Spearman x100, a setting, alignment ..."),
        column(
            "n",
            pa.int64(),
            description="behind the value: scored pairs, runs of a setting, sentences of uniformity",
        ),
        column("low", pa.float64(), description="95 % interval; missing for averages over tasks"),
        column("high", pa.float64(), description="upper end, see low"),
        column(
            "spread",
            pa.float64(),
            description="standard deviation, n - 1, over seeds, or sentences if no seed enters; missing "
            "below two",
        ),
        column("error", pa.float64(), description="standard error over sentences, of prompts"),
        column("published", pa.float64(), description="the paper's number for this cell"),
        column("published_row", pa.string(), description="the paper's label of its row"),
        column("fair_for", pa.string(), description="the paper's label of a row that it replaces, or empty"),
        column(
            "training_pairs",
            pa.int64(),
            description="rows of the pair set; missing without a training, and where seeds differ",
        ),
        column("steps", pa.int64(), description="optimiser steps that the training took"),
        column("share_used", pa.float64(), description="share of training_pairs that was in a batch"),
        column("baseline", pa.string(), description="row that a mean of scores is compared with, or empty"),
        column("difference", pa.float64(), description="to the baseline, mean over seeds"),
        column("p_equal", pa.float64(), description="of a difference within the table's margin, one-sided"),
        column("least", pa.float64(), description="true difference that is found with a probability of 80 %"),
        column("more_pairs", pa.float64(), description="by what to multiply test pairs to halve `least`"),
        column("more_seeds", pa.float64(), description="by what to multiply seeds to halve `least`"),
        column("rank_low", pa.int16(), description="best rank that the row may have in the column, 95 %"),
        column("rank_high", pa.int16(), description="worst rank, see rank_low"),
        column("difference_low", pa.float64(), description="95 % interval over test pairs and seeds, paired"),
        column("difference_high", pa.float64(), description="upper end, see difference_low"),
        column(
            "p", pa.float64(), description="of the difference, corrected (Holm) for the rows of the column"
        ),
        column(
            "tied",
            pa.bool_(),
            description="may be the best row of the column; missing if unknown",
        ),
        column(
            "flops",
            pa.float64(),
            description="operations of models behind a row, beside its means, see `with_costs`; missing if "
            "unknown or not asked for",
        ),
        column("cpu_seconds", pa.float64(), description="likewise, least over seeds"),
        column("gpu_seconds", pa.float64(), description="likewise, as are the following; wall time x GPUs"),
        column("requests", pa.float64(), description="to language models"),
        column("tokens", pa.float64(), description="of prompts and answers"),
        column("usd", pa.float64(), description="of these tokens"),
        column(
            "resampled",
            pa.list_(pa.float32()),
            description="value under each resample of test pairs, the same resamples for all rows of a "
            "column; missing for means over two seeds or more, and where the value is no score",
        ),
    ),
    key=("table", "row", "seed", "column", "variant", "slot"),
    nullable=(
        *("seed", "slot", "value", "low", "high", "spread", "error", "published", "resampled"),
        *("training_pairs", "steps", "share_used"),
        *(*COMPARED, "tied", "rank_low", "rank_high", *COSTS),
    ),
)

CLAIMS = Table(
    "claims",
    columns(
        column("study", pa.string(), description="folder below config/studies/"),
        column("world", pa.string(), description="world that everything came from"),
        column("claim_id", pa.string(), description="name of the claim"),
        column("claim", pa.string(), description="what the paper says, in one sentence"),
        column("tables", pa.string(), description="behind it, `; ` between them"),
        column(
            "verdict",
            pa.string(),
            description="holds | same direction | not told apart | opposite | one seed | "
            "not judged in this world",
        ),
        column(
            "difference",
            pa.float64(),
            description="mean over seeds, in the tables' units; positive: as claimed",
        ),
        column(
            "error",
            pa.float64(),
            description="its standard error, of scores over test pairs and seeds, of others over seeds; "
            "missing if there is none",
        ),
        column("seeds", pa.int16(), description="behind the difference; 1 where no seed enters"),
        column("detail", pa.string(), description="the differences one by one"),
        column("missing", pa.string(), description="why there is no verdict; empty if there is one"),
        column("published_verdict", pa.string(), description="the same of the paper's printed tables"),
        column("published_difference", pa.float64(), description="the same of the paper's printed tables"),
    ),
    key=("study", "claim_id"),
    nullable=("verdict", "difference", "error", "seeds", "published_verdict", "published_difference"),
    version=2,
)

POINTS = Table(
    "points",
    columns(
        column("figure", pa.string(), description="name of the figure"),
        column("world", pa.string(), description="world that everything came from"),
        column("panel", pa.string(), description="of the figure; empty if there is only one"),
        column("line", pa.string(), description="what has a colour of its own: rows of a group, a label ..."),
        column("source", pa.string(), description="ours | published"),
        column("label", pa.string(), description="of a row or column; temperature of a line of calibration"),
        column("seed", pa.int64(), description="missing for a mean over seeds, and where no seed entered"),
        column("x", pa.float64(), description="place on the other axis; missing for an unknown cost"),
        column("x_low", pa.float64(), description="edges of a bin; the upper belongs to the last alone"),
        column("x_high", pa.float64(), description="upper end, see x_low"),
        column("value", pa.float64(), description="of the value axis; missing in an empty bin"),
        column("low", pa.float64(), description="95 % interval, as of the table, if there is one"),
        column("high", pa.float64(), description="upper end, see low"),
        column("spread", pa.float64(), description="standard deviation over seeds"),
        column("n", pa.int64(), description="behind the value: pairs, texts; of a difference: trainings"),
        column("baseline", pa.string(), description="row that the value is a difference to, or empty"),
    ),
    key=("figure", "panel", "line", "source", "label", "seed", "x", "x_low"),
    nullable=("seed", "x", "x_low", "x_high", "value", "low", "high", "spread", "n"),
)

EXAMPLES = Table(
    "examples",
    columns(
        column("table", pa.string(), description="name of the table"),
        column("world", pa.string(), description="world that everything came from"),
        column("row", pa.int16(), description="place in the table, from 0"),
        column("id", pa.string(), description="of the pair"),
        column("anchor", pa.string(), description="sentence of the pair"),
        column("positive", pa.string(), description="text that is to be near the anchor"),
        column("negative", pa.string(), description="hard negatives, ` / ` between them; missing if none"),
        column("label", pa.float32(), description="regression target of the pair"),
        column("weight", pa.float32(), description="importance of the pair; of examples by weight alone"),
    ),
    key=("table", "row"),
    nullable=("negative", "label", "weight"),
    version=2,
)

MACHINE = Table(
    "machine",
    columns(
        column("table", pa.string(), description="name of the table"),
        column("world", pa.string(), description="world that everything came from"),
        column("attribute", pa.string(), description="of the machine, or of the packages"),
        column("value", pa.string(), description="in words"),
    ),
    key=("table", "attribute"),
)
