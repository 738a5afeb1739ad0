"""Tables of the stage evaluate: measurements of encoders."""

import pyarrow as pa

from contrapose.tables.parquet import column, float64, int16, int32, string, table

COSINES = table(
    "cosines",
    ("task", "form", "split", "subset", "row"),
    string("task", "of the pair in BENCHMARK, as form, split, subset and row"),
    string("form", "see task"),
    string("split", "see task"),
    string("subset", "see task"),
    int32("row", "of the pair in BENCHMARK"),
    float64("cosine", "that the encoder gives the pair, in [-1, 1]"),
    description="Each row is the cosine that an encoder gives a pair of an evaluation set.",
)

TEXT_VECTORS = table(
    "text_vectors",
    ("text",),
    string("text", "of an evaluation set"),
    column("vector", pa.list_(pa.float32()), "as the endpoint gave it"),
    description="Each row is the vector of a text from an embedding endpoint.",
)

SCORES = table(
    "scores",
    ("run", "task", "form", "split", "metric", "aggregation"),
    string("run", "{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "evaluation set or transfer task"),
    string("form", "text of the set: senteval (Moses-tokenised) or raw; or mteb"),
    string("split", "train | dev | test; of some sets all"),
    string(
        "metric",
        "spearman | pearson; of labels and transfer tasks accuracy | f1; of classes that "
        "encoders are fine-tuned on accuracy | micro_f1 | macro_f1; of mteb main_score",
    ),
    string("aggregation", "all | mean | wmean over the subsets; or a subset"),
    float64("value", "correlation in [-1, 1]; accuracy and F1 in [0, 1]"),
    int32("n", "scored pairs, or items"),
    float64("low", "95 % interval over pairs or items; of mteb perhaps none"),
    float64("high", "upper end, see low"),
    column(
        "influence",
        pa.list_(pa.float32()),
        "of each pair or item on the value, in the order of the set, see contrapose.evaluate.influence; "
        "empty for mean and wmean, and where it is not known",
    ),
    nullable=("low", "high"),
    version=3,
    description="Each row is a score of an encoder on an evaluation set or transfer task.",
)

PREDICTIONS = table(
    "predictions",
    ("run", "task", "split", "row"),
    string("run", "{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "task, split and row of TRANSFER"),
    string("split", "test or all; train and dev: the penalty was chosen by it"),
    int32("row", "see task"),
    int16("fold", "in which the item was held out; 0 in a given split"),
    int16("label", "of the item"),
    int16("predicted", "label that the classifier gave"),
    description="Each row is the class that a classifier predicts for an item of a transfer task.",
)

GEOMETRY = table(
    "geometry",
    ("run", "task", "form", "split", "measure"),
    string("run", "{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("task", "evaluation set"),
    string("form", "text of the set: senteval (Moses-tokenised) or raw"),
    string("split", "train | dev | test | all: those that are there, together"),
    string("measure", "alignment | uniformity"),
    float64("value", "alignment in [0, 4], uniformity in [-8, 0]; lower is better"),
    int32("n", "positive pairs of alignment, distinct sentences of uniformity"),
    nullable=("value",),
    description="Each row is the alignment or uniformity of an encoder on a set.",
)

LENGTH_BIAS = table(
    "length_bias",
    ("run", "probe", "label", "added", "comparison"),
    string("run", "{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("probe", "its name under probes"),
    string("label", "positive | negative"),
    string("added", "filler | marks"),
    string("comparison", "equalised | diverged | bias: equalised - diverged"),
    float64("before", "mean cosine of pairs, in [-1, 1]; missing without any"),
    float64("after", "mean cosine of the same pairs with what was added"),
    float64("change", "mean of after - before"),
    int32("n", "pairs"),
    float64("low", "of the change, 95 % interval over pairs"),
    float64("high", "upper end, see low"),
    nullable=("before", "after", "change", "low", "high"),
    description="Each row is the change of the mean cosine when meaningless text is added.",
)

TEXT_SIMILARITIES = table(
    "text_similarities",
    ("run", "label"),
    string("run", "{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
    string("label", "of the text"),
    float64("cosine", "with the sentence it was made of, in [-1, 1]"),
    description="Each row is the cosine of a sentence with an edited form of it.",
)
