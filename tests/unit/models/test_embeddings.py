import logging
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from contrapose.base.errors import TableError
from contrapose.models import devices
from contrapose.models import embeddings as module
from contrapose.models.embeddings import embeddings


class Letters:
    """A tokenizer: a token per letter between 1 and 2, lower-cased."""

    def __call__(self, texts, truncation=False, max_length=None, verbose=True):
        one = isinstance(texts, str)
        ids = [[1, *map(ord, text.lower()), 2] for text in ([texts] if one else texts)]
        if truncation:
            ids = [[*each[: max_length - 1], 2] if len(each) > max_length else each for each in ids]
        return {"input_ids": ids[0] if one else ids}


class Sums(torch.nn.Module):
    """An encoder: (sum of the tokens, how many there are); notes the batches it was given."""

    tokenizer, max_length, device = Letters(), 6, torch.device("cpu")
    prompt, skipped = "", staticmethod(lambda prompt: 0)
    form = SimpleNamespace(folder="sums")

    def __init__(self):
        super().__init__()
        self.batches = []

    def forward(self, batch):
        assert not self.training
        assert torch.is_inference_mode_enabled()
        ids, mask = map(torch.from_numpy, batch.padded(0))
        self.batches.append(tuple(ids.shape))
        return torch.stack([ids.sum(1), mask.sum(1)], dim=1).float()


def test_vectors_come_in_order_and_equal_tokens_are_encoded_once(monkeypatch):
    monkeypatch.setattr(devices, "PIECE_TOKENS", {"cpu": 5})
    monkeypatch.setattr(module, "PIECES", 2)
    encoder = Sums()
    vectors = embeddings(encoder, ["a", "abc", "A", "", "aBc", "ab"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[100, 3], [297, 5], [100, 3], [3, 2], [297, 5], [198, 4]]
    assert encoder.batches == [(2, 5), (2, 3)]  # alike lengths together
    assert len(embeddings(Sums(), [])) == 0


def test_texts_over_the_limit_are_cut_and_counted(caplog):
    with caplog.at_level(logging.WARNING):
        vectors = embeddings(Sums(), ["aaaa", "aaaaaaaa"])
    assert vectors.tolist() == [[391, 6], [391, 6]]
    assert "1 of 2 texts cut to 6 tokens" in caplog.text


def test_a_vector_that_is_no_number_is_refused_with_its_text():
    encoder = Sums()
    encoder.forward = lambda batch: torch.full((len(batch), 1), torch.nan)
    with pytest.raises(
        TableError,
        match=(
            "encoder 'sums' gives 1 of 1 texts a vector with "
            r"NaN or infinite numbers\. The first text is 'ab'"
        ),
    ):
        embeddings(encoder, ["ab"])
