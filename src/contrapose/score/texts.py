"""Sentences and their paraphrases, as they are scored."""

from collections.abc import Mapping

import pandas as pd

from contrapose.errors import LackingError
from contrapose.left_out import read_pairs
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.tables import PARAPHRASES, SENTENCES, read_table


def read_texts(files: Mapping[str, str]) -> pd.DataFrame:
    """Read a PAIRS table of sentences and paraphrases: the `pairs` of a file, or a language model's.

    The latter are in the files `sentences` and `paraphrases`.  Raises a LackingError if there are none.
    """
    if "pairs" in files.keys():  # noqa: SIM118 - Snakemake's input is a list with names
        return by_sentence(read_pairs(files["pairs"]))
    sentences = read_table(files["sentences"], SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(files["paraphrases"], PARAPHRASES))
    if why := pairs.attrs.get("lacking"):
        raise LackingError(why)
    return pairs


def by_sentence(pairs: pd.DataFrame) -> pd.DataFrame:
    """Make pairs with the same anchor paraphrases of one sentence: one id, and slots 0, 1 ... in their order.

    So sentences may differ in their number of paraphrases.  Takes and returns PAIRS.
    """
    of_anchor = pairs.groupby("anchor", sort=False)
    return pairs.assign(id=of_anchor.id.transform("first"), slot=of_anchor.cumcount().astype("int16"))
