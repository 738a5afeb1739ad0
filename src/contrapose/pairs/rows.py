"""The columns of a PAIRS table, with what most strategies leave at its default."""

import pandas as pd


def as_pairs(
    id: pd.Series,
    anchor: pd.Series,
    positive: pd.Series,
    slot: pd.Series | int = 0,
    view: int = 0,
    negative: pd.Series | None = None,
    weight: pd.Series | float = 1.0,
) -> pd.DataFrame:
    """Put columns together as a PAIRS table.

    Parameters
    ----------
    id, anchor, positive : Series of str, all of one length
    slot : Series of int or int
        Epoch e trains on slot e mod n_slots.
    view : int
        One loss term per view.
    negative : Series of str, optional
        Hard negatives.
    weight : Series of float or float
        Importance of the rows.
    """
    columns = {
        "id": id,
        "slot": slot,
        "view": view,
        "anchor": anchor,
        "positive": positive,
        "negative": negative,
        "label": float("nan"),
        "weight": weight,
    }
    # By place: rows of different tables keep their own index.
    plain = {name: each.array if isinstance(each, pd.Series) else each for name, each in columns.items()}
    types = {"slot": "int16", "view": "int16", "label": "float32", "weight": "float32"}
    return pd.DataFrame(plain).astype(types)
