"""Tables of the stage report: the numbers behind what is printed and drawn."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

COSTS = ("cpu_seconds", "gpu_seconds", "requests", "tokens", "usd")  # of a row
COMPARED = ("difference", "difference_low", "difference_high", "p")  # of a mean of scores and its baseline

PUBLISHABLE = Table(
    "table",
    columns(
        column("table", pa.string(), description="table4_1"),
        column("world", pa.string(), description="world that everything came from"),
        column("row", pa.int16(), description="place in the printed table, from 0"),
        column("group", pa.string(), description="heading over some rows"),
        column("model", pa.string(), description="our row label"),
        column("run", pa.string(), description="empty for a mean over seeds"),
        column("seed", pa.int64(), description="missing for a mean over seeds"),
        column("column", pa.string(), description="STS12 ... Avg."),
        column("value", pa.float64(), description="as printed: Spearman x100, a setting, alignment ..."),
        column(
            "n",
            pa.int64(),
            description="behind the value: scored pairs, runs of a setting, sentences of uniformity",
        ),
        column("low", pa.float64(), description="bootstrap 95 % interval; missing for averages over tasks"),
        column("high", pa.float64(), description="upper end, see low"),
        column("spread", pa.float64(), description="standard deviation over seeds, n - 1; missing below two"),
        column("published", pa.float64(), description="the paper's number for this cell"),
        column("published_row", pa.string(), description="the paper's label of its row"),
        column(
            "training_pairs",
            pa.int64(),
            description="rows of the pair set; missing without a training, and where seeds differ",
        ),
        column("steps", pa.int64(), description="optimiser steps that the training took"),
        column("share_used", pa.float64(), description="share of training_pairs that was in a batch"),
        column("baseline", pa.string(), description="row that a mean of scores is compared with, or empty"),
        column("difference", pa.float64(), description="to the baseline, mean over seeds"),
        column("difference_low", pa.float64(), description="95 % interval over test pairs and seeds, paired"),
        column("difference_high", pa.float64(), description="upper end, see difference_low"),
        column(
            "p", pa.float64(), description="of the difference, corrected (Holm) for the rows of the column"
        ),
        column("tied", pa.bool_(), description="no significant difference to the best row of the column"),
        column(
            "cpu_seconds",
            pa.float64(),
            description="of a row, beside its means, see `with_costs`; missing if unknown or not asked for",
        ),
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
    key=("table", "row", "seed", "column"),
    nullable=(
        *("seed", "value", "low", "high", "spread", "published", "resampled"),
        *("training_pairs", "steps", "share_used"),
        *(*COMPARED, "tied", *COSTS),
    ),
    version=2,
)

PROMPT_TABLE = Table(
    "prompt_table",
    columns(
        column("table", pa.string(), description="table3_2"),
        column("world", pa.string(), description="world that everything came from"),
        column("row", pa.int16(), description="place in the printed table, from 0"),
        column("label", pa.string(), description="our row label"),
        column("prompt", pa.string(), description='name of the prompt, e.g. "2"'),
        column("llm", pa.string(), description="role in the world; empty for pairs of a file"),
        column(
            "corpus", pa.string(), description="name of the corpus that was asked about; else id of the pairs"
        ),
        column("column", pa.string(), description="Sim, BLEU, Total ..."),
        column("slot", pa.int16(), description="place in the answer, 0..4; missing for the five together"),
        column("value", pa.float64(), description="mean over sentences; missing without any"),
        column("n", pa.int64(), description="sentences"),
        column("spread", pa.float64(), description="standard deviation over sentences; missing below two"),
        column("error", pa.float64(), description="standard error: spread / sqrt(n)"),
        column("published", pa.float64(), description="the paper's number for this cell"),
        column("published_row", pa.string(), description="the paper's label of its row"),
    ),
    key=("table", "row", "column", "slot"),
    nullable=("slot", "value", "spread", "error", "published"),
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
            description="holds | same direction | no difference | opposite | one seed | "
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

STATISTICS = Table(
    "statistics",
    columns(
        column("table", pa.string(), description="table4_6"),
        column("world", pa.string(), description="world that everything came from"),
        column("row", pa.int16(), description="place in the printed table, from 0"),
        column("group", pa.string(), description="heading over some rows"),
        column("label", pa.string(), description="of the row"),
        column(
            "column",
            pa.string(),
            description="words_per_sentence; with the variant behind it if it is not printed",
        ),
        column("reading", pa.string(), description="evaluated | naive; empty for a corpus"),
        column("form", pa.string(), description="senteval | raw; empty for a corpus"),
        column("split", pa.string(), description="all | train | dev | test; empty for a corpus"),
        column("value", pa.float64(), description="mean; missing where the world lacks the data"),
        column("n", pa.int64(), description="sentences, or scored pairs"),
        column("spread", pa.float64(), description="standard deviation over them, n - 1"),
        column("published", pa.float64(), description="the paper's number for this row"),
        column("published_row", pa.string(), description="the paper's label of its row"),
    ),
    key=("table", "row", "column"),
    nullable=("value", "spread", "published"),
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
