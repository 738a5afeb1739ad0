"""Tables of the stage score: measurements of generated texts."""

import pyarrow as pa

from contrapose.tables.parquet import boolean, column, float32, float64, int16, int32, int64, string, table

PERPLEXITIES = table(
    "perplexities",
    ("sentence_id", "number"),
    string("sentence_id", "The id of the sentence that is rewritten"),
    int16("number", "The number of the candidate in REWRITES"),
    float64("perplexity", "The perplexity of the candidate: exp of the mean nats per token"),
    nullable=("perplexity",),  # missing for a text that is empty or too long for the language model
    description="Each row is the perplexity of a rewritten sentence.",
)

REWRITE_STATISTICS = table(
    "rewrite_statistics",
    ("measure", "relation"),
    string("measure", "The statistic: candidates, bleu, offered, kept ..."),
    string("relation", "The relation of the rules; empty for all together, and for rules without a class"),
    float64("value", "Candidates per sentence, a share or BLEU in [0, 1], or a perplexity"),
    int64("n", "The number of sentences or candidates; for `offered` and `kept`, those of the relation"),
    description="Each row is a statistic of the candidates of a dictionary.",
)

SIMILARITIES = table(
    "similarities",
    ("sentence_id", "slot"),
    string("sentence_id", "The id of the sentence that is paraphrased"),
    int16("slot", "The place of the paraphrase in the answer"),
    float64("cosine", "The cosine of sentence and paraphrase, in [-1, 1]"),
    description="Each row is the cosine of a sentence with one of its paraphrases.",
)

SLOT_SCORES = table(
    "slot_scores",
    ("sentence_id", "slot"),
    string("sentence_id", "The id of the sentence that is paraphrased"),
    int16("slot", "The place in the answer, 0 to 4"),
    float64("cosine", "The cosine of sentence and paraphrase, in [-1, 1]"),
    float64("similarity", "The similarity (cosine + 1) / 2"),
    float64("bleu", "BLEU of the sentence, with this paraphrase as the only reference"),
    description="Each row holds similarity and BLEU of a paraphrase.",
)

SENTENCE_SCORES = table(
    "sentence_scores",
    ("sentence_id",),
    string("sentence_id", "The id of the sentence that is paraphrased"),
    float64("similarity", "The mean of (cosine + 1) / 2 over the paraphrases"),
    float64("bleu", "BLEU of the sentence, with all its paraphrases as references"),
    float64("total", "(similarity + 1 - bleu) / 2; higher is better"),
    float64("cosine", "The mean cosine over the paraphrases"),
    float64("bleu_single", "The mean of BLEU with one paraphrase as reference"),
    float64("bleu_characters", "BLEU of characters, which NLTK computes on plain texts"),
    boolean("common_4gram", "Whether a paraphrase keeps four words in a row; if not, bleu is about 0"),
    description="Each row holds similarity and BLEU of all paraphrases of a sentence.",
)

PARASCORES = table(
    "parascores",
    ("sentence_id", "slot"),
    string("sentence_id", "The id of the sentence that is paraphrased"),
    int16("slot", "The place of the paraphrase in the answer"),
    float64("f1", "BERTScore, not rescaled"),
    float64("distance", "The edit distance in characters, divided by the longer length, in [0, 1]"),
    float64("parascore", "ParaScore without references"),
    description="Each row is the ParaScore of a paraphrase.",
)

TAGS = table(
    "tags",
    ("id",),
    string("id", "The id of the sentence in its corpus"),
    string("words", "The words with one space between them; punctuation marks are words"),
    string("tags", "The tags of the Penn Treebank, one for each word, with one space between them"),
    string(
        "bases", "The base forms of verbs in the third person or past tense, otherwise the words; lower case"
    ),
    description="Each row holds the words of a sentence with their parts of speech.",
)

SYNONYMS = table(
    "synonyms",
    ("word", "tag"),
    string("word", "The word as it occurs in a sentence"),
    string("tag", "The tag of the Penn Treebank"),
    column(
        "synonyms",
        pa.list_(pa.string()),
        "The synonyms of the word in this part of speech, of one or more words",
    ),
    description="Each row holds the synonyms of a word.",
)

NEIGHBOURS = table(
    "neighbours",
    ("anchor",),
    string("anchor", "The sentence of one or more pairs"),
    float32("positive", "The lowest cosine, or score, of the anchor with one of its positives"),
    column(
        "rows",
        pa.list_(pa.int32()),
        "The rows of the pair set, from 0, and then of a corpus, whose texts are near the anchor; "
        "none are its own",
    ),
    column(
        "cosines",
        pa.list_(pa.float32()),
        "The cosines or scores of these texts with the anchor, in falling order",
    ),
    description="Each row holds the nearest texts of an anchor.",
)

RELEVANCE = table(
    "relevance",
    ("anchor", "text"),
    string("anchor", "The sentence of one or more pairs"),
    string("text", "The positive or hard negative of the anchor"),
    float32(
        "score",
        "The output of a cross-encoder before activation, the cosine of an encoder, or 0 to 5 of "
        "a language model",
    ),
    description="Each row is the score of an anchor with its positive or a hard negative.",
)

PAIR_SAMPLES = table(
    "pair_samples",
    ("id",),
    string("id", "The id of the pair"),
    string("anchor", "The sentence of the pair"),
    string("positive", "The text that should be close to the anchor"),
    string("negative", "The hard negatives, with ` / ` between them; missing if there are none"),
    float32("label", "The regression target of the pair"),
    float64("cosine", "The cosine of anchor and positive by an encoder, in [-1, 1]"),
    float64("negative_cosine", "The mean cosine of anchor and hard negatives by the encoder before training"),
    nullable=("negative", "label", "negative_cosine"),
    description="Each row is a sampled pair, with its cosines.",
)

DETECTIONS = table(
    "detections",
    ("id",),
    string("id", "The id of the pair, whose positive is judged"),
    float64("logit", "The logit of human minus that of machine: p(human) = sigmoid(logit / temperature)"),
    int16("fold", "The fold of the classifier that judged it, from 0"),
    boolean("seen", "Whether that classifier was trained on this text"),
    description="Each row is the judgement of a detector on a synthetic text.",
)

HELD_OUT = table(
    "held_out",
    ("fold", "number"),
    int16("fold", "The fold of the classifier, from 0"),
    int32("number", "The number of the text among its held-out texts, from 0"),
    string("text", "The text that is judged"),
    boolean("human", "Whether a human wrote it"),
    float64("logit", "The logit, as in DETECTIONS"),
    description="Each row is the judgement of a detector on a text that it was not trained on.",
)

LINGUISTICS = table(
    "linguistics",
    ("group", "texts", "partner", "measure"),
    string("group", "human, or the machine texts of highest (top) or lowest (bottom) p(human)"),
    string("texts", "The texts of each group: all of them, or as many as in the smallest group (equal)"),
    string(
        "partner",
        "The other text of the pair: all or positive pairs of a human sentence, source of a machine text",
    ),
    string("measure", "The feature, such as bleu1, jaccard, distinct1 or zipf"),
    float64("value", "BLEU, Jaccard and Distinct are in [0, 1]; zipf is the exponent"),
    int32("n", "The number of texts"),
    description="Each row is a linguistic feature of a group of texts.",
)

DECILES = table(
    "deciles",
    ("tenth", "level"),
    int16("tenth", "The tenth by p(human), from 1 (highest) to 10"),
    string("level", "The label that the text was written for: 1, 0.5 or 0; or random for a random pair"),
    float64("share", "The share of the rows of this tenth"),
    int32("n", "The number of rows of this tenth and level"),
    float64("logit", "The mean logit of the tenth"),
    description="Each row is the share of a label in a tenth of synthetic pairs.",
)
