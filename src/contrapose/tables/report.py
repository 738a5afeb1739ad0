"""Tables of the stage report: the numbers of what is printed and drawn."""

import pyarrow as pa

from contrapose.tables.parquet import boolean, column, float32, float64, int16, int32, int64, string, table

COSTS = ("flops", "cpu_seconds", "gpu_seconds", "requests", "tokens", "usd")  # of a row

COMPARED = (  # of a mean of scores and its baseline
    "difference", "difference_low", "difference_high", "p", "p_equal", "least", "more_pairs", "more_seeds",
    "sets_low", "sets_high",
)  # fmt: skip

# Columns of CELLS that may be empty.
EMPTY_CELLS = (
    "seed", "slot", "value", "low", "high", "spread", "error", "published", "resampled", "training_pairs",
    "steps", "share_used", *COMPARED, "tied", "rank_low", "rank_high", *COSTS,
)  # fmt: skip

CELLS = table(
    "cells",
    ("table", "row", "seed", "column", "variant", "slot"),
    string("table", "table4_1"),
    string("catalog", "catalog that everything came from"),
    int16("row", "place in the printed table, from 0"),
    string("group", "heading over some rows; the role of a language model"),
    string("model", "our row label"),
    string("run", "empty for a mean over seeds, and without a training"),
    int64("seed", "missing for a mean over seeds, and without a training"),
    string("column", "STS12 ... Avg."),
    string("variant", "other texts, split or measure; empty: as printed"),
    int16("slot", "place in the answer, 0..4; missing for all together"),
    float64("value", "as printed: Spearman x100, a setting, alignment ..."),
    int64("n", "behind the value: scored pairs, runs of a setting, sentences of uniformity"),
    float64("low", "95 % interval; missing for averages over tasks"),
    float64("high", "upper end, see low"),
    float64(
        "spread", "standard deviation, n - 1, over seeds, or sentences if no seed enters; missing below two"
    ),
    float64("error", "standard error over sentences, of prompts"),
    float64("published", "the paper's number for this cell"),
    string("published_row", "the paper's label of its row"),
    string("fair_for", "the paper's label of a row in whose place it is judged, too, or empty"),
    int64("training_pairs", "rows of the pair set; missing without a training, and where seeds differ"),
    int64("steps", "optimiser steps that the training took"),
    float64("share_used", "share of training_pairs that was in a batch"),
    string("baseline", "row that a mean of scores is compared with, or empty"),
    float64("difference", "to the baseline, mean over seeds"),
    float64("p_equal", "of a difference within the table's margin, one-sided"),
    float64(
        "least", "true difference that is found with a probability of 80 %; missing if seeds are too few"
    ),
    float64("more_pairs", "by what to multiply test pairs to halve `least`"),
    float64("more_seeds", "by what to multiply seeds to halve `least`"),
    float64(
        "sets_low", "95 % interval of an average's difference over test sets of this kind; three at least"
    ),
    float64("sets_high", "upper end, see sets_low"),
    int16("rank_low", "best rank that the row may have in the column, 95 %"),
    int16("rank_high", "worst rank, see rank_low"),
    float64("difference_low", "95 % interval over test pairs and seeds, paired"),
    float64("difference_high", "upper end, see difference_low"),
    float64("p", "of the difference, corrected (Holm) for the rows of the column"),
    boolean("tied", "may be the best row of the column; missing if unknown"),
    float64(
        "flops",
        "operations of models behind a row, beside its means, see `with_costs`; missing if "
        "unknown or not asked for",
    ),
    float64("cpu_seconds", "likewise, least over seeds"),
    float64("gpu_seconds", "likewise, as are the following; wall time x GPUs"),
    float64("requests", "to language models"),
    float64("tokens", "of prompts and answers"),
    float64("usd", "of these tokens"),
    column(
        "resampled",
        pa.list_(pa.float32()),
        "value under each resample of test pairs, the same resamples for all rows of a "
        "column; missing for means over two seeds or more, and where the value is no score",
    ),
    nullable=EMPTY_CELLS,
    description="Each row is a cell of a table of results.",
)

CLAIMS = table(
    "claims",
    ("study", "claim_id"),
    string("study", "folder below config/studies/"),
    string("catalog", "catalog that everything came from"),
    string("claim_id", "name of the claim"),
    string("claim", "what the paper says, in one sentence"),
    string("tables", "behind it, `; ` between them"),
    string(
        "verdict",
        "holds | same direction | not told apart | opposite | one seed | not judged in this catalog",
    ),
    float64("difference", "mean over seeds, in the tables' units; positive: as claimed"),
    float64(
        "error",
        "its standard error, of scores over test pairs and seeds, of others over seeds; "
        "missing if there is none",
    ),
    int16("seeds", "behind the difference; 1 where no seed enters"),
    string("detail", "the differences one by one"),
    string("missing", "why there is no verdict; empty if there is one"),
    string("published_verdict", "the same of the paper's printed tables"),
    float64("published_difference", "the same of the paper's printed tables"),
    nullable=("verdict", "difference", "error", "seeds", "published_verdict", "published_difference"),
    version=2,
    description="Each row is a claim of a paper, with the verdict on it.",
)

POINTS = table(
    "points",
    ("figure", "panel", "line", "source", "label", "seed", "x", "x_low"),
    string("figure", "name of the figure"),
    string("catalog", "catalog that everything came from"),
    string("panel", "of the figure; empty if there is only one"),
    string("line", "what has a colour of its own: rows of a group, a label ..."),
    string("source", "ours | published"),
    string("label", "of a row or column; temperature of a line of calibration"),
    int64("seed", "missing for a mean over seeds, and where no seed entered"),
    float64("x", "place on the other axis; missing for an unknown cost"),
    float64("x_low", "edges of a bin; the upper belongs to the last alone"),
    float64("x_high", "upper end, see x_low"),
    float64("value", "of the value axis; missing in an empty bin"),
    float64("low", "95 % interval, as of the table, if there is one"),
    float64("high", "upper end, see low"),
    float64("spread", "standard deviation over seeds"),
    int64("n", "behind the value: pairs, texts; of a difference: trainings"),
    string("baseline", "row that the value is a difference to, or empty"),
    nullable=("seed", "x", "x_low", "x_high", "value", "low", "high", "spread", "n"),
    description="Each row is a point of a figure.",
)

TRAINED_PAIR = (
    string("id", "of the pair"),
    string("anchor", "sentence of the pair"),
    string("positive", "text that is to be near the anchor"),
    string("negative", "hard negatives, ` / ` between them; missing if none"),
    float32("label", "regression target of the pair"),
)
ROW = (
    string("table", "name of the table"),
    string("catalog", "catalog that everything came from"),
    int16("row", "place of the row in the table of scores, from 0"),
    string("group", "heading over some rows"),
    string("model", "our row label"),
)

EXAMPLES = table(
    "examples",
    ("table", "row"),
    string("table", "name of the table"),
    string("catalog", "catalog that everything came from"),
    int16("row", "place in the table, from 0"),
    *TRAINED_PAIR,
    float32("weight", "importance of the pair; of examples by weight alone"),
    nullable=("negative", "label", "weight"),
    version=2,
    description="Each row is a shown pair of a pair set.",
)

SAMPLES = table(
    "samples",
    ("table", "row", "number"),
    *ROW,
    int64("pairs", "rows of its pair set"),
    float64("copies", "share of these whose positive is the anchor"),
    float64("duplicates", "share whose anchor and positive an earlier one has, too"),
    float64("cut", "share of the training texts that are longer than the recipe's max_length"),
    float64("mean_cosine", "of anchor and positive by the encoder before training, over up to 200 ids"),
    float64("mean_negative_cosine", "likewise of anchors and their hard negatives"),
    int16("number", "of the shown pair, from 0"),
    *TRAINED_PAIR,
    float64("cosine", "of anchor and positive by the encoder before training"),
    float64("negative_cosine", "likewise of the anchor and its hard negatives, their mean"),
    nullable=("cut", "mean_negative_cosine", "negative", "label", "negative_cosine"),
    description="Each row is a shown pair of a row of a table, with properties of its pair set.",
)

DISAGREEMENTS = table(
    "disagreements",
    ("table", "row", "number"),
    *ROW,
    string("baseline", "row that it is compared with"),
    int16("number", "of the pair, from 0: the places of the first one differ most"),
    string("task", "evaluation set, see BENCHMARK, as are the following"),
    string("subset", "see task"),
    int32("pair", "row in BENCHMARK"),
    string("sentence1", "first sentence of the pair"),
    string("sentence2", "second sentence of the pair"),
    float64("gold", "on the set's scale"),
    float64("cosine", "by the row, mean over seeds, in [-1, 1]"),
    float64("baseline_cosine", "by the baseline, likewise"),
    float64("gold_place", "place among the pairs of the set by gold, in % of their number"),
    float64("place", "by the cosines of the row, mean over seeds"),
    float64("baseline_place", "by those of the baseline"),
    description="Each row is a test pair on which a row of a table and its baseline differ.",
)

MACHINE = table(
    "machine",
    ("table", "attribute"),
    string("table", "name of the table"),
    string("catalog", "catalog that everything came from"),
    string("attribute", "of the machine, or of the packages"),
    string("value", "in words"),
    description="Each row is a property of the hardware or software.",
)
