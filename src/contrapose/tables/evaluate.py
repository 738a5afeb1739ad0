"""Tables of the stage evaluate: measurements of encoders."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

COSINES = Table(
    "cosines",
    columns(
        column("task", pa.string(), description="of the pair in BENCHMARK, as form, split, subset and row"),
        column("form", pa.string(), description="see task"),
        column("split", pa.string(), description="see task"),
        column("subset", pa.string(), description="see task"),
        column("row", pa.int32(), description="of the pair in BENCHMARK"),
        column("cosine", pa.float64(), description="that the encoder gives the pair, in [-1, 1]"),
    ),
    key=("task", "form", "split", "subset", "row"),
)

SCORES = Table(
    "scores",
    columns(
        column("run", pa.string(), description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
        column("task", pa.string(), description="evaluation set or transfer task"),
        column(
            "form",
            pa.string(),
            description="text of the set: senteval (Moses-tokenised) or raw; or mteb",
        ),
        column("split", pa.string(), description="train | dev | test; of some sets all"),
        column(
            "metric",
            pa.string(),
            description="spearman | pearson; of labels and transfer tasks accuracy | f1; of classes that "
            "encoders are fine-tuned on accuracy | micro_f1 | macro_f1; of mteb main_score",
        ),
        column(
            "aggregation",
            pa.string(),
            description="all | mean | wmean over the subsets; or a subset",
        ),
        column("value", pa.float64(), description="correlation in [-1, 1]; accuracy and F1 in [0, 1]"),
        column("n", pa.int32(), description="scored pairs, or items"),
        column(
            "low",
            pa.float64(),
            description="95 % interval over pairs or items; of mteb perhaps none",
        ),
        column("high", pa.float64(), description="upper end, see low"),
        column(
            "influence",
            pa.list_(pa.float32()),
            description="of each pair or item on the value, in the order of the set, see "
            "contrapose.evaluate.influence; empty for mean and wmean, and where it is not known",
        ),
    ),
    key=("run", "task", "form", "split", "metric", "aggregation"),
    nullable=("low", "high"),
    version=3,
)

PREDICTIONS = Table(
    "predictions",
    columns(
        column("run", pa.string(), description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
        column("task", pa.string(), description="task, split and row of TRANSFER"),
        column("split", pa.string(), description="test or all; train and dev: the penalty was chosen by it"),
        column("row", pa.int32(), description="see task"),
        column("fold", pa.int16(), description="in which the item was held out; 0 in a given split"),
        column("label", pa.int16(), description="of the item"),
        column("predicted", pa.int16(), description="label that the classifier gave"),
    ),
    key=("run", "task", "split", "row"),
)

GEOMETRY = Table(
    "geometry",
    columns(
        column("run", pa.string(), description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
        column("task", pa.string(), description="evaluation set"),
        column(
            "form",
            pa.string(),
            description="text of the set: senteval (Moses-tokenised) or raw",
        ),
        column("split", pa.string(), description="train | dev | test | all: those that are there, together"),
        column("measure", pa.string(), description="alignment | uniformity"),
        column(
            "value", pa.float64(), description="alignment in [0, 4], uniformity in [-8, 0]; lower is better"
        ),
        column("n", pa.int32(), description="positive pairs of alignment, distinct sentences of uniformity"),
    ),
    key=("run", "task", "form", "split", "measure"),
    nullable=("value",),
)

LENGTH_BIAS = Table(
    "length_bias",
    columns(
        column("run", pa.string(), description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
        column("probe", pa.string(), description="its name under probes"),
        column("label", pa.string(), description="positive | negative"),
        column("added", pa.string(), description="filler | marks"),
        column("comparison", pa.string(), description="equalised | diverged | bias: equalised - diverged"),
        column("before", pa.float64(), description="mean cosine of pairs, in [-1, 1]; missing without any"),
        column("after", pa.float64(), description="mean cosine of the same pairs with what was added"),
        column("change", pa.float64(), description="mean of after - before"),
        column("n", pa.int32(), description="pairs"),
        column("low", pa.float64(), description="of the change, 95 % interval over pairs"),
        column("high", pa.float64(), description="upper end, see low"),
    ),
    key=("run", "probe", "label", "added", "comparison"),
    nullable=("before", "after", "change", "low", "high"),
)

TEXT_SIMILARITIES = Table(
    "text_similarities",
    columns(
        column("run", pa.string(), description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}"),
        column("label", pa.string(), description="of the text"),
        column("cosine", pa.float64(), description="with the sentence it was made of, in [-1, 1]"),
    ),
    key=("run", "label"),
)
