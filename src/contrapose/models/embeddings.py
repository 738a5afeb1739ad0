"""Vectors of many sentences."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from contrapose.base.errors import TableError
from contrapose.models.devices import piece_tokens
from contrapose.models.tokens import TEXTS_AT_ONCE, Tokens, pieces

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder

logger = logging.getLogger(__name__)

PIECES = 8  # encoded by one call, which rounds the weights once for all of them


@dataclass(frozen=True)
class TokenisedTexts:
    """Texts as the token ids that an encoder sees, without duplicates."""

    texts: Sequence[str]  # n of them, as given
    number: np.ndarray  # (n,) int64: text i has the tokens of sentence `number[i]`
    tokens: Tokens  # of the distinct sentences


def embeddings(encoder: "SentenceEncoder", texts: Sequence[str], prompt: str | None = None) -> np.ndarray:
    """Return the vectors of texts in evaluation mode, float32 (n, D); each distinct one is encoded once.

    The encoder's mode, training or evaluation, is restored afterwards.  `prompt` is put before every
    sentence; None is the encoder's own.  Raises TableError as `encoded`.
    """
    return encoded(encoder, tokenised_texts(encoder, texts, prompt))


def tokenised_texts(
    encoder: "SentenceEncoder", texts: Sequence[str], prompt: str | None = None
) -> TokenisedTexts:
    """Tokenise texts for an encoder, and for any other with the same tokenizer.

    Texts with the same tokens count as one: to an uncased encoder, SentEval's form of a sentence and the
    raw one are the same.  Texts are truncated only at `encoder.max_length`, as SimCSE's evaluation does not
    truncate; the log counts those that are.
    """
    numbers, once = pd.factorize(np.array(texts, dtype=object))
    places: dict[tuple[int, ...], int] = {}
    before = encoder.prompt if prompt is None else prompt
    prompted = [before + text for text in once]
    number = [places.setdefault(tokens, len(places)) for tokens in _tokens(encoder, prompted)]
    tokens = Tokens.of(list(places), encoder.skipped(before))
    return TokenisedTexts(texts, np.array(number, np.int64)[numbers], tokens)


def encoded(encoder: "SentenceEncoder", texts: TokenisedTexts) -> np.ndarray:
    """Return the vectors of tokenised texts, as `embeddings`: for several encoders with one tokenizer.

    Raises TableError if a vector holds a NaN or an infinite number; the message names the text.
    """
    training = encoder.training
    encoder.train(False)
    try:
        vectors = vectors_of(encoder, texts.tokens)
    finally:
        encoder.train(training)
    wrong = ~np.isfinite(vectors).all(axis=1)  # (distinct sentences,)
    if wrong.any():
        first = texts.texts[int(np.flatnonzero(wrong[texts.number])[0])]
        raise TableError(
            f"encoder '{encoder.form.folder}' gives {wrong.sum()} of {len(wrong)} texts a vector with NaN "
            f"or infinite numbers. The first text is {first!r}. If a recipe trains it, lower its "
            "learning_rate. Otherwise, get its weights again, as they are damaged."
        )
    return vectors[texts.number]


def _tokens(encoder: "SentenceEncoder", texts: list[str]) -> list[tuple[int, ...]]:
    """Return the token ids of texts, special tokens included, truncated to the encoder's limit."""
    tokens: list[list[int]] = []
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        some = texts[first : first + TEXTS_AT_ONCE]
        tokens += encoder.tokenizer(some, verbose=False)["input_ids"]
    long = [at for at, ids in enumerate(tokens) if len(ids) > encoder.max_length]
    for at in long:
        tokens[at] = encoder.tokenizer(texts[at], truncation=True, max_length=encoder.max_length)["input_ids"]
    if long:
        logger.warning("%d of %d texts cut to %d tokens", len(long), len(texts), encoder.max_length)
    return [tuple(ids) for ids in tokens]


def vectors_of(encoder: "SentenceEncoder", tokens: Tokens) -> np.ndarray:
    """Return the vector of each sentence in the encoder's current mode, float32 of shape (B, D).

    The longest come first, so that peak memory is reached at the start.
    """
    order, sizes = pieces(tokens.lengths, piece_tokens(encoder.device))
    ends = np.cumsum(sizes)[PIECES - 1 :: PIECES]
    vectors = np.empty((len(tokens), 0), np.float32)
    progress = tqdm(total=len(tokens), desc="embeddings", unit=" texts", mininterval=5, delay=5)
    with torch.inference_mode(), progress:
        for some in filter(len, np.split(order, ends)):
            piece = encoder(tokens.take(some))  # (b, D)
            if vectors.size == 0:
                vectors = np.empty((len(tokens), piece.shape[1]), np.float32)
            vectors[some] = piece.float().cpu().numpy()
            progress.update(len(some))
    return vectors
