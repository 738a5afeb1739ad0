"""The word embeddings that a training changes: those of the words in its texts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from contrapose.models.devices import on_device

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class UsedWords(nn.Module):
    """Embeddings of which some rows are parameters: those of `ids`, int64 (U,), which are distinct.

    With gradients, all other ids are refused with an IndexError.
    """

    places: Tensor

    def __init__(self, words: nn.Embedding, ids: Tensor) -> None:
        super().__init__()
        self.every = words.weight.detach()  # (V, E): neither parameter nor buffer, so never saved
        self.weight = nn.Parameter(self.every[ids])
        places = ids.new_full((len(self.every),), -1)
        places[ids] = torch.arange(len(ids), device=ids.device)
        self.register_buffer("places", places, persistent=False)
        padding = -1 if words.padding_idx is None else int(places[words.padding_idx])
        self.padding_idx = None if padding < 0 else padding  # a row that is not trained

    def forward(self, ids: Tensor) -> Tensor:
        places = self.places[ids]
        if torch.is_grad_enabled():
            return functional.embedding(places, self.weight, self.padding_idx)
        used = functional.embedding(places.clamp(min=0), self.weight)
        return torch.where(places.unsqueeze(-1) < 0, functional.embedding(ids, self.every), used)


@contextmanager
def only_used_words(model: "PreTrainedModel", ids: np.ndarray) -> Iterator[None]:
    """Make the embeddings of some token ids the only ones that are parameters, meanwhile.

    Without weight decay, AdamW never changes a row that has no gradient.  So the result is that of training
    all rows, but for the rounding of the gradient's norm.  Gradients, moments, checkpoints and copies of the
    weights then have no rows for the rest of the vocabulary, which is most of a multilingual encoder.

    `ids`: every token id of the training, also more than once.
    """
    words = model.get_input_embeddings()
    if type(words) is not nn.Embedding or not words.weight.requires_grad:
        yield
        return
    used = on_device(np.unique(ids).astype(np.int64), words.weight.device)
    part = UsedWords(words, used)
    model.set_input_embeddings(part)
    try:
        yield
    finally:
        model.set_input_embeddings(words)
        with torch.no_grad():
            words.weight[used] = part.weight
