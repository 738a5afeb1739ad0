"""Learning rates against transformers, and what AdamW decays."""

import pytest
import torch
from torch import nn
from transformers import get_scheduler

from contrapose.models.schedule import adamw, learning_rate
from contrapose.train.recipe import Recipe

NAMES = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}


@pytest.mark.parametrize("schedule", NAMES)
@pytest.mark.parametrize(("warmup", "warm_steps"), [(0.0, 0), (0.05, 3), (0.1, 5), (0.25, 12)])
def test_the_rates_are_those_of_transformers(schedule, warmup, warm_steps):
    recipe = Recipe(learning_rate=3e-5, schedule=schedule, warmup=warmup)
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=3e-5)
    theirs = get_scheduler(NAMES[schedule], optimiser, num_warmup_steps=warm_steps, num_training_steps=47)
    for step in range(47):
        assert learning_rate(step, 47, recipe) == pytest.approx(theirs.get_last_lr()[0], rel=1e-12)
        optimiser.step()
        theirs.step()


def test_biases_and_layer_norms_are_not_decayed():
    model = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.Embedding(5, 3))
    optimiser = adamw(model, Recipe(weight_decay=0.01))
    decayed, plain = optimiser.param_groups
    assert [each.shape for each in decayed["params"]] == [(3, 2), (5, 3)]
    assert [each.shape for each in plain["params"]] == [(3,), (3,), (3,)]
    assert (decayed["weight_decay"], plain["weight_decay"]) == (0.01, 0)
    model[0].weight.requires_grad_(False)  # frozen weights are left out
    assert [len(group["params"]) for group in adamw(model, Recipe()).param_groups] == [1, 3]
    assert (optimiser.defaults["betas"], optimiser.defaults["eps"]) == ((0.9, 0.999), 1e-8)  # SimCSE's
