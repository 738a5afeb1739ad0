"""The queue of ESimCSE against a training that is written out."""

import copy

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from contrapose.models.epochs import batches
from contrapose.models.schedule import adamw, learning_rate
from contrapose.models.sentence_encoder import new_encoder
from contrapose.models.tokens import tokenised
from contrapose.train.contrastive import MomentumQueue, train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe
from tests.unit.train.trainings import SIX, SIX_DEV, same


@pytest.mark.parametrize("momentum", [0.9, 0.0])
def test_losses_are_those_of_a_queue_written_out(momentum, tiny_encoder):
    recipe = Recipe(
        momentum_queue_size=5, momentum=momentum, batch_size=2, max_length=8, learning_rate=1e-2, epochs=2,
        dropout=0.0, max_grad_norm=None, dev=None,
    )  # fmt: skip
    encoder = new_encoder(tiny_encoder("bert"), recipe, 42).double()
    history, _ = train_encoder(encoder, same(SIX), None, recipe, 42, RunOptions("cpu"))

    plain = new_encoder(tiny_encoder("bert"), recipe, 42).double()
    average = copy.deepcopy(plain)
    optimiser = adamw(plain, recipe)
    losses, queue, last = [], [], 0
    for step, (epoch, rows) in enumerate(batches([np.arange(6)], 2, 2, 42)):
        queue, last = queue if epoch == last else [], epoch
        tokens = tokenised(SIX[rows].tolist(), plain.tokenizer, 8)
        vectors = plain(tokens)
        candidates = normalize(torch.stack([*vectors, *queue[-5:]]), dim=-1)
        loss = cross_entropy(normalize(vectors, dim=-1) @ candidates.T / 0.05, torch.arange(2))
        losses.append(loss.item())
        # The average moves before the step; the trained head is on top of it.
        now, before = (each.model.state_dict() for each in (plain, average))
        average.projector.load_state_dict(plain.projector.state_dict())
        average.model.load_state_dict(
            {name: momentum * each + (1 - momentum) * now[name] for name, each in before.items()}
        )
        with torch.no_grad():
            queue += average(tokens)
        optimiser.zero_grad()
        loss.backward()
        optimiser.param_groups[0]["lr"] = optimiser.param_groups[1]["lr"] = learning_rate(step, 6, recipe)
        optimiser.step()
    assert history.loss.to_numpy() == pytest.approx(losses, abs=1e-9)
    torch.testing.assert_close(encoder.state_dict(), plain.state_dict(), atol=1e-6, rtol=0)


def test_the_queue_is_made_without_dropout_and_dev_scores_are_those_of_the_encoder(tiny_encoder, monkeypatch):
    seen = []

    def note(queue, vectors, add=MomentumQueue.add):
        add(queue, vectors)
        seen.append((queue.encoder.model.training, queue.encoder.training, queue.vectors.any(dim=1).sum()))

    monkeypatch.setattr(MomentumQueue, "add", note)
    recipe = Recipe(momentum_queue_size=5, batch_size=2, max_length=8, dropout=0.1, dev_every=1)
    encoder = new_encoder(tiny_encoder("roberta"), recipe, 42)
    history, _ = train_encoder(encoder, same(SIX), SIX_DEV, recipe, 42, RunOptions("cpu"))
    assert seen == [(False, True, 2), (False, True, 4), (False, True, 5)]
    assert history.dev_score.notna().all()
