"""Tables of the stage corpus: sentences, and how they were drawn."""

from contrapose.tables.parquet import float64, int16, int32, int64, string, table

PUNKT = table(
    "punkt",
    ("kind", "token", "second"),
    string("kind", "The kind of parameter: abbreviation, collocation, starter or orthography"),
    string("token", "The abbreviation or word, or the first token of a collocation"),
    string("second", "The second token of a collocation, otherwise empty"),
    int32("flags", "Punkt's orthographic context bits, otherwise 0"),
    description="This table holds the parameters of Punkt, which splits English text into sentences.",
)

DRAWS = table(
    "draws",
    ("draw", "rank"),
    int64("draw", "The number of the draw in the corpus, from 0"),
    int16("rank", "The place within the draw: method 3 accepts up to 4 sentences"),
    string("article_id", "The id of the article that contains the sentence"),
    int32("position", "The position in the article, from 0; -1 if the draw was rejected earlier"),
    string("text", "The sentence; empty if it was rejected"),
    int32("words", "The number of NLTK tokens; 0 if the draw was rejected before they were counted"),
    string("rejected", "The reason of the rejection; empty for an accepted sentence"),
    description="Each row is a draw of a sampled corpus, accepted or rejected.",
)

SEGMENTS = table(
    "segments",
    ("article_id", "position"),
    float64("rank", "The place in the shuffle, uniform in [0, 1); rows are in this order"),
    string("article_id", "The id of the article that contains the sentence"),
    int32("position", "The position of the sentence in its article, from 0"),
    string("text", "The sentence as it was split, not tokenised"),
    description="Each row is a sentence of a collection that can come into a segmented corpus.",
)

SENTENCES = table(
    "sentences",
    ("id",),
    string("id", "The article id, a colon and the position: the same in every corpus"),
    string("text", "The sentence"),
    string("article_id", "The id of the article; the file of a published corpus, or the task"),
    int32("position", "The position in the article, or the line of the file, from 0"),
    int32(
        "words",
        "The number of NLTK tokens with punctuation; characters in evaluation sets; words by "
        "Moses or MeCab in segmented corpora",
    ),
    description="Each row is a sentence of a corpus.",
)
