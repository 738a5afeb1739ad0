"""Sentences and their paraphrases, of a pair set or of a language model, as they are scored."""

from typing import Annotated

import pandas as pd

from contrapose.base.errors import UnavailableError
from contrapose.jobs.status import read_pairs, read_status
from contrapose.pairs.pair_rows import by_sentence
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.tables import PARAPHRASES, SENTENCES, read_table


def read_texts(files: list[str]) -> pd.DataFrame:
    """Read sentences and their paraphrases as PAIRS, an id for each sentence and a slot for each paraphrase.

    `files`: a PAIRS table; or the SENTENCES of a corpus, then the PARAPHRASES that a language model wrote of
        them.  Raises an UnavailableError if there are fewer than two such pairs.
    """
    if len(files) == 1:
        return by_sentence(read_pairs(files[0]))
    sentences, paraphrases = files
    pairs = paraphrase_pairs(read_table(sentences, SENTENCES), read_table(paraphrases, PARAPHRASES))
    if why := read_status(pairs.attrs).unavailable:
        raise UnavailableError(why)
    return pairs


Texts = Annotated[pd.DataFrame, read_texts]
