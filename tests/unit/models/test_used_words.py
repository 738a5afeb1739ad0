"""Trainings of the embeddings of used words against trainings of all."""

import copy

import numpy as np
import pytest
import torch

from contrapose.models import used_words
from contrapose.models.used_words import UsedWords, only_used_words
from contrapose.train import contrastive
from contrapose.train.recipe import Recipe
from tests.unit.models.test_packed import TYPES, model_of
from tests.unit.train.trainings import DEV, same, trained

IDS = np.array([7, 3, 3, 40, 1])


@pytest.mark.parametrize("kind", TYPES)
def test_a_step_of_adamw_is_that_of_all_words(kind):
    models = [model_of(kind), model_of(kind)]
    before = models[0].get_input_embeddings().weight.detach().clone()

    def step(model):
        optimiser = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.0)
        for _ in range(3):
            optimiser.zero_grad()
            (model(torch.tensor([[7, 40, 3]])).last_hidden_state ** 3).sum().backward()
            optimiser.step()

    step(models[0])
    with only_used_words(models[1], IDS):
        assert models[1].get_input_embeddings().weight.shape[0] == 4
        step(models[1])
    for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.equal(one, other)
    after = models[1].get_input_embeddings().weight
    assert {*(after != before).any(dim=1).nonzero().flatten().tolist()} == {3, 7, 40}


def test_other_words_keep_their_embeddings_and_cannot_be_trained():
    words = torch.nn.Embedding(50, 4, padding_idx=1)
    part = UsedWords(words, torch.tensor([1, 3, 7]))
    with torch.no_grad():
        part.weight += 1
        expected = words(torch.tensor([[3, 5]])) + torch.tensor([[[1.0], [0.0]]])
        assert torch.equal(part(torch.tensor([[3, 5]])), expected)
    with pytest.raises(IndexError):
        part(torch.tensor([3, 5]))
    part(torch.tensor([1, 3])).sum().backward()
    assert part.weight.grad.any(dim=1).tolist() == [False, True, False]  # the padding is not trained


def test_words_of_other_kinds_or_frozen_ones_stay():
    model = model_of("bert")
    words = model.get_input_embeddings().requires_grad_(False)
    with only_used_words(model, IDS):
        assert model.get_input_embeddings() is words


@pytest.mark.parametrize(
    ("changes", "trains"),
    [
        ({}, 1),
        ({"momentum_queue_size": 8, "repetition": 0.3, "token_shuffling": True}, 1),
        ({"weight_decay": 0.01}, 0),
        ({"loss": "tsdae", "pooling": "mean"}, 0),
    ],
)
def test_a_training_is_that_of_all_words(changes, trains, tiny_encoder, monkeypatch):
    recipe = Recipe(batch_size=6, max_length=8, learning_rate=1e-3, dev_every=2, epochs=2, **changes)
    entered = []
    inside = copy.copy(used_words.only_used_words)
    monkeypatch.setattr(contrastive, "only_used_words", lambda *given: entered.append(1) or inside(*given))
    part, history = trained(tiny_encoder("bert"), recipe, same(), DEV)
    monkeypatch.setattr(contrastive, "_words_in", lambda *_: contrastive.nullcontext())
    every, expected = trained(tiny_encoder("bert"), recipe, same(), DEV)
    assert len(entered) == trains
    assert history.loss.tolist() == pytest.approx(expected.loss.tolist(), abs=1e-6)
    for name, each in every.state_dict().items():
        torch.testing.assert_close(part.state_dict()[name], each, atol=1e-5, rtol=0)
