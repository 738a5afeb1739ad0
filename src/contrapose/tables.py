"""Every Parquet table of the project: schema, key, and checked reading and writing.

Tables are the interface between stages.  A table is checked where it is made, so a wrong one is never
found three stages later.  Files are deterministic: same rows, same settings, same bytes.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from contrapose.errors import TableError

ROWS_PER_GROUP = 10_000  # rows read at once when a table is streamed: some MB of text
METADATA_KEY = b"contrapose"  # where a file keeps what it was made from, as JSON


@dataclass(frozen=True)
class Table:
    """A named schema.

    `key` columns together are unique; `nullable` columns may hold missing values, the others may not.
    `version` goes up when the meaning of a column changes.
    """

    name: str
    schema: pa.Schema
    key: tuple[str, ...]
    nullable: tuple[str, ...] = ()
    version: int = 1

    @property
    def columns(self) -> list[str]:
        """Column names in their order on disk."""
        return list(self.schema.names)


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

PUNKT = Table(
    "punkt",
    pa.schema(
        [
            ("kind", pa.string()),  # abbreviation | collocation | starter | orthography
            ("token", pa.string()),
            ("second", pa.string()),  # second token of a collocation, else empty
            ("flags", pa.int32()),  # Punkt's orthographic context bits, else 0
        ]
    ),
    key=("kind", "token", "second"),
)

DRAWS = Table(
    "draws",
    pa.schema(
        [
            ("draw", pa.int64()),  # number of the draw in the corpus, from 0
            ("rank", pa.int16()),  # place within the draw: method 3 takes up to 4 sentences
            ("article_id", pa.string()),
            ("position", pa.int32()),  # of the sentence in its article, from 0; -1 if rejected before
            ("text", pa.string()),  # empty if rejected
            ("words", pa.int32()),  # NLTK tokens; 0 if rejected before they were counted
            ("rejected", pa.string()),  # reason, or empty for an accepted sentence
        ]
    ),
    key=("draw", "rank"),
)

SEGMENTS = Table(
    "segments",
    pa.schema(
        [
            ("rank", pa.float64()),  # uniform in [0, 1), the place in the shuffle; rows are in this order
            ("article_id", pa.string()),
            ("position", pa.int32()),  # of the sentence in its article, from 0
            ("text", pa.string()),  # as it was split, not tokenised
        ]
    ),
    key=("article_id", "position"),
)

SENTENCES = Table(
    "sentences",
    pa.schema(
        [
            ("id", pa.string()),  # article id, a colon, position: the same in every corpus
            ("text", pa.string()),
            ("article_id", pa.string()),  # of a published corpus its file, of evaluation sets the task
            ("position", pa.int32()),  # of the sentence in its article, or line of its file, from 0
            # NLTK tokens, punctuation counts; of evaluation sets characters; of a segmented corpus the words
            # of `corpus.languages`, Moses's or MeCab's
            ("words", pa.int32()),
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

REWRITES = Table(
    "rewrites",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("number", pa.int16()),  # of the candidate, from 0: the likeliest first, then by text
            ("position", pa.int16()),  # of the first word that is replaced, from 0
            ("source", pa.string()),  # phrases that are replaced, ` + ` between several
            ("target", pa.string()),  # what stands there now
            ("probability", pa.float32()),  # p(target | source); of several their product
            ("relation", pa.string()),  # of RULES
            ("text", pa.string()),
        ]
    ),
    key=("sentence_id", "number"),
)

PERPLEXITIES = Table(
    "perplexities",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("number", pa.int16()),  # of the candidate in REWRITES
            ("perplexity", pa.float64()),
        ]
    ),
    key=("sentence_id", "number"),
)

REWRITE_STATISTICS = Table(
    "rewrite_statistics",
    pa.schema(
        [
            ("measure", pa.string()),  # of score/rewrite_statistics.py: candidates, bleu, offered ...
            ("relation", pa.string()),  # that the measure is about; empty: all, and what has no class
            ("value", pa.float64()),  # candidates per sentence; shares, BLEU in [0, 1]; perplexity
            ("n", pa.int64()),  # sentences or candidates behind it; `offered`, `kept`: those of the relation
        ]
    ),
    key=("measure", "relation"),
)

COMPLETIONS = Table(
    "completions",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("prompt", pa.string()),  # name of the prompt, e.g. "2"
            ("llm", pa.string()),  # role in the world, e.g. "chatgpt"
            ("attempt", pa.int16()),  # 0, 1, 2: paid tries for this sentence
            ("answer", pa.string()),  # raw text, as it came
            ("finish_reason", pa.string()),
            ("prompt_tokens", pa.int32()),  # missing where the server does not say
            ("completion_tokens", pa.int32()),
            ("model", pa.string()),  # as the server named it
            ("refused", pa.string()),  # why the answer was not accepted, or empty
        ]
    ),
    key=("sentence_id", "prompt", "llm", "attempt"),
    nullable=("prompt_tokens", "completion_tokens"),
)

PARAPHRASES = Table(
    "paraphrases",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("slot", pa.int16()),  # 0..4, in the order of the answer
            ("text", pa.string()),
        ]
    ),
    key=("sentence_id", "slot"),
)

SYNTHETIC = Table(
    "synthetic",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("label", pa.float32()),  # similarity that the text was to have: 0, 0.5, 1
            ("entry", pa.int16()),  # of this sentence and label, from 0
            ("text", pa.string()),  # without what follows the closing quotation mark; as it came if refused
            ("refused", pa.string()),  # why it cannot be used, or empty
        ]
    ),
    key=("sentence_id", "label", "entry"),
)

TRANSLATIONS = Table(
    "translations",
    pa.schema(
        [
            ("text", pa.string()),  # as it stands in the evaluation set
            ("translation", pa.string()),
        ]
    ),
    key=("text",),
)

REPLACEMENTS = Table(
    "replacements",
    pa.schema(
        [
            ("sentence_id", pa.string()),  # of the sentence that stays out
            ("replacement_id", pa.string()),  # of the sentence that took its place
            ("number", pa.int16()),  # 1 for the first replacement drawn, 2 for the next ...
            ("reason", pa.string()),  # why the last answer for the sentence was refused
        ]
    ),
    key=("sentence_id", "number"),
)

ANSWERS = Table(
    "answers",
    pa.schema(
        [
            ("writer", pa.string()),  # of the journal
            ("number", pa.int64()),  # of the answer in that journal, from 0
            ("key", pa.string()),  # hash of the request
            ("sentence_id", pa.string()),
            ("prompt", pa.string()),  # name of the prompt
            ("attempt", pa.int16()),  # paid try for this sentence, from 0
            ("asked_model", pa.string()),
            ("outcome", pa.string()),  # a row of the table in outcomes.py
            ("status", pa.int16()),  # of HTTP; 0 where nothing came
            ("answer", pa.string()),  # as it came; empty where there is none
            ("finish_reason", pa.string()),
            ("prompt_tokens", pa.int32()),  # missing where the server does not count
            ("completion_tokens", pa.int32()),
            ("model", pa.string()),  # as the server calls itself
            ("seconds", pa.float32()),  # from sending to the whole answer
            ("time", pa.float64()),  # of the answer, seconds since 1970
        ]
    ),
    key=("writer", "number"),
    nullable=("prompt_tokens", "completion_tokens", "seconds", "time"),
)

COST = Table(
    "cost",
    pa.schema(
        [
            ("llm", pa.string()),  # role in the world
            ("model", pa.string()),  # as it is asked for
            ("corpus", pa.string()),
            ("prompt", pa.string()),  # name of the prompt; `greeting` looks whether a server works
            ("shard", pa.string()),  # `0-of-2`, `merge` for replacements, `batch`
            # accepted, a refusal's code, a row of the table in outcomes.py, `unused` (in no table),
            # `in flight` (a killed job's), `batch_expired` or the code of an error in a batch
            ("outcome", pa.string()),
            ("requests", pa.int64()),
            ("prompt_tokens", pa.int64()),  # as the server counted them
            ("completion_tokens", pa.int64()),
            ("usd", pa.float64()),  # of these tokens, at the prices of the day they were paid
            ("unknown", pa.int64()),  # of the requests: those whose tokens the server did not tell
            ("usd_at_most", pa.float64()),  # usd, and the worst case of the unknown ones
        ]
    ),
    key=("llm", "model", "corpus", "prompt", "shard", "outcome"),
)

SIMILARITIES = Table(
    "similarities",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("slot", pa.int16()),
            ("cosine", pa.float64()),  # of sentence and paraphrase, in [-1, 1]
        ]
    ),
    key=("sentence_id", "slot"),
)

SLOT_SCORES = Table(
    "slot_scores",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("slot", pa.int16()),  # 0..4, in the order of the answer
            ("cosine", pa.float64()),  # of sentence and paraphrase, in [-1, 1]
            ("similarity", pa.float64()),  # (cosine + 1) / 2
            ("bleu", pa.float64()),  # hypothesis: the sentence; only reference: this paraphrase
        ]
    ),
    key=("sentence_id", "slot"),
)

SENTENCE_SCORES = Table(
    "sentence_scores",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("similarity", pa.float64()),  # mean of (cosine + 1) / 2 over the paraphrases
            ("bleu", pa.float64()),  # hypothesis: the sentence; references: all its paraphrases
            ("total", pa.float64()),  # (similarity + 1 - bleu) / 2, higher is better
            ("cosine", pa.float64()),  # mean over the paraphrases
            ("bleu_single", pa.float64()),  # mean of BLEU with each paraphrase as the only reference
            ("bleu_characters", pa.float64()),  # as bleu, of characters: what NLTK does with plain texts
            (
                "common_4gram",
                pa.bool_(),
            ),  # a paraphrase keeps four words in a row; if not, bleu is about 0
        ]
    ),
    key=("sentence_id",),
)

PARASCORES = Table(
    "parascores",
    pa.schema(
        [
            ("sentence_id", pa.string()),
            ("slot", pa.int16()),
            ("f1", pa.float64()),  # BERTScore, not rescaled
            ("distance", pa.float64()),  # edit distance in characters over the longer length, in [0, 1]
            ("parascore", pa.float64()),
        ]
    ),
    key=("sentence_id", "slot"),
)

PAIRS = Table(
    "pairs",
    pa.schema(
        [
            ("id", pa.string()),
            ("slot", pa.int16()),  # epoch e trains on slot e mod n_slots
            ("view", pa.int16()),  # one loss term per view; all views of an id and slot have one anchor
            ("anchor", pa.string()),
            ("positive", pa.string()),
            ("negative", pa.string()),  # hard negative, missing where there is none
            ("label", pa.float32()),  # regression target, missing for contrastive pairs
            ("weight", pa.float32()),  # importance of the row, 1 unless a strategy says otherwise
        ]
    ),
    key=("id", "slot", "view"),
    nullable=("negative", "label"),
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

IDENTIFIED = Table(
    "identified",
    pa.schema(
        [
            ("id", pa.string()),  # of the pair, whose positive is judged
            (
                "logit",
                pa.float64(),
            ),  # of human minus that of machine: p(human) = sigmoid(logit / temperature)
            ("fold", pa.int16()),  # of the classifier that judged it, from 0
            ("seen", pa.bool_()),  # that classifier was trained on this text
        ]
    ),
    key=("id",),
)

HELD_OUT = Table(
    "held_out",
    pa.schema(
        [
            ("fold", pa.int16()),  # of the classifier, from 0
            ("number", pa.int32()),  # among its held-out texts, from 0
            ("text", pa.string()),
            ("human", pa.bool_()),
            ("logit", pa.float64()),  # as in IDENTIFIED
        ]
    ),
    key=("fold", "number"),
)

LINGUISTICS = Table(
    "linguistics",
    pa.schema(
        [
            ("group", pa.string()),  # human | top | bottom: machine texts of highest and lowest p(human)
            ("texts", pa.string()),  # all | equal: of every group as many as in the smallest
            ("partner", pa.string()),  # of a human sentence: all | positive pairs; of a machine text: source
            ("measure", pa.string()),  # of score/linguistics.py: bleu1, jaccard, distinct1, zipf ...
            ("value", pa.float64()),  # BLEU, Jaccard and Distinct in [0, 1]; zipf: the exponent
            ("n", pa.int32()),  # texts
        ]
    ),
    key=("group", "texts", "partner", "measure"),
)

TENTHS = Table(
    "tenths",
    pa.schema(
        [
            ("tenth", pa.int16()),  # 1: the tenth of highest p(human) ... 10
            ("level", pa.string()),  # label that the text was to have, 1, 0.5, 0; random: a random pair
            ("share", pa.float64()),  # of the rows of this tenth
            ("n", pa.int32()),  # rows of this tenth and level
            ("logit", pa.float64()),  # mean of the tenth
        ]
    ),
    key=("tenth", "level"),
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

HISTORY = Table(
    "history",
    pa.schema(
        [
            ("step", pa.int32()),  # optimiser steps done, from 1
            ("epoch", pa.int16()),  # from 0
            ("loss", pa.float64()),  # of this step, nats; of cosine_error without a unit
            ("learning_rate", pa.float64()),  # used in this step
            # Higher is better: Spearman on the dev pairs, or minus their loss; missing between evaluations
            ("dev_score", pa.float64()),
            ("best", pa.bool_()),  # this step's weights were kept as the best so far
            ("sentences", pa.int64()),  # encoded for training so far
            ("tokens", pa.int64()),  # without padding, so far
        ]
    ),
    key=("step",),
    nullable=("dev_score",),
)

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

TABLES = {
    table.name: table
    for table in (
        ARTICLES,
        PUNKT,
        DRAWS,
        SEGMENTS,
        SENTENCES,
        PHRASES,
        RULES,
        DICTIONARY_LINES,
        REWRITES,
        PERPLEXITIES,
        REWRITE_STATISTICS,
        COMPLETIONS,
        PARAPHRASES,
        SYNTHETIC,
        TRANSLATIONS,
        REPLACEMENTS,
        ANSWERS,
        COST,
        SIMILARITIES,
        SLOT_SCORES,
        SENTENCE_SCORES,
        PARASCORES,
        PAIRS,
        TRIPLES,
        IDENTIFIED,
        HELD_OUT,
        LINGUISTICS,
        TENTHS,
        BENCHMARK,
        COSINES,
        TRANSFER,
        NAIVE,
        SCORES,
        PREDICTIONS,
        GEOMETRY,
        LENGTH_BIAS,
        TEXT_SIMILARITIES,
        HISTORY,
        PUBLISHABLE,
        PROMPT_TABLE,
        STATISTICS,
        HISTOGRAM,
        SCATTER,
        CURVE,
        CALIBRATION,
        EXAMPLES,
        LEVELS,
        DIFFERENCES,
        MACHINE,
        CLAIMS,
    )
}


@contextmanager
def written(path: str | Path) -> Iterator[Path]:
    """Give a draft path beside `path` and rename it into place at the end: all of it or nothing.

    The draft may become a file or a folder.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        yield draft
        os.replace(draft, target)
    finally:
        if draft.is_dir():
            shutil.rmtree(draft)
        draft.unlink(missing_ok=True)


def read_table(path: str | Path, table: Table, columns: list[str] | None = None) -> pd.DataFrame:
    """Read a whole table, checked against its schema.

    Parameters
    ----------
    path : path of a Parquet file
    table : Table
    columns : list of str, optional
        Read only these.

    Raises
    ------
    TableError
        The file is missing or is not this table.
    """
    with open_table(path, table) as file:
        return file.read(columns=columns or table.columns).to_pandas()


def read_tables(paths: Iterable[str | Path], table: Table, columns: list[str] | None = None) -> pd.DataFrame:
    """Read several files of one table as one; without files it is the table without rows."""
    nothing = empty(table)[columns or table.columns]
    return pd.concat([nothing, *(read_table(path, table, columns) for path in paths)], ignore_index=True)


def count_rows(path: str | Path, table: Table) -> int:
    """Return how many rows a table has, without reading them."""
    with open_table(path, table) as file:
        return file.metadata.num_rows


def write_table(
    frame: pd.DataFrame, path: str | Path, table: Table, provenance: Mapping[str, object] | None = None
) -> None:
    """Write a whole table: checked, with its provenance, all or nothing.

    Parameters
    ----------
    frame : DataFrame with the table's columns (further ones are refused)
    path : where the Parquet file goes
    table : Table
    provenance : mapping, optional
        What the file was made from; JSON values.  See `contrapose.stage.provenance`.

    Raises
    ------
    TableError
        A column is missing, of another type, holds missing values or the key is not unique.
    """
    duplicated = frame.duplicated(list(table.key)) if set(table.key) <= set(frame.columns) else None
    if duplicated is not None and duplicated.any():
        row = frame.loc[duplicated, list(table.key)].iloc[0].to_dict()
        raise TableError(f"{path}: rows of '{table.name}' must differ in {list(table.key)}; twice: {row}.")
    with TableWriter(path, table, provenance) as writer:
        writer.write(frame)


@dataclass
class TableWriter:
    """Write a table piece by piece.  Use as a context manager; nothing is left behind on an error."""

    path: str | Path
    table: Table
    provenance: Mapping[str, object] | None = None

    def __enter__(self) -> "TableWriter":
        with ExitStack() as stack:
            draft = stack.enter_context(written(self.path))
            # Closing writes what is left, and the disk may be full: the draft goes only after that.
            self._writer = stack.enter_context(
                pq.ParquetWriter(draft, self._schema(), compression="zstd", write_statistics=False)
            )
            self._stack = stack.pop_all()
        return self

    def write(self, frame: pd.DataFrame) -> None:
        """Append rows, checked column by column."""
        arrays = checked_arrays(frame, self.path, self.table)
        rows = pa.Table.from_arrays(arrays, schema=self._schema())
        self._writer.write_table(rows, row_group_size=ROWS_PER_GROUP)

    def add_provenance(self, **counted: object) -> None:
        """Say more about what the table was made from: what is known only when it is written."""
        self.provenance = {**(self.provenance or {}), **counted}
        self._writer.add_key_value_metadata(self._schema().metadata)

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]

    def _schema(self) -> pa.Schema:
        described = {"table": self.table.name, "version": self.table.version, **(self.provenance or {})}
        text = json.dumps(described, sort_keys=True, ensure_ascii=False)
        return self.table.schema.with_metadata({METADATA_KEY: text.encode()})


def checked_arrays(frame: pd.DataFrame, path: str | Path, table: Table) -> list[pa.Array]:
    """Convert the columns of `frame` to the types of `table`, or say which one does not fit."""
    missing = [name for name in table.columns if name not in frame.columns]
    extra = [name for name in frame.columns if name not in table.columns]
    if missing or extra:
        raise TableError(f"{path}: table '{table.name}' lacks columns {missing} and does not know {extra}.")
    arrays = []
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        try:
            array = pa.Array.from_pandas(frame[name], type=kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            found = frame[name].dtype
            raise TableError(f"{path}: column '{name}' is {found}, expected {kind}. {error}") from error
        if array.null_count and name not in table.nullable:
            row = frame.index[frame[name].isna()][0]
            raise TableError(f"{path}: column '{name}' of '{table.name}' has no value in row {row}.")
        arrays.append(array)
    return arrays


def read_provenance(path: str | Path) -> dict:
    """Return what a Parquet file of ours was made from; empty for a file of somebody else."""
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(
            f"{path}: not a readable Parquet file ({error}). Remove it and build it again."
        ) from error
    return json.loads(metadata.get(METADATA_KEY, b"{}"))


def empty(table: Table) -> pd.DataFrame:
    """Return the table without rows."""
    return table.schema.empty_table().to_pandas()


def open_table(path: str | Path, table: Table) -> pq.ParquetFile:
    """Open a table for reading part of it; close the file, or use it as a context manager.

    Raises
    ------
    TableError
        The file is missing or is not this table.
    """
    if not Path(path).is_file():
        raise TableError(
            f"{path}: no such file, expected table '{table.name}'. Build it: snakemake --cores 1 {path}"
        )
    found = read_provenance(path)
    if (found.get("table"), found.get("version")) != (table.name, table.version):
        raise TableError(
            f"{path}: holds table '{found.get('table')}' version {found.get('version')}, expected "
            f"'{table.name}' version {table.version}. Remove it and build it again: "
            f"snakemake --cores 1 {path}"
        )
    file = pq.ParquetFile(path, pre_buffer=False)  # or the whole file is in memory while it is streamed
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        at = file.schema_arrow.get_field_index(name)
        is_kind = file.schema_arrow.types[at] if at >= 0 else "missing"
        if is_kind != kind:
            file.close()
            raise TableError(f"{path}: column '{name}' is {is_kind}, expected {kind}.")
    return file
