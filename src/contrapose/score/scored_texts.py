"""Sentences and their paraphrases, as they are scored."""

from typing import Annotated

import pandas as pd

from contrapose.base.errors import UnavailableError
from contrapose.jobs.status import read_pairs, read_status
from contrapose.pairs.pair_rows import by_sentence
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.tables import PARAPHRASES, SENTENCES, read_table


def read_texts(files: list[str]) -> pd.DataFrame:
    """Read a PAIRS table of sentences and paraphrases: of one file, or a language model's.

    The latter are in two files, SENTENCES and PARAPHRASES.  Raises an UnavailableError if there are none.
    """
    if len(files) == 1:
        return by_sentence(read_pairs(files[0]))
    sentences = read_table(files[0], SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(files[1], PARAPHRASES))
    if why := read_status(pairs.attrs).unavailable:
        raise UnavailableError(why)
    return pairs


Texts = Annotated[pd.DataFrame, read_texts]
