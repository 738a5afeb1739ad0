"""Tables of the stage corpus: sentences, and how they were drawn."""

import pyarrow as pa

from contrapose.tables.parquet import Table

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
