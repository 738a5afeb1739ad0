"""Pooling of token vectors to one vector per text, as sentence-transformers computes it (`Pooling`)."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from contrapose.models.pooling import LAST_LAYER, Pooling


def pooled(pooling: Pooling, hidden: Sequence[Tensor], mask: Tensor) -> Tensor:
    """Return a vector for each text, (B, D): of several modes the vectors side by side.

    `hidden` holds outputs of layers, each of shape (B, T, H): all of them, the embeddings first, or the last
    alone if the pooling needs no other.  `mask`, of shape (B, T), is 1 for the tokens that count.  Padding is
    on the right; tokens that do not count may also come first, as those of a prompt.
    """
    tokens = _of_layers(pooling, hidden)
    vectors = [REDUCTIONS[mode](tokens, mask) for mode in pooling.modes]
    return vectors[0] if len(vectors) == 1 else torch.cat(vectors, dim=-1)


def _of_layers(pooling: Pooling, hidden: Sequence[Tensor]) -> Tensor:
    if pooling.layers == LAST_LAYER:
        return hidden[-1]
    first, *others = (hidden[layer] * weight for layer, weight in pooling.layers)
    return sum(others, first)


def _first(tokens: Tensor, mask: Tensor) -> Tensor:
    if tokens.shape[1] == 1:
        return tokens[:, 0]
    return _at(tokens, mask.to(torch.int32).argmax(dim=1))


def _last(tokens: Tensor, mask: Tensor) -> Tensor:
    places = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    return _at(tokens, (mask.long() * places).argmax(dim=1))


def _at(tokens: Tensor, places: Tensor) -> Tensor:
    return tokens[torch.arange(len(tokens), device=tokens.device), places]


def _mean(tokens: Tensor, mask: Tensor) -> Tensor:
    weights = _weights(tokens, mask)
    return (tokens * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _mean_by_root(tokens: Tensor, mask: Tensor) -> Tensor:
    weights = _weights(tokens, mask)
    return (tokens * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1).sqrt()


def _mean_by_place(tokens: Tensor, mask: Tensor) -> Tensor:
    """Weigh a token by its place in the text, from 1; places of a prompt count, too."""
    places = torch.arange(1, mask.shape[1] + 1, device=mask.device)
    weights = _weights(tokens, mask * places)
    return (tokens * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _max(tokens: Tensor, mask: Tensor) -> Tensor:
    return tokens.masked_fill(mask.unsqueeze(-1) == 0, -torch.inf).amax(dim=1)


def _weights(tokens: Tensor, weights: Tensor) -> Tensor:
    return weights.unsqueeze(-1).to(tokens.dtype)  # (B, T, 1)


# By the modes of a Pooling: (B, T, H) and a mask (B, T) to (B, H).
REDUCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cls": _first,
    "max": _max,
    "mean": _mean,
    "mean_sqrt_len_tokens": _mean_by_root,
    "weightedmean": _mean_by_place,
    "lasttoken": _last,
}
