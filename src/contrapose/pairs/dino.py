"""Pairs of a sentence and a text that a language model wrote for it.  DINO (methods 4.4)."""

import pandas as pd


def levels(ids: pd.Series) -> pd.Series:
    """Return the label that the text of each pair was to have, `1`, `0.5`, `0`; `random` for a random pair.

    Parameters
    ----------
    ids : Series of str
        `{sentence}/{label}/{entry}`, or `{sentence}/random/{number}`.
    """
    return ids.str.rsplit("/", n=2).str[1]
