"""Tables of the stage evaluate: what is measured of encoders."""

import pyarrow as pa

from contrapose.tables.parquet import Table

COSINES = Table(
    "cosines",
    pa.schema(
        [
            ("task", pa.string()),
            ("form", pa.string()),
            ("split", pa.string()),
            ("subset", pa.string()),
            ("row", pa.int32()),  # of the pair in BENCHMARK
            ("cosine", pa.float64()),  # that the encoder gives the pair, in [-1, 1]
        ]
    ),
    key=("task", "form", "split", "subset", "row"),
)


SCORES = Table(
    "scores",
    pa.schema(
        [
            ("run", pa.string()),  # {pairs}/{recipe}/seed{seed}, or encoder/{name}
            ("task", pa.string()),
            ("form", pa.string()),
            ("split", pa.string()),
            # spearman | pearson; of labels and transfer tasks accuracy | f1; of classes that encoders are
            # fine-tuned on accuracy | micro_f1 | macro_f1
            ("metric", pa.string()),
            ("aggregation", pa.string()),  # all | mean | wmean over the subsets
            ("value", pa.float64()),  # correlation in [-1, 1]; accuracy and F1 in [0, 1]
            ("n", pa.int32()),  # scored pairs, or items
            ("low", pa.float64()),  # bootstrap 95 % interval, percentile
            ("high", pa.float64()),
        ]
    ),
    key=("run", "task", "form", "split", "metric", "aggregation"),
)


PREDICTIONS = Table(
    "predictions",
    pa.schema(
        [
            ("run", pa.string()),  # {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}
            ("task", pa.string()),  # task, split and row of TRANSFER
            ("split", pa.string()),  # test or all; train and dev: what the penalty was chosen by
            ("row", pa.int32()),
            ("fold", pa.int16()),  # in which the item was held out; 0 in a given test or dev split
            ("label", pa.int16()),
            ("predicted", pa.int16()),
        ]
    ),
    key=("run", "task", "split", "row"),
)


GEOMETRY = Table(
    "geometry",
    pa.schema(
        [
            ("run", pa.string()),  # {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}
            ("task", pa.string()),
            ("form", pa.string()),
            ("split", pa.string()),  # train | dev | test | all: those that are there, together
            ("measure", pa.string()),  # alignment | uniformity
            ("value", pa.float64()),  # alignment in [0, 4], uniformity in [-8, 0]; lower is better
            ("n", pa.int32()),  # positive pairs of alignment, distinct sentences of uniformity
        ]
    ),
    key=("run", "task", "form", "split", "measure"),
    nullable=("value",),
)


LENGTH_BIAS = Table(
    "length_bias",
    pa.schema(
        [
            ("run", pa.string()),  # {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}
            ("probe", pa.string()),  # its name under probes
            ("label", pa.string()),  # positive | negative
            ("added", pa.string()),  # filler | marks
            ("comparison", pa.string()),  # equalised | diverged | bias: from diverged to equalised
            ("before", pa.float64()),  # mean cosine of the pairs, in [-1, 1]; missing without pairs
            ("after", pa.float64()),
            ("change", pa.float64()),  # mean of after - before
            ("n", pa.int32()),  # pairs
            ("low", pa.float64()),  # of the change, bootstrap 95 % interval over pairs, percentile
            ("high", pa.float64()),
        ]
    ),
    key=("run", "probe", "label", "added", "comparison"),
    nullable=("before", "after", "change", "low", "high"),
)


TEXT_SIMILARITIES = Table(
    "text_similarities",
    pa.schema(
        [
            ("run", pa.string()),  # {pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}
            ("label", pa.string()),  # of the text
            ("cosine", pa.float64()),  # with the sentence it was made of, in [-1, 1]
        ]
    ),
    key=("run", "label"),
)
