"""Tables of the stage retrieve: other people's texts and sets, in our form."""

import pyarrow as pa

from contrapose.tables.parquet import Table

ARTICLES = Table(
    "articles",
    pa.schema(
        [
            ("id", pa.string()),  # the source's own id, or the line number where it has none
            ("title", pa.string()),  # empty where the source has none
            ("text", pa.string()),  # line breaks kept
        ]
    ),
    key=("id",),
)


PHRASES = Table(
    "phrases",
    pa.schema(
        [
            ("phrase", pa.string()),  # one or more words, one blank between them; matched letter by letter
        ]
    ),
    key=("phrase",),
)


RULES = Table(
    "rules",
    pa.schema(
        [
            ("phrase", pa.int32()),  # row of PHRASES, from 0: what is replaced; rows are in this order
            ("target", pa.string()),  # what it is replaced by, like a phrase
            ("probability", pa.float32()),  # p(target | phrase), in (0, 1]
            ("relation", pa.string()),  # PPDB's class of entailment; empty where the dictionary has none
        ]
    ),
    key=("phrase", "target"),
)


DICTIONARY_LINES = Table(
    "dictionary_lines",
    pa.schema(
        [
            ("what", pa.string()),  # lines, rules, phrases, or what was unusual about some lines
            ("number", pa.int64()),
            ("example", pa.string()),  # the first one, with its file and line
        ]
    ),
    key=("what",),
)


TRIPLES = Table(
    "triples",
    pa.schema(
        [
            ("id", pa.string()),  # row of the file in which the triple, or its premise, stands first, from 0
            ("premise", pa.string()),
            ("entailment", pa.string()),  # follows from it
            ("contradiction", pa.string()),  # cannot be true beside it; missing in a file of pairs
        ]
    ),
    key=("id",),
    nullable=("contradiction",),
)


BENCHMARK = Table(
    "benchmark",
    pa.schema(
        [
            ("task", pa.string()),  # of tasks.py: sts12 ... atec ...
            ("form", pa.string()),  # senteval (Moses-tokenised) or raw
            ("split", pa.string()),  # train | dev | test
            ("subset", pa.string()),  # MSRpar ...; the task again where there are none
            ("row", pa.int32()),  # line in the subset's file, from 0; unscored lines are left out
            ("sentence1", pa.string()),
            ("sentence2", pa.string()),
            ("score", pa.float64()),  # gold, on the set's own scale: 0-5, SICK 1-5, labels 0 and 1
        ]
    ),
    key=("task", "form", "split", "subset", "row"),
)


TRANSFER = Table(
    "transfer",
    pa.schema(
        [
            ("task", pa.string()),  # mr | cr | subj | mpqa | sst2 | trec | mrpc
            ("split", pa.string()),  # train | dev | test; all for a task without given splits
            ("row", pa.int32()),  # line in the split's files, one file after the other, from 0
            ("sentence1", pa.string()),  # of mr, cr, subj and mpqa it may be empty
            ("sentence2", pa.string()),  # of mrpc
            # 1: positive, objective, paraphrase; trec: ABBR DESC ENTY HUM LOC NUM from 0
            ("label", pa.int16()),
        ]
    ),
    key=("task", "split", "row"),
    nullable=("sentence2",),
)


NAIVE = Table(
    "naive",
    pa.schema(
        [
            ("task", pa.string()),  # those that a naive reading changes: sts12 ... sts16, stsb
            ("form", pa.string()),
            ("split", pa.string()),
            ("subset", pa.string()),
            ("row", pa.int32()),  # record of the file, from 0
            ("side", pa.int16()),  # 1 or 2: which sentence of the pair
            ("text", pa.string()),
        ]
    ),
    key=("task", "form", "split", "subset", "row", "side"),
)
