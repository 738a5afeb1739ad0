"""The rows of a PAIRS table as batches, in the order of training."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from contrapose.errors import TableError
from contrapose.seeds import generator
from contrapose.train.tokens import Tokens, tokenised


@dataclass(frozen=True)
class TokenisedPairs:
    """A PAIRS table with numbers of texts in place of texts."""

    tokens: Tokens
    slots: list[np.ndarray]  # slot j: (rows, 2) anchor and positive, or (rows, 3) with negative; int64


def tokenised_pairs(pairs: pd.DataFrame, tokenizer: Any, max_length: int) -> TokenisedPairs:
    """Tokenise each distinct text of a PAIRS table once.

    What stays is 4 bytes per token of the distinct texts and 16 bytes per row.  Beside the table itself it
    needs up to 2.7 kB for a sentence with five paraphrases on the way: 2.7 GB for a million of them.

    Parameters
    ----------
    pairs : PAIRS table
    tokenizer : tokenizer of `transformers`
    max_length : int
        Tokens kept of a text, special tokens included.  Texts that lose some are counted in the log.

    Raises
    ------
    TableError
        The table is one that in-batch contrastive training cannot use as it is.
    """
    _check(pairs)
    sides = ["anchor", "positive"] + ([] if pairs.negative.isna().all() else ["negative"])
    columns = pd.concat([pairs[side] for side in sides], ignore_index=True)
    numbers, texts = pd.factorize(columns)
    rows = numbers.reshape(len(sides), len(pairs)).T.astype(np.int64)  # (rows, sides)
    slot = pairs.slot.to_numpy()
    slots = [rows[slot == each] for each in range(int(slot.max()) + 1)]
    return TokenisedPairs(tokenised(texts, tokenizer, max_length), slots)


def distinct_texts(pairs: pd.DataFrame) -> list[str]:
    """Return every text of a PAIRS table once: anchors, positives, negatives, in this order.

    Raises
    ------
    TableError
        There are fewer than two, to which nothing can be fitted.
    """
    sides = pd.concat([pairs.anchor, pairs.positive, pairs.negative.dropna()], ignore_index=True)
    texts = sides.drop_duplicates().tolist()
    if len(texts) < 2:
        raise TableError(f"pairs: {len(texts)} distinct texts, at least 2 are needed. Use a larger corpus.")
    return texts


def _check(pairs: pd.DataFrame) -> None:
    if len(pairs) == 0:
        raise TableError("pairs: the table is empty. Look at the log of the step that made it.")
    slots = sorted(int(slot) for slot in pairs.slot.unique())
    if slots != list(range(len(slots))):
        raise TableError(f"pairs: slots are {slots}, expected 0, 1, 2 ... Make the pairs again.")
    fewest = int(pairs.slot.value_counts().min())
    if fewest < 2:
        raise TableError(
            f"pairs: a slot has {fewest} pair, but the negatives are the other pairs of a batch: "
            "at least 2 are needed. Use a larger corpus."
        )
    if (pairs["view"] != 0).any():
        raise TableError("pairs: column 'view' has values other than 0; info_nce has one loss term.")
    if 0 < pairs.negative.isna().sum() < len(pairs):
        raise TableError("pairs: column 'negative' is filled in some rows only; fill all rows or none.")
    if pairs.label.notna().any() or (pairs.weight != 1).any():
        raise TableError(
            "pairs: labels and weights other than 1 have no meaning for info_nce; leave them out."
        )


def steps_per_epoch(slots: list[np.ndarray], batch_size: int, epochs: int) -> list[int]:
    """Return the number of batches of each epoch; the last incomplete batch counts (methods 1.3)."""
    return [-(-len(slots[epoch % len(slots)]) // batch_size) for epoch in range(epochs)]


def batches(
    slots: list[np.ndarray], batch_size: int, epochs: int, seed: int, done: int = 0
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the batches of a training as (epoch, rows), rows of shape (N, 2) or (N, 3).

    Epoch e takes slot e mod n_slots (thesis, section 4.1) in an order that depends on the seed and the
    epoch alone.  The last batch of an epoch may be smaller.

    Parameters
    ----------
    done : int
        Leave out this many batches from the start: where a resumed training goes on.
    """
    for epoch, count in enumerate(steps_per_epoch(slots, batch_size, epochs)):
        if done < count:
            rows = slots[epoch % len(slots)]
            order = generator("order", seed, epoch).permutation(len(rows))
            for number in range(done, count):
                yield epoch, rows[order[number * batch_size : (number + 1) * batch_size]]
        done = max(0, done - count)
