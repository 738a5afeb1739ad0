"""The rows of a PAIRS table as batches, in the order of training."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd
from torch import Tensor

from contrapose.base.errors import OutdatedError, TableError, UnavailableError, counted
from contrapose.base.seeds import generator
from contrapose.models.devices import on_device
from contrapose.models.epochs import steps_per_epoch
from contrapose.models.tokens import Tokens, tokenised
from contrapose.text.equal_text import equal_text
from contrapose.train.recipe import Recipe
from contrapose.train.rows import NO_TEXT, RowIds

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder

R = TypeVar("R", np.ndarray, "RowIds")

ROW_OF_ID = r"\+\d+$"  # what pairs of kind scored have after the id of a sentence


@dataclass(frozen=True)
class TokenisedPairs:
    """A PAIRS table with indices in place of texts."""

    texts: Sequence[str]  # the distinct ones, without prompts; again with another prompt
    tokens: Tokens  # with prompts
    slots: list[RowIds]


def tokenised_pairs(
    pairs: pd.DataFrame,
    encoder: "SentenceEncoder",
    max_length: int,
    query_length: int | None = None,
    recipe: Recipe | None = None,
) -> TokenisedPairs:
    """Tokenise each distinct text of a PAIRS table once, or twice if `query_length` is given.

    The result takes 4 bytes per token of the distinct texts and 8 bytes per side of a row, hard negatives
    padded to the row with the most.  Peak memory in addition to the table itself is up to 2.7 GB for a
    million sentences with five paraphrases.

    `max_length`, for anchors `query_length`, is the maximum of tokens per text, special tokens included,
    unless the encoder's is lower.
    The encoder's prompts are put before anchors, and before all other sides.  Raises TableError if the loss
    of `recipe`, by default InfoNCE, cannot use this table.
    """
    recipe = recipe or Recipe()
    views = _views(pairs)
    _check(views, recipe)
    negatives = tuple(int(view.negatives.str.len().max()) for view in views)
    sides = [views[0].anchor]
    for view, most in zip(views, negatives, strict=True):
        sides += [view.positive, *(view.negatives.str.get(number) for number in range(most))]
    plain = pd.concat(sides, ignore_index=True)
    if not plain.str.strip().any():
        raise TableError("pairs: every text is empty. Their log in the folder logs/pairs says more.")
    prompts = encoder.prompts
    sides = [prompts.query + sides[0], *(prompts.document + side for side in sides[1:])]
    numbers, tokens = _numbered(sides, encoder, query_length or max_length, max_length)
    first = pd.Series(numbers).drop_duplicates().loc[lambda each: each != NO_TEXT].index
    rows = _by_row(numbers, len(sides))
    labels, weights = (
        np.stack([view[name].to_numpy("float32") for view in views], axis=1) for name in ("label", "weight")
    )
    whole = RowIds(
        rows,
        negatives,
        labels if recipe.of_loss.labelled else None,
        None if (weights == 1).all() else weights,
        _scores(views, negatives, rows, recipe) if recipe.of_loss.labels == "similarities" else None,
        _by_row(_equal(plain), len(sides)) if recipe.equal_texts == "removed" else None,
    )
    slot = views[0].slot.to_numpy()
    slots = [whole[slot == each] for each in range(int(slot.max()) + 1)]
    return TokenisedPairs(plain[first].to_numpy(), tokens, slots)


def _by_row(numbers: np.ndarray, sides: int) -> np.ndarray:
    """Arrange what stands side after side, (S N,), by rows: int64 of shape (N, S)."""
    return numbers.reshape(sides, -1).T.astype(np.int64)


def _equal(texts: pd.Series) -> np.ndarray:
    """Return a number for each text, the same for those that `equal_text` takes for the same."""
    return pd.factorize(texts.map(equal_text, na_action="ignore"))[0]


def _scores(
    views: list[pd.DataFrame], negatives: tuple[int, ...], texts: np.ndarray, recipe: Recipe
) -> np.ndarray:
    """Return the score of each hard negative, (N, S), 0 for other sides; a TableError if one has none."""
    sides = [none := pd.Series(0.0, views[0].index)]
    for view, most in zip(views, negatives, strict=True):
        sides += [none, *(view.negative_scores.str.get(number) for number in range(most))]
    scores = np.stack([side.to_numpy("float32") for side in sides], axis=1)
    if missing := int((np.isnan(scores) & (texts != NO_TEXT)).sum()):
        raise TableError(
            f"pairs: {missing} hard negatives have no score, but the loss {recipe.loss} needs one for "
            "each. Use pairs of kind scored or mined, or a file with scores."
        )
    return np.nan_to_num(scores)


def _numbered(
    sides: list[pd.Series], encoder: "SentenceEncoder", query_length: int, max_length: int
) -> tuple[np.ndarray, Tokens]:
    """Return the number of each text, side after side, and the tokens of the distinct ones."""
    of_query = (query_length, encoder.skipped(encoder.prompts.query))
    of_document = (max_length, encoder.skipped(encoder.prompts.document))
    same = of_query == of_document
    groups = [(sides, of_query)] if same else [(sides[:1], of_query), (sides[1:], of_document)]
    numbers, parts = [], [Tokens.of([])]
    for some, (length, skipped) in groups:
        numbered, texts = pd.factorize(pd.concat(some, ignore_index=True))
        numbers.append(np.where(numbered == NO_TEXT, NO_TEXT, numbered + sum(map(len, parts))))
        parts.append(tokenised(texts, encoder.tokenizer, min(length, encoder.max_length), skipped))
    return np.concatenate(numbers), Tokens.joined(parts)


def distinct_texts(
    pairs: pd.DataFrame, sides: Sequence[str] = ("anchor", "positive", "negatives")
) -> list[str]:
    """Return every text of a PAIRS table once, by sides; an UnavailableError if fewer than two."""
    every_text = pd.concat([pairs[side].explode().dropna() for side in sides], ignore_index=True)
    texts = every_text.drop_duplicates().tolist()
    if len(texts) < 2:
        raise UnavailableError(
            f"pairs: there are only {len(texts)} distinct texts, but at least 2 are needed. Use a "
            "larger corpus"
        )
    return texts


def part_of(pairs: pd.DataFrame, recipe: Recipe, seed: int) -> tuple[pd.DataFrame, Recipe]:
    """Return the rows of a `share` of the sentences, and the recipe with the steps that all rows take.

    Which sentences follows from their ids and the seed; those of a smaller share are among those of a larger.
    Raises an UnavailableError if they no longer fill a batch, as steps would then differ in more than texts.
    """
    ids = pairs.id.str.replace(ROW_OF_ID, "", regex=True)
    distinct = np.sort(ids.unique().astype(str))
    kept = generator("share", seed).permutation(distinct)[: math.ceil(recipe.train_fraction * len(distinct))]
    slots = [rows.slot.to_numpy() for _, rows in pairs[pairs["view"] == 0].groupby("slot")]
    steps = sum(steps_per_epoch(slots, recipe.batch_size, recipe.epochs, recipe.steps))
    left = pairs[ids.isin(kept)]
    fewest = left[left["view"] == 0].slot.value_counts().min()
    if fewest < recipe.batch_size:
        raise UnavailableError(
            f"train_fraction is {recipe.train_fraction:g}, so {100 * recipe.train_fraction:g} % of the "
            f"sentences give only {fewest} pairs, but batch_size is {recipe.batch_size}. Raise "
            "train_fraction, lower batch_size, or add sentences"
        )
    return left, recipe.model_copy(update={"steps": steps})


def _views(pairs: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of each view, checked, all in the order of the first view."""
    if len(pairs) == 0:
        raise TableError("pairs: the table is empty. Their log in the folder logs/pairs says why.")
    numbers = sorted(int(view) for view in pairs["view"].unique())
    if numbers != list(range(len(numbers))):
        raise OutdatedError("pairs", f"the column view has {numbers}, but 0, 1, 2 ... are expected")
    first, *others = (pairs[pairs["view"] == number] for number in numbers)
    slots = sorted(int(slot) for slot in first.slot.unique())
    if slots != list(range(len(slots))):
        raise OutdatedError("pairs", f"the column slot has {slots}, but 0, 1, 2 ... are expected")
    return [first, *(_aligned(first, other) for other in others)]


def _check(views: list[pd.DataFrame], recipe: Recipe) -> None:
    """Raise a TableError if the loss of a recipe cannot use a table."""
    loss, name, first = recipe.of_loss, recipe.loss, views[0]
    if not loss.weighted and any((view.weight != 1).any() for view in views):
        raise TableError(
            f"pairs: some weights differ from 1, but the loss {name} does not use weights. Use the "
            "loss cosine_similarity. For pairs without labels, use info_nce."
        )
    if loss.labelled:
        _check_labels(pd.concat(views), recipe)
    elif any(view.label.notna().any() for view in views):
        raise TableError(
            f"pairs: the pairs have labels, but the loss {name} does not use labels. Remove them, or "
            "use the loss cosine_similarity or cosent."
        )
    hard = first.negatives.str.len()
    fits = (hard == loss.negatives).all() if loss.negatives is not None else hard.any() or not loss.labelled
    one_view = loss.labelled or loss.negatives is not None
    if not fits or (one_view and len(views) > 1):
        any_number, most = "any number of hard negatives", loss.negatives
        wanted = any_number if most is None else counted(most, "hard negative")
        raise TableError(
            f"pairs: a row has {counted(len(views), 'positive')}, and {len(hard)} rows have "
            f"{counted(int(hard.sum()), 'hard negative')}, but the loss {name} takes one positive and "
            f"{wanted} in each row. For these pairs, use the loss info_nce."
        )
    fewest = int(first.slot.value_counts().min())
    if not loss.labelled and fewest < 2:
        raise TableError(
            f"pairs: an epoch has only {counted(fewest, 'pair')}, but at least 2 are needed, because the "
            "negatives are the other pairs of a batch. Use a larger corpus."
        )


def _check_labels(rows: pd.DataFrame, recipe: Recipe) -> None:
    unlabelled = rows.label.isna()
    if unlabelled.any():
        raise TableError(
            f"pairs: {int(unlabelled.sum())} of {len(unlabelled)} rows have no label, but the loss "
            f"{recipe.loss} compares similarities with labels. The first row has the id "
            f"'{rows.id[unlabelled].iloc[0]}'. Use pairs of kind dino, reweighted, scored or margins, "
            "triplets with scores, or the loss info_nce."
        )


def check_negatives(slots: Sequence[RowIds], recipe: Recipe) -> None:
    """Raise a TableError if a recipe has settings about hard negatives and there are none."""
    if recipe.about_negatives and not any(slots[0].negatives):
        raise TableError(
            f"pairs: no row has a hard negative, but the recipe sets {recipe.about_negatives[0]}, "
            "which is about hard negatives. Use pairs with hard negatives, such as those of kind "
            f"mined, or remove {recipe.about_negatives[0]}."
        )


def _aligned(first: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return `other` in the order of the first view; both must have the same ids, slots and anchors."""
    number = int(other["view"].iloc[0])
    keys, others = (pd.MultiIndex.from_frame(view[["id", "slot"]]) for view in (first, other))
    unmatched = keys.symmetric_difference(others)
    if len(unmatched):
        name, slot = unmatched[0]
        lacks = number + 1 if (name, slot) in keys else 1
        raise OutdatedError(
            "pairs",
            f"one of the positives is missing in {counted(len(unmatched), 'row')}. '{name}' has no positive "
            f"{lacks}",
        )
    other = other.set_axis(others).loc[keys]
    differs = other.anchor.to_numpy() != first.anchor.to_numpy()
    if differs.any():
        raise OutdatedError(
            "pairs",
            f"positive {number + 1} has another anchor than positive 1 in {counted(differs.sum(), 'row')}. "
            f"The first has the id '{first.id[differs].iloc[0]}'",
        )
    return other


def in_places(vectors: Tensor, present: np.ndarray) -> Tensor:
    """Scatter vectors (M, D), row by row, to where `present` (N, S) is True: (N, S, D), else zeros."""
    if not present.all():
        padded = vectors.new_zeros(present.size, vectors.shape[-1])
        vectors = padded.index_copy(0, on_device(np.flatnonzero(present), vectors.device), vectors)
    return vectors.view(*present.shape, -1)
