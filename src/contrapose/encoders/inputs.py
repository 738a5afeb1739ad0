"""Texts and pairs of texts as token ids, tokenised once for all epochs."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from contrapose.encoders.tokens import TEXTS_AT_ONCE, Tokens

logger = logging.getLogger(__name__)

Text = str | tuple[str, str]  # a pair is one input, in two segments


@dataclass(frozen=True)
class Inputs:
    """Texts or pairs as a model reads them, special tokens included: 5 bytes per token and 12 per text."""

    tokens: Tokens
    segments: Tokens | None  # segment number of each token, for models that have segments
    characters: np.ndarray  # (B,) int32, in the text or in both: to group texts of similar length

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def arrays(self) -> list[np.ndarray]:
        parts = [self.tokens] if self.segments is None else [self.tokens, self.segments]
        return [each for part in parts for each in (part.ids, part.lengths)]

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each text, (B,) int64."""
        return self.tokens.lengths

    def take(self, rows: np.ndarray) -> "Inputs":
        """Return texts by index, in this order."""
        segments = self.segments and self.segments.take(rows)
        return Inputs(self.tokens.take(rows), segments, self.characters[rows])

    def padded(self, tokenizer: Any) -> dict[str, np.ndarray]:
        """Return the model's arguments, int64 of shape (B, longest), padded on the right."""
        ids, mask = self.tokens.padded(tokenizer.pad_token_id)
        arguments = {"input_ids": ids, "attention_mask": mask}
        if self.segments is not None:
            arguments["token_type_ids"] = self.segments.padded(tokenizer.pad_token_type_id)[0]
        return arguments


def inputs_of(texts: Iterable[Text], tokenizer: Any, max_length: int) -> Inputs:
    """Tokenise texts, or pairs as `[CLS] first [SEP] second [SEP]` or however the tokenizer joins them.

    Texts are read in chunks.  `max_length` includes special tokens; the longer side of a pair is truncated
    first, and the log counts the inputs of full length.
    """
    remaining = iter(texts)
    tokens, segments, characters = [Tokens.of([])], [Tokens.of([])], [0] * 0
    while some := list(islice(remaining, TEXTS_AT_ONCE)):
        encoded = tokenizer(
            *_sides(some), truncation=True, max_length=max_length, return_attention_mask=False
        )
        tokens.append(Tokens.of(encoded["input_ids"]))
        if "token_type_ids" in encoded:
            segments.append(Tokens.of(encoded["token_type_ids"]))
        characters += [len(text) if isinstance(text, str) else sum(map(len, text)) for text in some]
    joined = Tokens.joined(tokens)
    full = int((joined.lengths == max_length).sum())
    counts = (len(joined), len(joined.ids), full, max_length)
    logger.info("%d texts, %d tokens; %d texts have the most tokens, %d", *counts)
    kinds = Tokens.joined(segments) if len(segments) == len(tokens) > 1 else None
    kinds = kinds and replace(kinds, ids=kinds.ids.astype(np.int8))
    return Inputs(joined, kinds, np.array(characters, np.int32))


def _sides(texts: Sequence[Text]) -> list[list[str]]:
    """Return the tokenizer's arguments: texts, or the first and the second texts of pairs."""
    if isinstance(texts[0], str):
        return [list(texts)]  # type: ignore[arg-type]
    return [list(side) for side in zip(*texts, strict=True)]
