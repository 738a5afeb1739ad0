"""Helpers that strategies share: samples of rows, and the columns of a PAIRS table."""

import logging
from collections.abc import Iterable, Iterator
from typing import Literal

import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.jobs.status import with_status
from contrapose.settings.refs import as_number
from contrapose.tables import PAIRS, ROWS_PER_GROUP, empty

logger = logging.getLogger(__name__)

FEWEST = 2  # pairs in a set: the positive of one pair is a negative of another


def sampled(
    rows: pd.DataFrame,
    wanted: int | str | None,
    draw: int,
    what: str,
    dev: int | str | None = None,
    part: Literal["train", "dev"] = "train",
) -> pd.DataFrame:
    """Return the rows of a table that become pairs.

    `wanted`: None is every row, in table order, or in the order of the draw if rows are held out.  Else a
        sample without replacement, in the order of the draw: a small one is the head of a larger one of that
        `draw`, which is its seed.
    `what`: `sentences` or `triplets`, which selects the random numbers and is named in the error.
    `dev`: number of rows held out, the first of the draw: the same ones for every `wanted`.
    `part`: `dev` are the held-out rows, `train` the wanted rows after them.

    Raises TableError if there are fewer rows than wanted.
    """
    wanted, dev = as_number(wanted), as_number(dev) or 0
    if wanted is None and dev == 0:
        return rows
    needed = dev if part == "dev" else dev + (1 if wanted is None else wanted)
    if len(rows) < needed:
        held = f", {dev} of which are dev pairs" if dev else ""
        raise TableError(
            f"{what}: there are {len(rows)}, but the pair set needs {needed}{held}. Lower its size, "
            "or remove the size to use all of them."
        )
    order = generator("pairs", what, draw).permutation(len(rows))
    if part == "dev":
        return rows.iloc[order[:dev]]
    return rows.iloc[order[dev:] if wanted is None else order[dev:needed]]


def row_groups(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the rows of a table, as many at a time as a table has in memory when it is written in pieces."""
    for start in range(0, max(1, len(rows)), ROWS_PER_GROUP):
        yield rows.iloc[start : start + ROWS_PER_GROUP]


def whole(pieces: pd.DataFrame | Iterator[pd.DataFrame]) -> pd.DataFrame:
    """Return pairs that a strategy made in pieces as one table."""
    parts = [pieces] if isinstance(pieces, pd.DataFrame) else list(pieces)
    return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)


def no_pairs(why: str) -> pd.DataFrame:
    """Return an empty PAIRS table that is not trained on; tables print `why`, which has no full stop."""
    logger.warning("skipped: %s", why)
    return with_status(empty(PAIRS), unavailable=why)


def too_few(kind: str, dropped: str, left: int, wanted: int) -> pd.DataFrame:
    """Return an empty PAIRS table, as fewer pairs of a kind are left than wanted.

    `dropped`: which rows are not used, and why, without a full stop; empty if all are.
    """
    counts = f"{dropped}, and {left} remain" if dropped else f"there are {left}"
    lower = ", or lower the size of this pair set" if wanted > FEWEST else ""
    return no_pairs(f"pairs of kind {kind}: {counts}, but {wanted} are needed. Add sentences or texts{lower}")


def as_pairs(
    id: pd.Series,
    anchor: pd.Series,
    positive: pd.Series,
    slot: pd.Series | int = 0,
    view: int = 0,
    negatives: pd.Series | None = None,
    negative_scores: pd.Series | None = None,
    label: pd.Series | float = float("nan"),
    weight: pd.Series | float = 1.0,
) -> pd.DataFrame:
    """Put columns, all of one length, together as a PAIRS table.

    `slot`: epoch e trains on slot e mod n_slots.
    `view`: one loss term per view.
    `negatives`: hard negatives of each row, any number; see `in_lists` for one or none.
    `negative_scores`: one for each hard negative.
    `label`: what the cosine should be; missing for contrastive pairs.
    `weight`: importance of the rows.
    """
    columns = {
        "id": id,
        "slot": slot,
        "view": view,
        "anchor": anchor,
        "positive": positive,
        "negatives": _lists(negatives, len(id)),
        "negative_scores": _lists(negative_scores, len(id)),
        "label": label,
        "weight": weight,
    }
    # By position: the index differs between series of different tables.
    plain = {name: each.array if isinstance(each, pd.Series) else each for name, each in columns.items()}
    types = {"slot": "int16", "view": "int16", "label": "float32", "weight": "float32"}
    return pd.DataFrame(plain).astype(types)


def rows_kept(pairs: pd.DataFrame, kept: pd.Series, without: str) -> pd.DataFrame:
    """Return the rows of PAIRS that are `kept`, in all the slots that there were.

    A row goes with the rows of its slot in other views.  An id with fewer rows than slots has each again, in
    their order, so that every epoch still sees every id that has any.  The status says how many rows went, by
    what they are `without`; if fewer than two ids are left, the table is empty.
    """
    slots = int(pairs.slot.max()) + 1
    complete = kept.groupby([pairs.id, pairs.slot]).transform("all")
    left = pairs[complete]
    dropped = f"{len(pairs) - len(left)} of {len(pairs)} rows without {without} are dropped"
    logger.info("%s", dropped)
    if left.id.nunique() < FEWEST:
        return no_pairs(f"pairs: {dropped}, and too few remain")
    by_id = left.groupby(["id", "view"])
    place, count = by_id.cumcount(), by_id.slot.transform("size")
    parts = [left[place == slot % count].assign(slot=slot) for slot in range(slots)]
    table = pd.concat(parts, ignore_index=True).astype({"slot": "int16"})
    return with_status(table, skipped=[dropped] if len(left) < len(pairs) else [])


def in_lists(texts: Iterable[str]) -> pd.Series:
    """Return each text as a list of one, and an empty list where it is missing."""
    return pd.Series([[] if pd.isna(text) else [text] for text in texts], dtype=object)


def _lists(lists: pd.Series | None, count: int) -> pd.Series:
    # One list for all rows: a million would keep Python's garbage collector busy.
    return pd.Series([[]] * count, dtype=object) if lists is None else lists


def by_sentence(pairs: pd.DataFrame) -> pd.DataFrame:
    """Make pairs with the same anchor paraphrases of one sentence: one id, and slots 0, 1 ... in their order.

    So sentences may differ in their number of paraphrases.  Takes and returns PAIRS.
    """
    of_anchor = pairs.groupby("anchor", sort=False)
    return pairs.assign(id=of_anchor.id.transform("first"), slot=of_anchor.cumcount().astype("int16"))
