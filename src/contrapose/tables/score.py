"""Tables of the stage score: what is measured of written texts."""

import pyarrow as pa

from contrapose.tables.parquet import Table

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
