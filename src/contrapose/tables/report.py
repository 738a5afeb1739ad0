"""Tables of the stage report: the numbers of what is printed and drawn."""

import pyarrow as pa

from contrapose.tables.parquet import boolean, column, float32, float64, int16, int32, int64, string, table

COSTS = ("flops", "cpu_seconds", "gpu_seconds", "requests", "tokens", "usd")  # of a row

COMPARED = (  # of a mean of scores and its baseline
    "difference", "difference_low", "difference_high", "p", "p_equal", "mde", "more_pairs", "more_seeds",
    "sets_low", "sets_high",
)  # fmt: skip

# Columns of CELLS that may be empty.
EMPTY_CELLS = (
    "seed", "slot", "value", "ci_low", "ci_high", "std", "error", "published", "resampled", "training_pairs",
    "steps", "fraction_seen", *COMPARED, "in_best_set", "rank_low", "rank_high", *COSTS,
)  # fmt: skip

CELLS = table(
    "cells",
    ("table", "row", "seed", "column", "variant", "slot"),
    string("table", "The name of the table, such as table4_1"),
    string("catalog", "The catalog of the run"),
    int16("row", "The place in the printed table, from 0"),
    string("group", "The heading over the row; the role of a language model"),
    string("model", "The label of the row"),
    string("run", "The run; empty for a mean over seeds, and without a training"),
    int64("seed", "The seed; missing for a mean over seeds, and without a training"),
    string("column", "The printed name of the column, such as STS12 or Avg."),
    string(
        "variant",
        "A further text form, split or measure, by its name; empty for the one that the table prints",
    ),
    int16("slot", "The place in the answer, 0 to 4; missing for all together"),
    float64("value", "The printed value, for example Spearman x100"),
    int64("n", "The number of scored pairs, runs or sentences that the value is made from"),
    float64(
        "ci_low",
        "The lower end of the 95 % interval of one score over its test pairs; missing for averages over "
        "tasks or seeds",
    ),
    float64("ci_high", "The upper end of the interval"),
    float64(
        "std",
        "The standard deviation (n - 1) over seeds, or over sentences without seeds; missing below two",
    ),
    float64("error", "The standard error over sentences, of prompts"),
    float64("published", "The number that the paper prints for this cell"),
    string("published_row", "The paper's label of its row"),
    string(
        "fair_for",
        "The paper's label of the row that this row stands for in claims, without its printed numbers; or "
        "empty",
    ),
    int64("training_pairs", "The rows of the pair set; missing without a training, and if seeds differ"),
    int64("steps", "The number of optimiser steps"),
    float64("fraction_seen", "The fraction of the training pairs that was in a batch"),
    string("baseline", "The row that a mean of scores is compared with, or empty"),
    float64("difference", "The difference to the baseline, mean over seeds"),
    float64("p_equal", "The p-value of the test that the difference is within the table's margin"),
    float64(
        "mde",
        "The minimum detectable effect: the smallest difference that is detected with a probability of "
        "80 %; missing with too few seeds",
    ),
    float64("more_pairs", "The factor of test pairs that halves `mde`"),
    float64("more_seeds", "The factor of seeds that halves `mde`"),
    float64(
        "sets_low",
        "The lower end of the 95 % interval of an average's difference over all test sets of "
        "this kind; missing below three sets",
    ),
    float64("sets_high", "The upper end of this interval"),
    int16("rank_low", "The best rank that the row may have in the column, with 95 % confidence"),
    int16("rank_high", "The worst rank that the row may have"),
    float64(
        "difference_low",
        "The lower end of the 95 % interval of the difference over test pairs and seeds, paired",
    ),
    float64("difference_high", "The upper end of this interval"),
    float64("p", "The p-value of the difference, corrected (Holm) for the rows of the column"),
    boolean("in_best_set", "Whether the method may be the best of the column; missing if unknown"),
    float64(
        "flops",
        "The operations of the models for a row; missing if unknown or not requested",
    ),
    float64("cpu_seconds", "The CPU seconds, the minimum over seeds"),
    float64("gpu_seconds", "The GPU seconds (wall time times GPUs), the minimum over seeds"),
    float64("requests", "The number of requests to language models"),
    float64("tokens", "The number of tokens of prompts and answers"),
    float64("usd", "The cost of these tokens in USD"),
    column(
        "resampled",
        pa.list_(pa.float32()),
        "The value under each resample of the test pairs; missing for means over several seeds "
        "and for other values than scores",
    ),
    nullable=EMPTY_CELLS,
    version=2,
    description="Each row is a cell of a table of results.",
)

CLAIMS = table(
    "claims",
    ("study", "claim_id"),
    string("study", "The folder below config/studies/"),
    string("catalog", "The catalog of the run"),
    string("claim_id", "The name of the claim"),
    string("claim", "The claim of the paper, in one sentence"),
    string("tables", "The tables that the claim needs, with `; ` between them"),
    string(
        "verdict",
        "The verdict: holds, same direction, not significant, opposite, one seed, or not judged in "
        "this catalog",
    ),
    float64("difference", "The mean difference over seeds, in the units of the tables; positive as claimed"),
    float64(
        "error",
        "The standard error of the difference, over test pairs and seeds or over seeds; missing "
        "if there is none",
    ),
    int16("seeds", "The number of seeds; 1 if no seed matters"),
    string("detail", "The single differences"),
    string("missing", "The reason why there is no verdict; empty if there is one"),
    string("published_verdict", "The verdict on the printed tables"),
    float64("published_difference", "The difference in the printed tables"),
    nullable=("verdict", "difference", "error", "seeds", "published_verdict", "published_difference"),
    version=2,
    description="Each row is a claim of a paper, with the verdict on it.",
)

POINTS = table(
    "points",
    ("figure", "panel", "line", "source", "label", "seed", "x", "x_low"),
    string("figure", "The name of the figure"),
    string("catalog", "The catalog of the run"),
    string("panel", "The panel of the figure; empty if there is only one"),
    string("line", "The line or colour: a group of rows, a label ..."),
    string("source", "The source: ours or published"),
    string("label", "The label of a row or column, or the temperature of a calibration line"),
    int64("seed", "The seed; missing for a mean over seeds, and if no seed matters"),
    float64("x", "The place on the other axis; missing for an unknown cost"),
    float64("x_low", "The lower edge of a bin"),
    float64("x_high", "The upper edge of a bin; it belongs to the last bin only"),
    float64("value", "The place on the value axis; missing in an empty bin"),
    float64("ci_low", "The lower end of the 95 % interval of the table, if there is one"),
    float64("ci_high", "The upper end of the interval"),
    float64("std", "The standard deviation over seeds"),
    int64("n", "The number of pairs, texts or trainings that the value is made from"),
    string("baseline", "The row that the value is a difference to, or empty"),
    nullable=("seed", "x", "x_low", "x_high", "value", "ci_low", "ci_high", "std", "n"),
    version=2,
    description="Each row is a point of a figure.",
)

TRAINED_PAIR = (
    string("id", "The id of the pair"),
    string("anchor", "The sentence of the pair"),
    string("positive", "The text that should be close to the anchor"),
    string("negative", "The hard negatives, with ` / ` between them; missing if there are none"),
    float32("label", "The regression target of the pair"),
)
ROW = (
    string("table", "The name of the table"),
    string("catalog", "The catalog of the run"),
    int16("row", "The place of the row in the table of scores, from 0"),
    string("group", "The heading over the row"),
    string("model", "The label of the row"),
)

EXAMPLES = table(
    "examples",
    ("table", "row"),
    string("table", "The name of the table"),
    string("catalog", "The catalog of the run"),
    int16("row", "The place in the table, from 0"),
    *TRAINED_PAIR,
    float32("weight", "The weight of the pair; only in examples by weight"),
    nullable=("negative", "label", "weight"),
    version=2,
    description="Each row is a shown pair of a pair set.",
)

SAMPLES = table(
    "samples",
    ("table", "row", "number"),
    *ROW,
    int64("pairs", "The number of rows of its pair set"),
    float64("copies", "The share of the pairs whose positive equals the anchor"),
    float64("duplicates", "The share of the pairs that repeat an earlier one"),
    float64("cut", "The share of the training texts that are longer than the recipe's max_length"),
    float64(
        "mean_cosine",
        "The mean cosine of anchor and positive by the encoder before training, over up to 200 ids",
    ),
    float64(
        "mean_negative_cosine", "The mean cosine of anchors and hard negatives by the encoder before training"
    ),
    int16("number", "The number of the shown pair, from 0"),
    *TRAINED_PAIR,
    float64("cosine", "The cosine of anchor and positive by the encoder before training"),
    float64("negative_cosine", "The mean cosine of anchor and hard negatives by the encoder before training"),
    nullable=("cut", "mean_negative_cosine", "negative", "label", "negative_cosine"),
    description="Each row is a shown pair of a row of a table, with properties of its pair set.",
)

DISAGREEMENTS = table(
    "disagreements",
    ("table", "row", "number"),
    *ROW,
    string("baseline", "The row that it is compared with"),
    int16("number", "The number of the pair, from 0: the pair with the largest difference first"),
    string("task", "The evaluation set in BENCHMARK"),
    string("subset", "The subset of the pair in BENCHMARK"),
    int32("pair", "The row of the pair in BENCHMARK"),
    string("sentence1", "The first sentence of the pair"),
    string("sentence2", "The second sentence of the pair"),
    float64("gold", "The gold score, on the scale of the set"),
    float64("cosine", "The cosine by the row, in [-1, 1], mean over seeds"),
    float64("baseline_cosine", "The cosine by the baseline, in [-1, 1], mean over seeds"),
    float64("gold_place", "The place among the pairs of the set by gold score, in % of their number"),
    float64("place", "The place by the cosines of the row, mean over seeds"),
    float64("baseline_place", "The place by the cosines of the baseline"),
    description="Each row is a test pair on which a row of a table and its baseline differ.",
)

MACHINE = table(
    "machine",
    ("table", "attribute"),
    string("table", "The name of the table"),
    string("catalog", "The catalog of the run"),
    string("attribute", "The property of the machine or of the packages"),
    string("value", "The value in words"),
    description="Each row is a property of the hardware or software.",
)
