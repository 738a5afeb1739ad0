"""Vectors of many sentences."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from contrapose.errors import TableError

logger = logging.getLogger(__name__)


class Encoder(Protocol):
    """What is needed of an encoder; `contrapose.train.encoder.SentenceEncoder` is one."""

    tokenizer: Any  # of transformers
    max_length: int  # tokens it takes, special tokens included
    training: bool

    @property
    def device(self) -> torch.device: ...  # noqa: D102
    def __call__(self, batch: dict[str, Tensor]) -> Tensor: ...  # noqa: D102
    def train(self, mode: bool = True) -> Any: ...  # noqa: D102


def embeddings(encoder: Encoder, texts: Sequence[str], batch_size: int = 32) -> np.ndarray:
    """Return the vectors of texts in evaluation mode, each distinct one encoded once.

    Texts with the same tokens count as one: an uncased encoder sees SentEval's form of a sentence and the
    raw one alike (methods 2.3).  Texts of about the same number of tokens go together, padded to the longest
    of them.  Nothing is cut below `encoder.max_length`, as SimCSE's evaluation cuts nothing (methods 2.1);
    longer texts are cut there and counted in the log.

    Parameters
    ----------
    encoder : Encoder
        Its mode, training or evaluation, is the same afterwards.
    texts : sequence of str
    batch_size : int
        Texts encoded at once; changes a vector by rounding only, about 1e-7.

    Returns
    -------
    float32 array of shape (n, D)

    Raises
    ------
    TableError
        A vector holds a NaN or an infinite number; the text is named.
    """
    distinct = list(dict.fromkeys(texts))
    places: dict[tuple[int, ...], int] = {}
    found = {
        text: places.setdefault(tokens, len(places))
        for text, tokens in zip(distinct, _tokens(encoder, distinct), strict=True)
    }
    training = encoder.training
    encoder.train(False)
    try:
        vectors = _encoded(encoder, list(places), batch_size)
    finally:
        encoder.train(training)
    wrong = [text for text in distinct if not np.isfinite(vectors[found[text]]).all()]
    if wrong:
        raise TableError(
            f"the encoder gives {len(wrong)} of {len(distinct)} texts a vector with NaN or infinite numbers, "
            f"the first is {wrong[0]!r}. Check its training (history.parquet) or the weights in its folder."
        )
    return vectors[[found[text] for text in texts]]


def _tokens(encoder: Encoder, texts: list[str]) -> list[tuple[int, ...]]:
    """Return the token ids of texts, special tokens included, cut to what the encoder takes."""
    if not texts:
        return []
    tokens = encoder.tokenizer(texts, verbose=False)["input_ids"]
    long = [at for at, ids in enumerate(tokens) if len(ids) > encoder.max_length]
    for at in long:
        tokens[at] = encoder.tokenizer(texts[at], truncation=True, max_length=encoder.max_length)["input_ids"]
    if long:
        logger.warning("%d of %d texts cut to %d tokens", len(long), len(texts), encoder.max_length)
    return [tuple(ids) for ids in tokens]


def _encoded(encoder: Encoder, tokens: list[tuple[int, ...]], batch_size: int) -> np.ndarray:
    """Return a vector for each sequence of token ids, float32 of shape (n, D)."""
    order = sorted(range(len(tokens)), key=lambda at: -len(tokens[at]))  # longest first: memory shows at once
    vectors = np.empty((len(tokens), 0), np.float32)
    progress = tqdm(total=len(tokens), desc="embeddings", unit=" texts", mininterval=5, delay=5)
    with torch.inference_mode(), progress:
        for start in range(0, len(order), batch_size):
            some = order[start : start + batch_size]
            batch = encoder.tokenizer.pad(
                {"input_ids": [list(tokens[at]) for at in some]}, return_tensors="pt"
            )
            found = encoder({name: each.to(encoder.device) for name, each in batch.items()})  # (B, D)
            if start == 0:
                vectors = np.empty((len(tokens), found.shape[1]), np.float32)
            vectors[some] = found.float().cpu().numpy()
            progress.update(len(some))
    return vectors
