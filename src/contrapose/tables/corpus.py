"""Tables of the stage corpus: sentences, and how they were drawn."""

from contrapose.tables.parquet import float64, int16, int32, int64, string, table

PUNKT = table(
    "punkt",
    ("kind", "token", "second"),
    string("kind", "abbreviation | collocation | starter | orthography"),
    string("token", "the abbreviation or word, first token of a collocation"),
    string("second", "second token of a collocation, else empty"),
    int32("flags", "Punkt's orthographic context bits, else 0"),
    description="This table holds the parameters of Punkt, which splits English text into sentences.",
)

DRAWS = table(
    "draws",
    ("draw", "rank"),
    int64("draw", "number of the draw in the corpus, from 0"),
    int16("rank", "place within the draw: method 3 takes up to 4 sentences"),
    string("article_id", "of the article that the sentence is in"),
    int32("position", "in the article, from 0; -1 if rejected before"),
    string("text", "empty if rejected"),
    int32("words", "NLTK tokens; 0 if rejected before they were counted"),
    string("rejected", "reason, or empty for an accepted sentence"),
    description="Each row is a draw of a sampled corpus, accepted or rejected.",
)

SEGMENTS = table(
    "segments",
    ("article_id", "position"),
    float64("rank", "uniform in [0, 1), the place in the shuffle; rows are in this order"),
    string("article_id", "of the article that the sentence is in"),
    int32("position", "of the sentence in its article, from 0"),
    string("text", "as it was split, not tokenised"),
    description="Each row is a sentence of a collection that can come into a segmented corpus.",
)

SENTENCES = table(
    "sentences",
    ("id",),
    string("id", "article id, a colon, position: the same in every corpus"),
    string("text", "the sentence"),
    string("article_id", "of a published corpus its file, of tasks the task"),
    int32("position", "in the article, or line of the file, from 0"),
    int32(
        "words",
        "NLTK tokens, punctuation counts; of evaluation sets characters; of a segmented "
        "corpus the words of `corpus.languages`, Moses's or MeCab's",
    ),
    description="Each row is a sentence of a corpus.",
)
