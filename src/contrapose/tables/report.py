"""Tables of the stage report: the numbers behind what is printed and drawn."""

import pyarrow as pa

from contrapose.tables.parquet import Table

PUBLISHABLE = Table(
    "table",
    pa.schema(
        [
            ("table", pa.string()),  # table4_1
            ("world", pa.string()),
            ("row", pa.int16()),  # place in the printed table, from 0
            ("group", pa.string()),
            ("model", pa.string()),  # our row label
            ("run", pa.string()),  # empty for a mean over seeds
            ("seed", pa.int64()),  # missing for a mean over seeds
            ("column", pa.string()),  # STS12 ... Avg.
            ("value", pa.float64()),  # as printed: Spearman x100, a setting, alignment ...
            ("n", pa.int64()),  # behind the value: scored pairs, runs of a setting, sentences of uniformity
            ("low", pa.float64()),  # bootstrap 95 % interval; missing for averages over tasks
            ("high", pa.float64()),
            ("spread", pa.float64()),  # standard deviation over seeds, n - 1; missing below two seeds
            ("published", pa.float64()),  # the paper's number for this cell
            ("published_row", pa.string()),  # the paper's label of its row
        ]
    ),
    key=("table", "row", "seed", "column"),
    nullable=("seed", "value", "low", "high", "spread", "published"),
)


PROMPT_TABLE = Table(
    "prompt_table",
    pa.schema(
        [
            ("table", pa.string()),  # table3_2
            ("world", pa.string()),
            ("row", pa.int16()),  # place in the printed table, from 0
            ("label", pa.string()),  # our row label
            ("prompt", pa.string()),  # name of the prompt, e.g. "2"
            ("llm", pa.string()),  # role in the world
            ("corpus", pa.string()),
            ("column", pa.string()),  # Sim, BLEU, Total ...
            ("slot", pa.int16()),  # place in the answer, 0..4; missing for the five together
            ("value", pa.float64()),  # mean over sentences
            ("n", pa.int64()),  # sentences
            ("spread", pa.float64()),  # standard deviation over sentences, n - 1; missing below two
            ("error", pa.float64()),  # standard error: spread / sqrt(n)
            ("published", pa.float64()),  # the paper's number for this cell
            ("published_row", pa.string()),  # the paper's label of its row
        ]
    ),
    key=("table", "row", "column", "slot"),
    nullable=("slot", "spread", "error", "published"),
)


CLAIMS = Table(
    "claims",
    pa.schema(
        [
            ("study", pa.string()),
            ("world", pa.string()),
            ("claim_id", pa.string()),
            ("claim", pa.string()),
            ("tables", pa.string()),  # behind it, `; ` between them
            ("verdict", pa.string()),  # holds | same direction | no difference | opposite
            ("difference", pa.float64()),  # mean over seeds, in units of the tables; positive is as claimed
            ("error", pa.float64()),  # its standard error over seeds; missing for one seed
            ("seeds", pa.int16()),  # behind the difference; 1 where no seed enters
            ("detail", pa.string()),  # the differences one by one
            ("missing", pa.string()),  # why there is no verdict; empty if there is one
            ("published_verdict", pa.string()),  # the same function on the paper's printed tables
            ("published_difference", pa.float64()),
        ]
    ),
    key=("study", "claim_id"),
    nullable=("verdict", "difference", "error", "seeds", "published_verdict", "published_difference"),
)


STATISTICS = Table(
    "statistics",
    pa.schema(
        [
            ("table", pa.string()),  # table4_6
            ("world", pa.string()),
            ("row", pa.int16()),  # place in the printed table, from 0
            ("group", pa.string()),
            ("label", pa.string()),
            ("column", pa.string()),  # words_per_sentence; with the variant behind it if it is not printed
            ("reading", pa.string()),  # evaluated | naive; empty for a corpus
            ("form", pa.string()),  # senteval | raw; empty for a corpus
            ("split", pa.string()),  # all | train | dev | test; empty for a corpus
            ("value", pa.float64()),  # mean; missing where the world lacks the data
            ("n", pa.int64()),  # sentences, or scored pairs
            ("spread", pa.float64()),  # standard deviation over them, n - 1
            ("published", pa.float64()),  # the paper's number for this row
            ("published_row", pa.string()),  # the paper's label of its row
        ]
    ),
    key=("table", "row", "column"),
    nullable=("value", "spread", "published"),
)


HISTOGRAM = Table(
    "histogram",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("set", pa.string()),  # printed name of the evaluation set
            ("low", pa.float64()),  # edges of the bin on the set's own scale; the upper belongs to the last
            ("high", pa.float64()),
            ("pairs", pa.int64()),  # scored pairs in the bin
            ("share", pa.float64()),  # of the set's scored pairs
        ]
    ),
    key=("figure", "set", "low"),
)


SCATTER = Table(
    "scatter",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("source", pa.string()),  # ours | published
            ("row", pa.int16()),  # of the table that is drawn, from 0
            ("group", pa.string()),
            ("model", pa.string()),
            ("seed", pa.int64()),  # missing for a mean over seeds, and where no seed entered
            ("alignment", pa.float64()),  # as in GEOMETRY, as is uniformity: lower is better
            ("uniformity", pa.float64()),  # lower is better
        ]
    ),
    key=("figure", "source", "row", "seed"),
    nullable=("seed",),
)


CURVE = Table(
    "curve",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("source", pa.string()),  # ours | published
            ("line", pa.string()),  # group of rows, or the table
            ("x", pa.float64()),  # what the row stands for
            ("value", pa.float64()),  # mean over seeds, as the table prints it
            ("low", pa.float64()),  # bootstrap 95 % interval of one seed, where the column has one
            ("high", pa.float64()),
            ("spread", pa.float64()),  # standard deviation over seeds
        ]
    ),
    key=("figure", "source", "line", "x"),
    nullable=("value", "low", "high", "spread"),
)


CALIBRATION = Table(
    "calibration",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("panel", pa.string()),  # printed name of the texts
            ("reading", pa.string()),  # plain: logits as they are | given: the paper's temperature | fitted
            ("temperature", pa.float64()),  # mean over folds
            ("low", pa.float64()),  # edges of the bin of p(human); the upper belongs to the last alone
            ("high", pa.float64()),
            ("texts", pa.int64()),  # held out, each as often as there are folds
            ("p", pa.float64()),  # mean p(human); missing without texts
            ("human", pa.float64()),  # share of human texts
        ]
    ),
    key=("figure", "panel", "reading", "low"),
    nullable=("p", "human"),
)


EXAMPLES = Table(
    "examples",
    pa.schema(
        [
            ("table", pa.string()),
            ("world", pa.string()),
            ("row", pa.int16()),
            ("id", pa.string()),  # of the pair
            ("anchor", pa.string()),
            ("positive", pa.string()),
            ("negative", pa.string()),
            ("label", pa.float32()),  # of PAIRS, as is weight; of examples by weight alone
            ("weight", pa.float32()),
        ]
    ),
    key=("table", "row"),
    nullable=("negative", "label", "weight"),
    version=2,
)


LEVELS = Table(
    "levels",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("source", pa.string()),  # printed name
            ("tenth", pa.int16()),  # 1: the tenth of highest p(human) ... 10
            ("level", pa.string()),  # label that the text was to have
            ("share", pa.float64()),  # of the rows of this tenth
            ("n", pa.int32()),  # rows of this tenth and level
            ("logit", pa.float64()),  # of human minus that of machine, mean of the tenth
        ]
    ),
    key=("figure", "source", "tenth", "level"),
)


DIFFERENCES = Table(
    "differences",
    pa.schema(
        [
            ("figure", pa.string()),
            ("world", pa.string()),
            ("source", pa.string()),  # ours | published
            ("group", pa.string()),
            ("model", pa.string()),  # row that is compared with the baseline of its group
            ("column", pa.string()),  # of the table; mean: of all of them
            ("difference", pa.float64()),  # mean over seeds
            ("low", pa.float64()),  # 95 % interval of Student's t over seeds, paired; missing below two
            ("high", pa.float64()),
            ("seeds", pa.int16()),
        ]
    ),
    key=("figure", "source", "group", "model", "column"),
    nullable=("low", "high"),
)


MACHINE = Table(
    "machine",
    pa.schema(
        [
            ("table", pa.string()),
            ("world", pa.string()),
            ("attribute", pa.string()),  # of the machine, or of the packages
            ("value", pa.string()),  # in words
        ]
    ),
    key=("table", "attribute"),
)
