"""Tables of the stage score: measurements of generated texts."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

PERPLEXITIES = Table(
    "perplexities",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is rewritten"),
        column("number", pa.int16(), description="of the candidate in REWRITES"),
        column("perplexity", pa.float64(), description="of the candidate, exp of the mean nats per token"),
    ),
    key=("sentence_id", "number"),
    nullable=("perplexity",),  # missing for a text that is empty or too long for the language model
)

REWRITE_STATISTICS = Table(
    "rewrite_statistics",
    columns(
        column("measure", pa.string(), description="candidates, bleu, offered, kept ..."),
        column("relation", pa.string(), description="that it is about; empty: all, and what has no class"),
        column(
            "value", pa.float64(), description="candidates a sentence; shares, BLEU in [0, 1]; perplexity"
        ),
        column(
            "n",
            pa.int64(),
            description="sentences or candidates behind it; `offered`, `kept`: those of the relation",
        ),
    ),
    key=("measure", "relation"),
)

SIMILARITIES = Table(
    "similarities",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is paraphrased"),
        column("slot", pa.int16(), description="of the paraphrase, in the order of the answer"),
        column("cosine", pa.float64(), description="of sentence and paraphrase, in [-1, 1]"),
    ),
    key=("sentence_id", "slot"),
)

SLOT_SCORES = Table(
    "slot_scores",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is paraphrased"),
        column("slot", pa.int16(), description="0..4, in the order of the answer"),
        column("cosine", pa.float64(), description="of sentence and paraphrase, in [-1, 1]"),
        column("similarity", pa.float64(), description="(cosine + 1) / 2"),
        column("bleu", pa.float64(), description="hypothesis: the sentence; only reference: this paraphrase"),
    ),
    key=("sentence_id", "slot"),
)

SENTENCE_SCORES = Table(
    "sentence_scores",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is paraphrased"),
        column("similarity", pa.float64(), description="mean of (cosine + 1) / 2 over the paraphrases"),
        column("bleu", pa.float64(), description="hypothesis: the sentence; references: all its paraphrases"),
        column("total", pa.float64(), description="(similarity + 1 - bleu) / 2, higher is better"),
        column("cosine", pa.float64(), description="mean over the paraphrases"),
        column("bleu_single", pa.float64(), description="mean of BLEU with one paraphrase as reference"),
        column("bleu_characters", pa.float64(), description="as bleu, of characters: NLTK on plain texts"),
        column(
            "common_4gram",
            pa.bool_(),
            description="a paraphrase keeps four words in a row; if not, bleu is about 0",
        ),
    ),
    key=("sentence_id",),
)

PARASCORES = Table(
    "parascores",
    columns(
        column("sentence_id", pa.string(), description="of the sentence that is paraphrased"),
        column("slot", pa.int16(), description="of the paraphrase, in the order of the answer"),
        column("f1", pa.float64(), description="BERTScore, not rescaled"),
        column("distance", pa.float64(), description="edits in characters over the longer length, in [0, 1]"),
        column("parascore", pa.float64(), description="ParaScore without references"),
    ),
    key=("sentence_id", "slot"),
)

NEIGHBOURS = Table(
    "neighbours",
    columns(
        column("anchor", pa.string(), description="sentence of one or more pairs"),
        column("positive", pa.float32(), description="lowest cosine of the anchor with one of its positives"),
        column(
            "rows",
            pa.list_(pa.int32()),
            description="of the pair set, from 0: their positives are near the anchor and none of its own",
        ),
        column("cosines", pa.list_(pa.float32()), description="of these positives and the anchor, falling"),
    ),
    key=("anchor",),
)

RELEVANCE = Table(
    "relevance",
    columns(
        column("anchor", pa.string(), description="sentence of one or more pairs"),
        column("text", pa.string(), description="positive or hard negative of the anchor"),
        column("score", pa.float32(), description="output of the cross-encoder, before any activation"),
    ),
    key=("anchor", "text"),
)

DETECTIONS = Table(
    "detections",
    columns(
        column("id", pa.string(), description="of the pair, whose positive is judged"),
        column(
            "logit",
            pa.float64(),
            description="of human minus that of machine: p(human) = sigmoid(logit / temperature)",
        ),
        column("fold", pa.int16(), description="of the classifier that judged it, from 0"),
        column("seen", pa.bool_(), description="that classifier was trained on this text"),
    ),
    key=("id",),
)

HELD_OUT = Table(
    "held_out",
    columns(
        column("fold", pa.int16(), description="of the classifier, from 0"),
        column("number", pa.int32(), description="among its held-out texts, from 0"),
        column("text", pa.string(), description="the text that is judged"),
        column("human", pa.bool_(), description="whether a human wrote it"),
        column("logit", pa.float64(), description="as in DETECTIONS"),
    ),
    key=("fold", "number"),
)

LINGUISTICS = Table(
    "linguistics",
    columns(
        column(
            "group",
            pa.string(),
            description="human | top | bottom: machine texts of highest and lowest p(human)",
        ),
        column("texts", pa.string(), description="all | equal: of every group as many as in the smallest"),
        column(
            "partner",
            pa.string(),
            description="of a human sentence: all | positive pairs; of a machine text: source",
        ),
        column("measure", pa.string(), description="bleu1, jaccard, distinct1, zipf ..."),
        column("value", pa.float64(), description="BLEU, Jaccard and Distinct in [0, 1]; zipf: the exponent"),
        column("n", pa.int32(), description="texts"),
    ),
    key=("group", "texts", "partner", "measure"),
)

DECILES = Table(
    "deciles",
    columns(
        column("tenth", pa.int16(), description="1: the tenth of highest p(human) ... 10"),
        column(
            "level",
            pa.string(),
            description="label that the text was to have, 1, 0.5, 0; random: a random pair",
        ),
        column("share", pa.float64(), description="of the rows of this tenth"),
        column("n", pa.int32(), description="rows of this tenth and level"),
        column("logit", pa.float64(), description="mean of the tenth"),
    ),
    key=("tenth", "level"),
)
