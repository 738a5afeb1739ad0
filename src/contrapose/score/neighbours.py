"""Texts of a pair set that are near to its anchors for an encoder, and are not among their positives."""

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from tqdm import tqdm

from contrapose.jobs.inputs import CorpusTexts, Pairs
from contrapose.jobs.step import Rows, planned
from contrapose.models import scorer as scorers
from contrapose.models.scorer import Scorer
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan
from contrapose.tables import NEIGHBOURS

if TYPE_CHECKING:
    import torch

    from contrapose.models.sentence_encoder import SentenceEncoder

logger = logging.getLogger(__name__)

SCORES_AT_ONCE = 1 << 25  # cosines in memory: 128 MB of float32


class NeighbourSearch(EncoderSettings):
    """The texts near to the anchors of a pair set, by an encoder; material of mined negatives."""

    nearest: int = Field(
        ge=1,
        description="Texts examined for each anchor, in addition to the largest number of texts excluded for "
        "any anchor",
    )


@planned
def plan(project: Plan, scorer: str, **others: str) -> NeighbourSearch:
    """Return settings with `auto` as float32, so that negatives do not depend on the machine."""
    return NeighbourSearch(**scorers.exact(project, scorer), nearest=int(others["nearest"]))


def build(
    spec: NeighbourSearch, pairs: Pairs, encoder: Scorer, corpus: CorpusTexts = ()
) -> Annotated[pd.DataFrame, Rows(NEIGHBOURS)]:
    """Return the texts that are nearest to each anchor, among the distinct positives of all anchors.

    The sentences of a corpus, if there is one, are candidates as well: their rows follow those of the pairs.
    Every positive in a row, slot or view with the text of an anchor is a positive of this anchor.  Anchors
    are in the order in which they first occur in the pairs.

    The search is exact: every anchor is compared with every text, as in sentence-transformers'
    `mine_hard_negatives`, which has the same candidates, but does not exclude the anchor's own text.

    Memory: 4 bytes x dimensions for each distinct text and anchor, 128 MB of cosines at a time, and 12 bytes
    for each text of the result.
    """
    anchor, anchors = pd.factorize(pairs.anchor)
    codes, texts = pd.factorize(pd.Series([*pairs.positive, *corpus], dtype="str"))
    text = codes[: len(pairs)]
    of_anchors, of_texts = vectors_of_sides(encoder, anchors, texts)
    barred, most = _barred(anchor, text, texts.get_indexer(anchors), len(texts))
    count = min(spec.nearest + most, len(texts))
    row_of = pd.Series(codes).drop_duplicates().index.to_numpy(np.int32)  # first row of each text
    rows: list[np.ndarray] = []
    cosines: list[np.ndarray] = []
    for first, scores, numbers in _nearest(of_anchors, of_texts, count, encoder.device):
        keys = np.arange(first, first + len(numbers))[:, None] * len(texts) + numbers
        free = ~np.isin(keys, barred)
        rows += [row_of[each[kept]] for each, kept in zip(numbers, free, strict=True)]
        cosines += [each[kept] for each, kept in zip(scores, free, strict=True)]
    logger.info("%d anchors, %d texts; up to %d near each", len(anchors), len(texts), count)
    columns = {"anchor": anchors, "positive": _lowest(of_anchors, of_texts, anchor, text)}
    return pd.DataFrame({**columns, "rows": rows, "cosines": cosines}, columns=NEIGHBOURS.columns)


def vectors_of_sides(
    encoder: "SentenceEncoder", anchors: Sequence[str], texts: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit vectors of anchors, with the encoder's prompt for queries, and of texts."""
    from contrapose.models.embeddings import embeddings

    query, document = encoder.prompts.query, encoder.prompts.document
    if query == document:  # a text that is both is encoded once
        vectors = _unit(embeddings(encoder, [*anchors, *texts]))
        return vectors[: len(anchors)], vectors[len(anchors) :]
    of_anchors = embeddings(encoder, anchors, query)
    return _unit(of_anchors), _unit(embeddings(encoder, texts, document))


def _unit(vectors: np.ndarray) -> np.ndarray:
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return vectors


def _barred(anchor: np.ndarray, text: np.ndarray, itself: np.ndarray, texts: int) -> tuple[np.ndarray, int]:
    """Return which of `texts` texts are excluded for which anchors, and the largest number for one anchor.

    `anchor` and `text`, of shape (rows,), number the anchor and the positive of each row; `itself`, of shape
    (anchors,), the text that is the anchor, or -1.

    An excluded text is anchor * texts + text, int64.  Repeated rows count each time in the number, as in
    sentence-transformers.
    """
    positives = anchor * texts + text
    itself_is = np.flatnonzero(itself >= 0)
    selves = np.setdiff1d(itself_is * texts + itself[itself_is], positives)
    counts = np.bincount(np.concatenate([anchor, selves // texts]))
    return np.concatenate([positives, selves]), int(counts.max())


def _nearest(
    of_anchors: np.ndarray, of_texts: np.ndarray, count: int, device: "torch.device"
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield blocks of anchors: number of the first, highest cosines and their texts, both (n, count)."""
    import torch

    corpus = torch.from_numpy(of_texts).to(device).T
    size = max(1, SCORES_AT_ONCE // len(of_texts))
    with tqdm(total=len(of_anchors), desc="neighbours", unit=" anchors", mininterval=5, delay=5) as progress:
        for first in range(0, len(of_anchors), size):
            block = torch.from_numpy(of_anchors[first : first + size]).to(device)
            scores, numbers = (block @ corpus).topk(count, dim=1)
            yield first, scores.cpu().numpy(), numbers.cpu().numpy()
            progress.update(len(block))


def _lowest(of_anchors: np.ndarray, of_texts: np.ndarray, anchor: np.ndarray, text: np.ndarray) -> np.ndarray:
    """Return the lowest cosine of each anchor with one of its positives: float32."""
    lowest = np.full(len(of_anchors), np.inf, np.float32)
    size = max(1, SCORES_AT_ONCE // of_anchors.shape[1])
    for first in range(0, len(anchor), size):
        rows = slice(first, first + size)
        cosines = np.einsum("nd,nd->n", of_anchors[anchor[rows]], of_texts[text[rows]])
        np.minimum.at(lowest, anchor[rows], cosines)
    return lowest
