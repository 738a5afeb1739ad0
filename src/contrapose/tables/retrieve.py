"""Tables of the stage retrieve: texts and sets from outside, in our form."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

ARTICLES = Table(
    "articles",
    columns(
        column("id", pa.string(), description="the source's own id, or the line number where it has none"),
        column("title", pa.string(), description="empty where the source has none"),
        column("text", pa.string(), description="line breaks kept"),
    ),
    key=("id",),
)

PHRASES = Table(
    "phrases",
    columns(
        column("phrase", pa.string(), description="words with one blank between; matched letter by letter")
    ),
    key=("phrase",),
)

RULES = Table(
    "rules",
    columns(
        column("phrase", pa.int32(), description="row of PHRASES, from 0: what is replaced; sorted by it"),
        column("target", pa.string(), description="what it is replaced by, like a phrase"),
        column("probability", pa.float32(), description="p(target | phrase), in (0, 1]"),
        column("relation", pa.string(), description="PPDB's class of entailment; empty if there is none"),
    ),
    key=("phrase", "target"),
)

DICTIONARY_LINES = Table(
    "dictionary_lines",
    columns(
        column("what", pa.string(), description="lines, rules, phrases, or what was unusual about lines"),
        column("number", pa.int64(), description="how many"),
        column("example", pa.string(), description="the first one, with its file and line"),
    ),
    key=("what",),
)

TRIPLES = Table(
    "triples",
    columns(
        column(
            "id",
            pa.string(),
            description="row of the file in which the triple, or its premise, stands first, from 0",
        ),
        column("slot", pa.int16(), description="of several entailments in a row; else 0"),
        column("premise", pa.string(), description="the sentence"),
        column("entailment", pa.string(), description="follows from it"),
        column("negatives", pa.list_(pa.string()), description="contradict it; none in a file of pairs"),
        column("negative_scores", pa.list_(pa.float32()), description="of each, of the file; or empty"),
        column("label", pa.float32(), description="cosine that both are to have; missing in most files"),
    ),
    key=("id", "slot"),
    nullable=("label",),
    version=2,
)

RECORDED_ANSWERS = Table(
    "recorded_answers",
    columns(
        column("prompt", pa.string(), description='name of the prompt, e.g. "2"'),
        column("sentence", pa.string(), description="that was asked about, one space between words"),
        column("answer", pa.string(), description="as it came; texts apart as a numbered list"),
    ),
    key=("prompt", "sentence"),
)

BENCHMARK = Table(
    "benchmark",
    columns(
        column("task", pa.string(), description="of tasks.py: sts12 ... atec ..."),
        column("form", pa.string(), description="senteval (Moses-tokenised) or raw"),
        column("split", pa.string(), description="train | dev | test"),
        column("subset", pa.string(), description="MSRpar ...; the task again where there are none"),
        column("row", pa.int32(), description="line in the subset's file, from 0, without unscored ones"),
        column("sentence1", pa.string(), description="first sentence of the pair"),
        column("sentence2", pa.string(), description="second sentence of the pair"),
        column("score", pa.float64(), description="gold, on the set's scale: 0-5, SICK 1-5, labels 0 and 1"),
    ),
    key=("task", "form", "split", "subset", "row"),
)

TRANSFER = Table(
    "transfer",
    columns(
        column("task", pa.string(), description="mr | cr | subj | mpqa | sst2 | trec | mrpc"),
        column("split", pa.string(), description="train | dev | test; all for a task without given splits"),
        column("row", pa.int32(), description="line in the split's files, one file after the other, from 0"),
        column("sentence1", pa.string(), description="of mr, cr, subj and mpqa it may be empty"),
        column("sentence2", pa.string(), description="of mrpc"),
        column(
            "label",
            pa.int16(),
            description="1: positive, objective, paraphrase; trec: ABBR DESC ENTY HUM LOC NUM from 0",
        ),
    ),
    key=("task", "split", "row"),
    nullable=("sentence2",),
)

NAIVE = Table(
    "naive",
    columns(
        column("task", pa.string(), description="those that a naive reading changes: sts12 ... sts16, stsb"),
        column("form", pa.string(), description="as in BENCHMARK"),
        column("split", pa.string(), description="as in BENCHMARK"),
        column("subset", pa.string(), description="as in BENCHMARK"),
        column("row", pa.int32(), description="record of the file, from 0"),
        column("side", pa.int16(), description="1 or 2: which sentence of the pair"),
        column("text", pa.string(), description="the sentence, as a naive reading has it"),
    ),
    key=("task", "form", "split", "subset", "row", "side"),
)
