"""Tables of the stage score: measurements of generated texts."""

import pyarrow as pa

from contrapose.tables.parquet import boolean, column, float32, float64, int16, int32, int64, string, table

PERPLEXITIES = table(
    "perplexities",
    ("sentence_id", "number"),
    string("sentence_id", "of the sentence that is rewritten"),
    int16("number", "of the candidate in REWRITES"),
    float64("perplexity", "of the candidate, exp of the mean nats per token"),
    nullable=("perplexity",),  # missing for a text that is empty or too long for the language model
    description="Each row is the perplexity of a rewritten sentence.",
)

REWRITE_STATISTICS = table(
    "rewrite_statistics",
    ("measure", "relation"),
    string("measure", "candidates, bleu, offered, kept ..."),
    string("relation", "that it is about; empty: all, and what has no class"),
    float64("value", "candidates a sentence; shares, BLEU in [0, 1]; perplexity"),
    int64("n", "sentences or candidates behind it; `offered`, `kept`: those of the relation"),
    description="Each row is a statistic of the candidates of a dictionary.",
)

SIMILARITIES = table(
    "similarities",
    ("sentence_id", "slot"),
    string("sentence_id", "of the sentence that is paraphrased"),
    int16("slot", "of the paraphrase, in the order of the answer"),
    float64("cosine", "of sentence and paraphrase, in [-1, 1]"),
    description="Each row is the cosine of a sentence with one of its paraphrases.",
)

SLOT_SCORES = table(
    "slot_scores",
    ("sentence_id", "slot"),
    string("sentence_id", "of the sentence that is paraphrased"),
    int16("slot", "0..4, in the order of the answer"),
    float64("cosine", "of sentence and paraphrase, in [-1, 1]"),
    float64("similarity", "(cosine + 1) / 2"),
    float64("bleu", "hypothesis: the sentence; only reference: this paraphrase"),
    description="Each row holds similarity and BLEU of a paraphrase.",
)

SENTENCE_SCORES = table(
    "sentence_scores",
    ("sentence_id",),
    string("sentence_id", "of the sentence that is paraphrased"),
    float64("similarity", "mean of (cosine + 1) / 2 over the paraphrases"),
    float64("bleu", "hypothesis: the sentence; references: all its paraphrases"),
    float64("total", "(similarity + 1 - bleu) / 2, higher is better"),
    float64("cosine", "mean over the paraphrases"),
    float64("bleu_single", "mean of BLEU with one paraphrase as reference"),
    float64("bleu_characters", "as bleu, of characters: NLTK on plain texts"),
    boolean("common_4gram", "a paraphrase keeps four words in a row; if not, bleu is about 0"),
    description="Each row holds similarity and BLEU of all paraphrases of a sentence.",
)

PARASCORES = table(
    "parascores",
    ("sentence_id", "slot"),
    string("sentence_id", "of the sentence that is paraphrased"),
    int16("slot", "of the paraphrase, in the order of the answer"),
    float64("f1", "BERTScore, not rescaled"),
    float64("distance", "edits in characters over the longer length, in [0, 1]"),
    float64("parascore", "ParaScore without references"),
    description="Each row is the ParaScore of a paraphrase.",
)

TAGS = table(
    "tags",
    ("id",),
    string("id", "of the sentence in its corpus"),
    string("words", "as they are written, one blank between; punctuation marks are words"),
    string("tags", "of the Penn Treebank, one of each word, one blank between"),
    string("bases", "base forms of verbs in the third person or past tense, else the words; lower case"),
    description="Each row holds the words of a sentence with their parts of speech.",
)

SYNONYMS = table(
    "synonyms",
    ("word", "tag"),
    string("word", "as it is written in a sentence"),
    string("tag", "of the Penn Treebank"),
    column("synonyms", pa.list_(pa.string()), "of the word in this part of speech, of one or more words"),
    description="Each row holds the synonyms of a word.",
)

NEIGHBOURS = table(
    "neighbours",
    ("anchor",),
    string("anchor", "sentence of one or more pairs"),
    float32("positive", "lowest cosine, or score, of the anchor with one of its positives"),
    column(
        "rows",
        pa.list_(pa.int32()),
        "of the pair set, from 0, then of a corpus: their texts are near the anchor and none of its own",
    ),
    column("cosines", pa.list_(pa.float32()), "of these texts and the anchor, or scores instead; falling"),
    description="Each row holds the nearest texts of an anchor.",
)

RELEVANCE = table(
    "relevance",
    ("anchor", "text"),
    string("anchor", "sentence of one or more pairs"),
    string("text", "positive or hard negative of the anchor"),
    float32(
        "score",
        "output of a cross-encoder before any activation; cosine by an encoder; 0 to 5 of a language model",
    ),
    description="Each row is the score of an anchor with its positive or a hard negative.",
)

PAIR_SAMPLES = table(
    "pair_samples",
    ("id",),
    string("id", "of the pair"),
    string("anchor", "sentence of the pair"),
    string("positive", "text that is to be near the anchor"),
    string("negative", "hard negatives, ` / ` between them; missing if none"),
    float32("label", "regression target of the pair"),
    float64("cosine", "of anchor and positive by an encoder, in [-1, 1]"),
    float64("negative_cosine", "likewise of the anchor and its hard negatives, their mean"),
    nullable=("negative", "label", "negative_cosine"),
    description="Each row is a sampled pair, with its cosines.",
)

DETECTIONS = table(
    "detections",
    ("id",),
    string("id", "of the pair, whose positive is judged"),
    float64("logit", "of human minus that of machine: p(human) = sigmoid(logit / temperature)"),
    int16("fold", "of the classifier that judged it, from 0"),
    boolean("seen", "that classifier was trained on this text"),
    description="Each row is the judgement of a detector on a synthetic text.",
)

HELD_OUT = table(
    "held_out",
    ("fold", "number"),
    int16("fold", "of the classifier, from 0"),
    int32("number", "among its held-out texts, from 0"),
    string("text", "the text that is judged"),
    boolean("human", "whether a human wrote it"),
    float64("logit", "as in DETECTIONS"),
    description="Each row is the judgement of a detector on a text that it was not trained on.",
)

LINGUISTICS = table(
    "linguistics",
    ("group", "texts", "partner", "measure"),
    string("group", "human | top | bottom: machine texts of highest and lowest p(human)"),
    string("texts", "all | equal: of every group as many as in the smallest"),
    string("partner", "of a human sentence: all | positive pairs; of a machine text: source"),
    string("measure", "bleu1, jaccard, distinct1, zipf ..."),
    float64("value", "BLEU, Jaccard and Distinct in [0, 1]; zipf: the exponent"),
    int32("n", "texts"),
    description="Each row is a linguistic feature of a group of texts.",
)

DECILES = table(
    "deciles",
    ("tenth", "level"),
    int16("tenth", "1: the tenth of highest p(human) ... 10"),
    string("level", "label that the text was to have, 1, 0.5, 0; random: a random pair"),
    float64("share", "of the rows of this tenth"),
    int32("n", "rows of this tenth and level"),
    float64("logit", "mean of the tenth"),
    description="Each row is the share of a label in a tenth of synthetic pairs.",
)
