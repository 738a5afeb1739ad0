"""Types of what `build` of a step reads: tables of earlier steps."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.jobs.status import read_pairs
from contrapose.jobs.step import Rows
from contrapose.tables import (
    DETECTIONS,
    NEIGHBOURS,
    PAIRS,
    PARAPHRASES,
    RELEVANCE,
    SENTENCES,
    SYNTHETIC,
    TRIPLETS,
    read_table,
)


class PairRows(Rows):
    """The rows of a PAIRS table; without any, the reason is raised."""

    def __call__(self, files: list[str]) -> pd.DataFrame:
        return read_pairs(files[0])


def _corpus_texts(files: list[str]) -> Sequence[str]:
    return [text for file in files for text in read_table(file, SENTENCES, ["text"]).text]


# Types of the parameters of `build`, which returns Pairs.
Sentences = Annotated[pd.DataFrame, Rows(SENTENCES)]

Paraphrases = Annotated[pd.DataFrame, Rows(PARAPHRASES)]

Triplets = Annotated[pd.DataFrame, Rows(TRIPLETS)]

Synthetic = Annotated[pd.DataFrame, Rows(SYNTHETIC)]

Pairs = Annotated[pd.DataFrame, PairRows(PAIRS)]

PairPieces = Iterator[Pairs]  # one after the other, at least one; the status of the first is that of all

Detections = Annotated[pd.DataFrame, Rows(DETECTIONS)]

Neighbours = Annotated[pd.DataFrame, Rows(NEIGHBOURS)]

Relevance = Annotated[pd.DataFrame, Rows(RELEVANCE)]

CorpusTexts = Annotated[Sequence[str], _corpus_texts]  # its sentences; none without a corpus


def pairs_of_texts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each `anchor` with each `text` that is its positive or hard negative, both together once."""
    sides = (
        pairs[["anchor", side]].set_axis(["anchor", "text"], axis=1) for side in ("positive", "negatives")
    )
    return pd.concat([each.explode("text") for each in sides]).dropna().drop_duplicates(ignore_index=True)


Slots = Annotated[
    int,
    Field(
        ge=1,
        description="The pair set is made in this many versions, each with other random choices. The "
        "first epoch trains on version 0, the second on version 1, and so on; after the last version, "
        "the first one follows. With 1, every epoch trains on the same pairs.",
    ),
]
