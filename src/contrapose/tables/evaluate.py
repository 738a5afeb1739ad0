"""Tables of the stage evaluate: measurements of encoders."""

import pyarrow as pa

from contrapose.tables.parquet import column, float64, int16, int32, string, table

COSINES = table(
    "cosines",
    ("task", "form", "split", "subset", "row"),
    string("task", "The task of the pair in BENCHMARK"),
    string("form", "The text form of the pair in BENCHMARK"),
    string("split", "The split of the pair in BENCHMARK"),
    string("subset", "The subset of the pair in BENCHMARK"),
    int32("row", "The row of the pair in BENCHMARK"),
    float64("cosine", "The cosine of the pair, in [-1, 1]"),
    description="Each row is the cosine that an encoder gives a pair of an evaluation set.",
)

TEXT_VECTORS = table(
    "text_vectors",
    ("text",),
    string("text", "A text of an evaluation set"),
    column("vector", pa.list_(pa.float32()), "The vector that the endpoint returned"),
    description="Each row is the vector of a text from an embedding endpoint.",
)

SCORES = table(
    "scores",
    ("run", "task", "form", "split", "metric", "aggregation"),
    string("run", "The run: {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "The evaluation set or transfer task"),
    string("form", "The text form of the set: senteval (Moses-tokenised), raw, or mteb"),
    string("split", "The split: train, dev, test, or all for some sets"),
    string(
        "metric",
        "The score: spearman, pearson, accuracy, f1, micro_f1, macro_f1, or main_score of mteb",
    ),
    string("aggregation", "The aggregation over subsets: all, mean or wmean; or the name of a subset"),
    float64("value", "A correlation in [-1, 1], or accuracy or F1 in [0, 1]"),
    int32("n", "The number of scored pairs or items"),
    float64("ci_low", "The lower end of the 95 % interval over pairs or items; may be missing for mteb"),
    float64("ci_high", "The upper end of the interval"),
    column(
        "influence",
        pa.list_(pa.float32()),
        "The influence of each pair or item on the value, in the order of the set; empty if "
        "unknown, and for mean and wmean",
    ),
    nullable=("ci_low", "ci_high"),
    version=4,
    description="Each row is a score of an encoder on an evaluation set or transfer task.",
)

PREDICTIONS = table(
    "predictions",
    ("run", "task", "split", "row"),
    string("run", "The run: {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "The task of the item in TRANSFER"),
    string("split", "The split: test or all; train and dev selected the penalty"),
    int32("row", "The row of the item in TRANSFER"),
    int16("fold", "The fold in which the item was held out; 0 in a given split"),
    int16("label", "The class of the item"),
    int16("predicted", "The class that the classifier predicts"),
    description="Each row is the class that a classifier predicts for an item of a transfer task.",
)

GEOMETRY = table(
    "geometry",
    ("run", "task", "form", "split", "measure"),
    string("run", "The run: {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "The evaluation set"),
    string("form", "The text form of the set: senteval (Moses-tokenised) or raw"),
    string("split", "The split: train, dev, test, or all existing splits together"),
    string("measure", "The measure: alignment or uniformity"),
    float64("value", "Alignment in [0, 4], or uniformity in [-8, 0]; lower is better"),
    int32("n", "The number of positive pairs (alignment) or distinct sentences (uniformity)"),
    nullable=("value",),
    description="Each row is the alignment or uniformity of an encoder on a set.",
)

LENGTH_BIAS = table(
    "length_bias",
    ("run", "probe", "label", "added", "comparison"),
    string("run", "The run: {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("probe", "The name of the probe under `probes`"),
    string("label", "The label of the pairs: positive or negative"),
    string("added", "The added text: filler or marks"),
    string("comparison", "The comparison: equalised, diverged, or bias (equalised - diverged)"),
    float64("before", "The mean cosine of the pairs, in [-1, 1]; missing if there are none"),
    float64("after", "The mean cosine of the same pairs with the added text"),
    float64("change", "The mean of after - before"),
    int32("n", "The number of pairs"),
    float64("ci_low", "The lower end of the 95 % interval of the change over pairs"),
    float64("ci_high", "The upper end of the interval"),
    nullable=("before", "after", "change", "ci_low", "ci_high"),
    version=2,
    description="Each row is the change of the mean cosine when meaningless text is added.",
)

TEXT_SIMILARITIES = table(
    "text_similarities",
    ("run", "label"),
    string("run", "The run: {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("label", "The label of the text"),
    float64("cosine", "The cosine with the original sentence, in [-1, 1]"),
    description="Each row is the cosine of a sentence with an edited form of it.",
)
