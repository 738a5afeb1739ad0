"""Pooling of token vectors to one vector per sentence.  SimCSE, `simcse/models.py`."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from contrapose.seeds import derived_seed

Pooler = Callable[[Sequence[Tensor], Tensor], Tensor]
MLP_STD = 0.02  # for a fresh dense layer, if the encoder's config has no initializer_range; BERT


def first_token(hidden: Sequence[Tensor], mask: Tensor) -> Tensor:
    """Return the last layer at position 0: [CLS], or <s>.

    All poolers map layer outputs, of shape (B, T, H), and a mask, of shape (B, T) with 1 for tokens and 0 for
    padding on the right, to (B, H).
    """
    return hidden[-1][:, 0]


def last_token(hidden: Sequence[Tensor], mask: Tensor) -> Tensor:
    """Return the last layer at the last token, for decoders, where it alone sees the whole text."""
    last = mask.long().sum(dim=1) - 1
    return hidden[-1][torch.arange(len(last), device=last.device), last]


def mean_of(*layers: int) -> Pooler:
    """Return the mean over all tokens of one layer, or of the average of two; [CLS] and [SEP] count.

    Layers are numbers of `hidden`, which holds the embeddings and then the output of every layer.  "First" is
    the output of layer 1, as in SimCSE's code since its fix; the numbers in its paper used the static
    embeddings, layer 0 (SimCSE, issue 285).
    """

    def pool(hidden: Sequence[Tensor], mask: Tensor) -> Tensor:
        first, *others = (hidden[layer] for layer in layers)
        vectors = (first + others[0]) / 2 if others else first
        weights = mask.unsqueeze(-1).to(vectors.dtype)  # (B, T, 1)
        return (vectors * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)

    return pool


AVERAGED = {"avg": (-1,), "avg_top2": (-1, -2), "avg_first_last": (1, -1)}  # layers, as of `mean_of`
POOLERS: dict[str, Pooler] = {
    "cls": first_token,  # and an MLP head on top
    "cls_before_pooler": first_token,
    **{name: mean_of(*layers) for name, layers in AVERAGED.items()},
    "last": last_token,
}
ALL_LAYERS = ("avg_top2", "avg_first_last")  # need more than the last layer
FIRST_TOKEN = {"cls", "cls_before_pooler"}  # need a [CLS] token


class Dense(nn.Module):
    """A linear layer and an activation.  SimCSE's MLP head is one with tanh and as many outputs as inputs."""

    def __init__(self, inputs: int, outputs: int, activation: str = "Tanh", bias: bool = True) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=bias)
        self.activation = activation

    def forward(self, vectors: Tensor) -> Tensor:
        return ACTIVATIONS[self.activation](self.linear(vectors))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "Tanh": torch.tanh,
    "ReLU": functional.relu,
    "GELU": functional.gelu,
    "Identity": nn.Identity(),
}


class Normalize(nn.Module):
    """Scale vectors to length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        return functional.normalize(vectors, dim=-1)


def fresh_mlp(width: int, std: float, seed: int) -> Dense:
    """Make SimCSE's MLP head: width -> width, tanh, weights normal with `std`, bias 0.

    It is never the checkpoint's own pooler.  Its weights are a function of `seed` alone.
    """
    head = Dense(width, width)
    draws = torch.Generator().manual_seed(derived_seed("mlp", seed))
    nn.init.normal_(head.linear.weight, std=std, generator=draws)
    nn.init.zeros_(head.linear.bias)
    return head
