"""Texts, and pairs of texts, as token ids in flat arrays, without padding: tokenised once for all epochs."""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from contrapose.base.errors import ConfigError

if TYPE_CHECKING:
    from transformers import BatchEncoding, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

# Special tokens at the start of a text, in BERT's notation, as used in prefixes (PrdSimCSE, Table 9).
LEADING = re.compile(r"(?:\[(?:CLS|MASK)\] )+")

Text = str | tuple[str, str]  # a pair is one input, in two segments

TEXTS_AT_ONCE = 1000  # per call of the tokenizer, whose output takes about 12 kB each


@dataclass(frozen=True)
class Tokens:
    """Token ids of sentences, one sentence after the other.

    Sentence i has `lengths[i]` tokens, special tokens included and at least one; they are
    `ids[start[i]:start[i + 1]]`.
    """

    ids: np.ndarray  # (N,) int32
    lengths: np.ndarray  # (B,) int64, their sum is N
    cut: int = 0  # number of sentences truncated by tokenisation
    # Bool (B, E), False where a column of all embeddings of a sentence is set to 0; None: nowhere.
    columns: np.ndarray | None = None
    # Int64 (B,), how many of the first tokens pooling leaves out, as those of a prompt; None: none.
    skipped: np.ndarray | None = None

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]], skipped: int = 0) -> "Tokens":
        """Join sequences of token ids, of each of which pooling leaves the first `skipped` out."""
        parts = [np.asarray(each, dtype=np.int32) for each in sequences]
        return cls(
            np.concatenate(parts) if parts else np.empty(0, np.int32),
            np.array([len(each) for each in parts], np.int64),
            skipped=np.full(len(parts), skipped, np.int64) if skipped else None,
        )

    @classmethod
    def joined(cls, parts: "Sequence[Tokens]") -> "Tokens":
        ids, lengths = zip(*((part.ids, part.lengths) for part in parts), strict=True)
        skipped = None
        if any(part.skipped is not None for part in parts):
            skipped = np.concatenate(
                [np.zeros(len(part), np.int64) if part.skipped is None else part.skipped for part in parts]
            )
        cut = sum(part.cut for part in parts)
        return cls(np.concatenate(ids), np.concatenate(lengths), cut, skipped=skipped)

    @cached_property
    def start(self) -> np.ndarray:
        """Where each sentence begins, and the end of the last: (B + 1,) int64."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @property
    def positions(self) -> np.ndarray:
        """The place of each token in its own sentence, from 0: (N,) int64."""
        return np.arange(len(self.ids)) - np.repeat(self.start[:-1], self.lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, sentences: np.ndarray) -> "Tokens":
        """Return sentences by index, in this order; indices may repeat."""
        lengths = self.lengths[sentences]
        shift = self.start[sentences] - np.cumsum(lengths) + lengths  # from places there to places here
        ids = self.ids[np.repeat(shift, lengths) + np.arange(lengths.sum())]
        of_sentences = (None if each is None else each[sentences] for each in (self.columns, self.skipped))
        return Tokens(ids, lengths, 0, *of_sentences)

    def padded(self, padding: int) -> tuple[np.ndarray, np.ndarray]:
        """Return `input_ids` and `attention_mask`, int64 of shape (B, longest), padded on the right."""
        mask = np.arange(self.lengths.max(initial=0)) < self.lengths[:, None]
        ids = np.full(mask.shape, padding, np.int64)
        ids[mask] = self.ids
        return ids, mask.astype(np.int64)


def without_first(mask: np.ndarray, skipped: np.ndarray) -> np.ndarray:
    """Return a mask, (B, T), without the first tokens of each sentence, as many as `skipped`, (B,), says."""
    return mask * (np.arange(mask.shape[1]) >= skipped[:, None])


def pieces(lengths: np.ndarray, tokens: int, least: float = np.inf) -> tuple[np.ndarray, list[int]]:
    """Cut sentences into pieces of at most `tokens`, the longest sentences first.

    A piece of `least` tokens or more ends where the next sentence is shorter, so that most pieces hold
    sentences of one length.

    Returns the order of the sentences, those of the first piece, then those of the second, and so on, and the
    size of each piece.  A function of the arguments alone.  A sentence longer than `tokens` is a piece of its
    own.
    """
    order = np.argsort(-lengths, kind="stable")
    sizes: list[int] = []
    room = longest = 0
    for length in lengths[order].tolist():
        if length > room or not sizes or (length < longest and tokens - room >= least):
            sizes.append(0)
            room, longest = tokens, length
        sizes[-1] += 1
        room -= length
    return order, sizes


def tokenised(
    texts: Sequence[str], tokenizer: "PreTrainedTokenizerBase", max_length: int, skipped: int = 0
) -> Tokens:
    """Tokenise texts with special tokens, truncated to `max_length`.  The log counts truncated texts.

    Pooling leaves the first `skipped` tokens of each out.  `[CLS] ` and `[MASK] ` at the start of a text
    stand for the tokenizer's own tokens, whatever their names; a ConfigError if it has no such token.
    """
    parts = [Tokens.of([])]
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        some = [_with_own_tokens(text, tokenizer) for text in texts[first : first + TEXTS_AT_ONCE]]
        encoded = tokenizer(some, truncation=True, max_length=max_length, return_attention_mask=False)
        cut = _cut(some, encoded, tokenizer, max_length)
        parts.append(replace(Tokens.of(encoded["input_ids"], skipped), cut=cut))
    tokens = Tokens.joined(parts)
    share = 100 * tokens.cut / max(1, len(texts))
    logger.info(
        "%d distinct texts with %d tokens; %d texts (%.1f %%) are cut after %d tokens",
        len(texts),
        len(tokens.ids),
        tokens.cut,
        share,
        max_length,
    )
    return tokens


def _with_own_tokens(text: str, tokenizer: "PreTrainedTokenizerBase") -> str:
    """Write leading special tokens in the tokenizer's notation: `[MASK] [MASK] A` as `<mask><mask>A`.

    Without spaces, which some tokenizers treat as tokens, so the rest has the same tokens as it has alone.
    """
    leading = LEADING.match(text)
    if leading is None:
        return text
    special = {"[CLS]": tokenizer.cls_token, "[MASK]": tokenizer.mask_token}
    names = leading.group().split()
    for name in names:
        if special[name] is None:
            raise ConfigError(
                f"pairs: a text begins with the prefix {name}, for which the tokenizer of the encoder "
                "has no token. Use another word as prefix, or another encoder."
            )
    return "".join(special[name] for name in names) + text[leading.end() :]


def _cut(
    texts: list[str], encoded: "BatchEncoding", tokenizer: "PreTrainedTokenizerBase", max_length: int
) -> int:
    if encoded.encodings is not None:
        return sum(bool(each.overflowing) for each in encoded.encodings)
    # Tokenizers written in Python (Japanese BERT) do not keep the truncated tokens.
    full = [text for text, ids in zip(texts, encoded["input_ids"], strict=True) if len(ids) == max_length]
    return sum(len(ids) > max_length for ids in tokenizer(full)["input_ids"]) if full else 0


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

    def padded(self, tokenizer: "PreTrainedTokenizerBase") -> dict[str, np.ndarray]:
        """Return the model's arguments, int64 of shape (B, longest), padded on the right."""
        ids, mask = self.tokens.padded(tokenizer.pad_token_id)
        arguments = {"input_ids": ids, "attention_mask": mask}
        if self.segments is not None:
            arguments["token_type_ids"] = self.segments.padded(tokenizer.pad_token_type_id)[0]
        return arguments


def inputs_of(texts: Iterable[Text], tokenizer: "PreTrainedTokenizerBase", max_length: int) -> Inputs:
    """Tokenise texts, or pairs as `[CLS] first [SEP] second [SEP]` or however the tokenizer joins them.

    Texts are read in chunks.  `max_length` includes special tokens; the longer side of a pair is truncated
    first, and the log counts the inputs of full length.
    """
    remaining = iter(texts)
    tokens, segments = [Tokens.of([])], [Tokens.of([])]
    characters: list[int] = []
    while some := list(islice(remaining, TEXTS_AT_ONCE)):
        sides = [some] if isinstance(some[0], str) else map(list, zip(*some, strict=True))
        encoded = tokenizer(*sides, truncation=True, max_length=max_length, return_attention_mask=False)
        tokens.append(Tokens.of(encoded["input_ids"]))
        if "token_type_ids" in encoded:
            segments.append(Tokens.of(encoded["token_type_ids"]))
        characters += [len(text) if isinstance(text, str) else sum(map(len, text)) for text in some]
    joined = Tokens.joined(tokens)
    full = int((joined.lengths == max_length).sum())
    counts = (len(joined), len(joined.ids), full, max_length)
    logger.info("%d texts with %d tokens; %d texts have the largest number of tokens, %d", *counts)
    kinds = Tokens.joined(segments) if len(segments) == len(tokens) > 1 else None
    kinds = kinds and replace(kinds, ids=kinds.ids.astype(np.int8))
    return Inputs(joined, kinds, np.array(characters, np.int32))
