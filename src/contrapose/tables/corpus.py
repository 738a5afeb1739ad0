"""Tables of the stage corpus: sentences, and how they were drawn."""

import pyarrow as pa

from contrapose.tables.parquet import Table, column, columns

PUNKT = Table(
    "punkt",
    columns(
        column("kind", pa.string(), description="abbreviation | collocation | starter | orthography"),
        column("token", pa.string(), description="the abbreviation or word, first token of a collocation"),
        column("second", pa.string(), description="second token of a collocation, else empty"),
        column("flags", pa.int32(), description="Punkt's orthographic context bits, else 0"),
    ),
    key=("kind", "token", "second"),
)

DRAWS = Table(
    "draws",
    columns(
        column("draw", pa.int64(), description="number of the draw in the corpus, from 0"),
        column("rank", pa.int16(), description="place within the draw: method 3 takes up to 4 sentences"),
        column("article_id", pa.string(), description="of the article that the sentence is in"),
        column("position", pa.int32(), description="in the article, from 0; -1 if rejected before"),
        column("text", pa.string(), description="empty if rejected"),
        column("words", pa.int32(), description="NLTK tokens; 0 if rejected before they were counted"),
        column("rejected", pa.string(), description="reason, or empty for an accepted sentence"),
    ),
    key=("draw", "rank"),
)

SEGMENTS = Table(
    "segments",
    columns(
        column(
            "rank",
            pa.float64(),
            description="uniform in [0, 1), the place in the shuffle; rows are in this order",
        ),
        column("article_id", pa.string(), description="of the article that the sentence is in"),
        column("position", pa.int32(), description="of the sentence in its article, from 0"),
        column("text", pa.string(), description="as it was split, not tokenised"),
    ),
    key=("article_id", "position"),
)

SENTENCES = Table(
    "sentences",
    columns(
        column("id", pa.string(), description="article id, a colon, position: the same in every corpus"),
        column("text", pa.string(), description="the sentence"),
        column("article_id", pa.string(), description="of a published corpus its file, of tasks the task"),
        column("position", pa.int32(), description="in the article, or line of the file, from 0"),
        column(
            "words",
            pa.int32(),
            description="NLTK tokens, punctuation counts; of evaluation sets characters; of a segmented "
            "corpus the words of `corpus.languages`, Moses's or MeCab's",
        ),
    ),
    key=("id",),
)
